# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Main function of the node `dynamics_server`."""

import sys
from functools import partial

from screw_dynamics.nodes.dynamics_server.node import NAME, DynamicsServerNode
from screw_dynamics.nodes.dynamics_server.parameters import DynamicsServerParameters
from screw_dynamics.nodes.shared.executor import run_node

main = partial(
    run_node,
    DynamicsServerNode,
    NAME,
    purpose='Serves inverse and forward dynamics, matrices and frames of a robot.',
    parameters=DynamicsServerParameters,
)

if __name__ == '__main__':
    sys.exit(main())

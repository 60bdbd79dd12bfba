# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Main function of the node `compensation`."""

import sys
from functools import partial

from screw_dynamics.nodes.compensation.node import NAME, CompensationNode
from screw_dynamics.nodes.compensation.parameters import CompensationParameters
from screw_dynamics.nodes.shared.executor import run_node

main = partial(
    run_node,
    CompensationNode,
    NAME,
    purpose='Publishes the efforts that carry a robot in its measured state, against gravity.',
    parameters=CompensationParameters,
)

if __name__ == '__main__':
    sys.exit(main())

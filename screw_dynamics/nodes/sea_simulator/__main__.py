# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Main function of the node `sea_simulator`."""

import sys
from functools import partial

from screw_dynamics.nodes.sea_simulator.node import NAME, SeaSimulatorNode
from screw_dynamics.nodes.sea_simulator.parameters import SeaSimulatorParameters
from screw_dynamics.nodes.shared.executor import run_node

main = partial(
    run_node,
    SeaSimulatorNode,
    NAME,
    purpose='Simulates a robot with elastic joints that motor efforts drive.',
    parameters=SeaSimulatorParameters,
)

if __name__ == '__main__':
    sys.exit(main())

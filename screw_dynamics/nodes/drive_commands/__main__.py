# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Main function of the node `drive_commands`."""

import sys
from functools import partial

from screw_dynamics.nodes.drive_commands.node import NAME, DriveCommandsNode
from screw_dynamics.nodes.drive_commands.parameters import DriveCommandsParameters
from screw_dynamics.nodes.shared.executor import run_node

main = partial(
    run_node,
    DriveCommandsNode,
    NAME,
    purpose='Sends the efforts of the node feedforward to drives, within their limits.',
    parameters=DriveCommandsParameters,
)

if __name__ == '__main__':
    sys.exit(main())

# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Main function of the node `dynamics_server`."""

import sys

from screw_dynamics.nodes.dynamics_server.node import main

if __name__ == '__main__':
    sys.exit(main())

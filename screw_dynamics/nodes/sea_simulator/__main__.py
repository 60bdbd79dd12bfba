# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Main function of the node `sea_simulator`."""

import sys

from screw_dynamics.nodes.sea_simulator.node import main

if __name__ == '__main__':
    sys.exit(main())

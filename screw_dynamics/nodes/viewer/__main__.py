# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Main function of the node `viewer`."""

import sys

from screw_dynamics.nodes.viewer.node import main

if __name__ == '__main__':
    sys.exit(main())

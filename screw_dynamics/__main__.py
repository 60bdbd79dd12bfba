# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""``python -m screw_dynamics``: the command line."""

import sys

from screw_dynamics.command_line.main import main

if __name__ == '__main__':
    sys.exit(main())

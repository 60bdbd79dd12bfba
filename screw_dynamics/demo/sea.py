# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
The `demo_sea` executable: feedforwards for arms with elastic joints, compared.

    make demo-sea
    python -m screw_dynamics.demo.sea --output my_folder

It runs the study `sea_study`, one of the examples, which are installed as files for everyone to
read and change.
"""

import sys
from collections.abc import Sequence
from importlib import import_module

from screw_dynamics.paths import share_path


def main(args: Sequence[str] | None = None) -> int:
    """
    Run the study with `args`, without the program name (default ``sys.argv[1:]``).

    Returns the exit code: 0, 1 after an error, 130 if interrupted.
    """
    folder = str(share_path('examples'))
    if folder not in sys.path:
        sys.path.append(folder)  # the processes of the study find it there, too
    code: int = import_module('sea_study.job').main(args)
    return code


if __name__ == '__main__':
    sys.exit(main())

# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
The executables `demo`, `demo_sea`, `demo_soft`: studies installed as files, to read and change.

    python -m screw_dynamics.demo --output my_folder
    python -m screw_dynamics.demo sea --output my_folder
    python -m screw_dynamics.demo soft --output my_folder

The first runs the example `ros_demo`, the main job over ROS 2; the second runs `sea_study`, arms
with springs out of the data sheet, identified, and learned from repeats; the third runs
`soft_study`, the simulations of soft robots.
"""

import sys
from collections.abc import Sequence
from importlib import import_module

from screw_dynamics.common.paths import share_path


def main() -> int:
    """Run `ros_demo` with the arguments of the command line, and return its exit code."""
    return _run('ros_demo', sys.argv[1:])


def sea() -> int:
    """Run `sea_study` with the arguments of the command line, and return its exit code."""
    return _run('sea_study', sys.argv[1:])


def soft() -> int:
    """Run `soft_study` with the arguments of the command line, and return its exit code."""
    return _run('soft_study', sys.argv[1:])


def _run(study: str, args: Sequence[str]) -> int:
    folder = str(share_path('examples'))
    if folder not in sys.path:
        sys.path.append(folder)  # the processes of a study find it there, too
    code: int = import_module(f'{study}.job').main(args)
    return code


if __name__ == '__main__':
    for word in sys.argv[1:2]:
        if word in ('sea', 'soft'):
            sys.exit(_run(f'{word}_study', sys.argv[2:]))
    sys.exit(main())

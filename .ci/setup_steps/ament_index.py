# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Enter the editable package in the ament index, where `ros2 run` and `ros2 launch` look."""

import shutil
import subprocess
import time
from pathlib import Path

NAME = 'screw_dynamics'
FOLDERS = ('launch', 'config', 'urdf')
SCRIPTS = (
    'from importlib.metadata import distribution; '
    f'print(*(script.name for script in distribution({NAME!r}).entry_points))'
)


def enter_in_index(environment):
    """Link files and executables to where an installation by colcon has them."""
    root, prefix = environment.root, environment.prefix
    inputs = [root / 'setup.py', *(root / name for name in FOLDERS), Path(__file__)]
    if environment.is_done('ament_index', inputs):
        return
    start = time.monotonic()
    marker = prefix / 'share/ament_index/resource_index/packages' / NAME
    marker.parent.mkdir(parents=True, exist_ok=True)
    marker.touch()
    share = prefix / 'share' / NAME
    link(share, [root / 'package.xml'])
    for name in FOLDERS:  # links to folders are what ros2 launch does not look into
        link(share / name, [path for path in (root / name).iterdir() if path.is_file()])
    names = subprocess.run(
        # isolated: metadata in the working directory may be of an installation without ROS 2
        [environment.python, '-I', '-c', SCRIPTS],
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    ).stdout.split()
    link(prefix / 'lib' / NAME, [environment.python.parent / name for name in names])
    environment.progress.done('package in the ament index', time.monotonic() - start)
    environment.mark_done('ament_index', inputs)


def link(folder, targets):
    """Fill a folder with links, and with nothing else."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for target in targets:
        (folder / target.name).symlink_to(target)

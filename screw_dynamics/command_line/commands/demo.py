# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`screw_dynamics demo`: files to try the commands on, and the first commands with them."""

from __future__ import annotations

import shlex
import shutil
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from screw_dynamics.command_line.records import Options, option
from screw_dynamics.common.paths import new_folder, share_path
from screw_dynamics.errors import InputError

DESCRIPTION = (
    'Write a robot, springs and a trajectory to a new folder, and run the first commands there. '
    'Studies with ROS 2 and MuJoCo are the executables demo, demo_sea and demo_soft of `ros2 run`.'
)
EXAMPLES = ('screw_dynamics demo', 'screw_dynamics demo --output my_folder')

_FILES = {
    'urdf/iiwa14.urdf': 'my_robot.urdf',
    'config/sea_arm_joints.yaml': 'my_springs.yaml',
    'urdf/planar_2r.urdf': 'planar_2r.urdf',
}
_TRAJECTORY = """# joint positions [rad] at times [s]
joint_names: [joint_1, joint_2, joint_3, joint_4, joint_5, joint_6, joint_7]
points:
  - {time_from_start: 0.0, positions: [0.0, 0.5, 0.0, -1.5, 0.0, 1.0, 0.0]}
  - {time_from_start: 1.5, positions: [0.6, 0.9, -0.2, -0.9, 0.4, 0.6, 0.3]}
  - {time_from_start: 3.0, positions: [-0.5, 0.2, 0.3, -1.7, -0.3, 1.2, -0.4]}
  - {time_from_start: 4.5, positions: [0.0, 0.5, 0.0, -1.5, 0.0, 1.0, 0.0]}
"""


@dataclass(frozen=True)
class DemoFolder(Options):
    """Where the files go."""

    output: Path = option(
        Path('screw_dynamics_demo'), 'a new folder', short='-o', metavar='FOLDER'
    )


def run(demo: DemoFolder) -> int:
    """Run the command; return the exit code of the last one that it runs."""
    from screw_dynamics.command_line.main import main

    if demo.output.exists():
        raise InputError(f'{demo.output}: it exists already: expected the name of a new folder')
    with new_folder(demo.output) as place:
        place.mkdir()
        for source, name in _FILES.items():
            shutil.copy(share_path(source), place / name)
        (place / 'my_trajectory.yaml').write_text(_TRAJECTORY, encoding='utf-8')
    robot, trajectory = (
        str(demo.output / name) for name in ('my_robot.urdf', 'my_trajectory.yaml')
    )
    files = ['--csv', str(demo.output / 'efforts.csv')]
    if find_spec('matplotlib') is not None:
        files += ['--plot', str(demo.output / 'efforts.png')]
    code = 0
    evaluate = ['evaluate', robot, trajectory, '--limits', *files]
    for command in (['doctor', robot], evaluate):
        print(f'\n$ {shlex.join(["screw_dynamics", *command])}', flush=True)
        code = main(command) or code
    print(f'\nnext: screw_dynamics view {robot} {trajectory}; your robot in place of {robot}')
    return code

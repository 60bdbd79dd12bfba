# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The control_msgs that `make setup` builds for tests has the type hashes of the published one."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from ament_index_python.packages import get_package_share_directory

SOURCE = Path(__file__).resolve().parents[2] / 'control_msgs'
# of control_msgs 5.8.0 (Jazzy), built from its published definitions
HASHES = {
    'action/FollowJointTrajectory': (
        'RIHS01_738ebcb7a2d7cfa42f9f1001cc99ce3a4383d1cfe508015d9be8485e4b1c66f6'
    ),
    'action/FollowJointTrajectory_SendGoal': (
        'RIHS01_b13789dddc325a7a962825c45e28c77d37237ec129dd0c34dc5994562938c57f'
    ),
    'action/FollowJointTrajectory_GetResult': (
        'RIHS01_e3ceb38e3e1867c8dc0f46014df26e90eb93422f27e9e97f936e07f94be4bc8b'
    ),
    'action/FollowJointTrajectory_FeedbackMessage': (
        'RIHS01_80398fcb9674a79081a9906e2ccf0c804dd7cb15e22e362e606ee87186beab71'
    ),
    'msg/JointComponentTolerance': (
        'RIHS01_739ea7566931944d33830fa10f1bf5e7a7fbdc3172bce7a7eaac642bd6e3ffa4'
    ),
    'msg/JointTolerance': (
        'RIHS01_c254f9cece0f3b733017b6990fd46d1326e25242d6b8844398c97d9a88e7d648'
    ),
    'msg/JointTrajectoryControllerState': (
        'RIHS01_51d8dd89cc624cbe9daaeeb4d80d6de9b86168ffdc3be41fefc0953e3c26e480'
    ),
    'msg/SpeedScalingFactor': (
        'RIHS01_0c240f349f2b74e33e8741f83e0f196ddeb6585923663876ed3c1f51f0566037'
    ),
}


def built_hashes() -> dict[str, str]:
    """Return the type hashes that the generators wrote, without the package name."""
    share = Path(get_package_share_directory('control_msgs'))
    if 'For tests' not in (share / 'package.xml').read_text():
        pytest.skip('another control_msgs is installed')
    found = {}
    for path in share.glob('*/*.json'):
        for item in json.loads(path.read_text())['type_hashes']:
            package, _, name = item['type_name'].partition('/')
            if package == 'control_msgs':
                found[name] = item['hash_string']
    return found


def test_type_hashes_are_the_published_ones():
    found = built_hashes()
    assert {name: found[name] for name in HASHES} == HASHES
    # no definition escapes the comparison
    definitions = [path.relative_to(SOURCE).with_suffix('') for path in SOURCE.glob('*/*.*')]
    assert {path.as_posix() for path in definitions} <= set(HASHES)


def test_error_codes():
    """Constants are not part of a hash."""
    from control_msgs.action import FollowJointTrajectory

    names = re.findall(
        r'^int32 (\w+) =', (SOURCE / 'action/FollowJointTrajectory.action').read_text(), re.M
    )
    codes = {name: getattr(FollowJointTrajectory.Result, name) for name in names}
    assert codes == {
        'SUCCESSFUL': 0,
        'INVALID_GOAL': -1,
        'INVALID_JOINTS': -2,
        'OLD_HEADER_TIMESTAMP': -3,
        'PATH_TOLERANCE_VIOLATED': -4,
        'GOAL_TOLERANCE_VIOLATED': -5,
    }

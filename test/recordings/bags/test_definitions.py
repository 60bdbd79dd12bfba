# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Definitions of every installed message type."""

from __future__ import annotations

from pathlib import Path

import pytest

from screw_dynamics.errors import BagError

pytest.importorskip('rosbags', reason='bags need the package rosbags')
pytest.importorskip('ament_index_python', reason='definitions come from a ROS 2 installation')


def test_every_installed_type_has_a_definition(ros_environment: dict[str, str]) -> None:
    from ament_index_python import get_package_share_directory, get_packages_with_prefixes
    from rosbags.typesys import Stores, get_types_from_msg, get_typestore

    from screw_dynamics.recordings.bags.definitions import message_definition

    names = [
        f'{package}/msg/{path.stem}'
        for package in get_packages_with_prefixes()
        for path in Path(get_package_share_directory(package), 'msg').glob('*.msg')
    ]
    assert {'trajectory_msgs/msg/JointTrajectory', 'sensor_msgs/msg/JointState'} <= set(names)
    for name in names:
        types = get_typestore(Stores.EMPTY)
        types.register(get_types_from_msg(message_definition(name), name))
        assert types.types[name].__msgtype__ == name


def test_definition_is_the_installed_text(ros_environment: dict[str, str]) -> None:
    from ament_index_python import get_package_share_directory

    from screw_dynamics.recordings.bags.definitions import message_definition

    text = message_definition('trajectory_msgs/msg/JointTrajectory')
    share = Path(get_package_share_directory('trajectory_msgs'))
    assert text.startswith((share / 'msg/JointTrajectory.msg').read_text())
    headings = [line for line in text.splitlines() if line.startswith('MSG: ')]
    assert headings == [
        'MSG: std_msgs/Header',
        'MSG: trajectory_msgs/JointTrajectoryPoint',
        'MSG: builtin_interfaces/Time',
        'MSG: builtin_interfaces/Duration',
    ]


@pytest.mark.parametrize(
    ('name', 'message'),
    [
        ('JointState', "type 'JointState': definition not found"),
        ('no_such_package/msg/A', 'definition not found: .*no_such_package'),
        ('sensor_msgs/msg/NoSuchType', "type 'sensor_msgs/msg/NoSuchType': definition not found"),
    ],
)
def test_errors(ros_environment: dict[str, str], name: str, message: str) -> None:
    from screw_dynamics.recordings.bags.definitions import message_definition

    with pytest.raises(BagError, match=message):
        message_definition(name)

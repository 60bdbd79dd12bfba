# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Definitions and types of messages, their columns, and definitions that are missing."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip('rosbags', reason='bags need the package rosbags')
pytest.importorskip('ament_index_python', reason='definitions come from a ROS 2 installation')

from bag_sample import SAMPLE, SAMPLE_TYPE, START  # noqa: E402
from rosbags.rosbag2 import StoragePlugin, Writer  # noqa: E402

from screw_dynamics.errors import BagError  # noqa: E402
from screw_dynamics.recordings.bags import Bag  # noqa: E402
from screw_dynamics.recordings.bags.definitions import MessageTypes, definition_hash  # noqa: E402
from screw_dynamics.recordings.bags.records import columns  # noqa: E402


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


USED = [
    'sensor_msgs/msg/JointState',
    'trajectory_msgs/msg/JointTrajectory',
    'screw_dynamics_interfaces/msg/FeedforwardTorque',
    'screw_dynamics_interfaces/msg/JointReference',
]


@pytest.mark.parametrize('name', USED)
def test_definitions_mean_what_those_of_ros_mean(name, ros_environment):
    definitions = pytest.importorskip(
        'screw_dynamics.recordings.bags.definitions', reason='needs ROS 2'
    )
    ours = definition_hash(name, MessageTypes().definition(name))
    assert ours == definition_hash(name, definitions.message_definition(name))


def test_ros_reads_what_is_serialized(ros_environment):
    rclpy = pytest.importorskip('rclpy.serialization', reason='needs ROS 2')
    from sensor_msgs.msg import JointState

    types = MessageTypes()
    message = types['sensor_msgs/msg/JointState'](
        header=types['std_msgs/msg/Header'](
            stamp=types['builtin_interfaces/msg/Time'](sec=7, nanosec=8), frame_id=''
        ),
        name=['a', 'joint'],
        position=np.array([0.5, np.pi]),
        velocity=np.array([]),
        effort=np.array([1.0, 2.0]),
    )
    read = rclpy.deserialize_message(types.serialize(message), JointState)
    assert (read.header.stamp.sec, read.header.stamp.nanosec) == (7, 8)
    assert read.name == ['a', 'joint']
    assert list(read.position) == [0.5, np.pi] and list(read.effort) == [1.0, 2.0]


@pytest.mark.parametrize('name', ['no_package/msg/A', 'A', 'screw_dynamics_interfaces/msg/No'])
def test_unknown_types_are_named(name):
    types = MessageTypes()
    for ask in (types.definition, types.__getitem__):
        with pytest.raises(BagError, match=f'type .?{name}'):
            ask(name)


STRING = 'std_msgs/msg/String'


@pytest.fixture
def old_bag(tmp_path: Path) -> Path:
    """Return a bag of a common type and of an unknown one, both undefined in it."""
    path = tmp_path / 'old'
    types = MessageTypes()
    with Writer(path, version=8, storage_plugin=StoragePlugin.SQLITE3) as writer:
        for topic, name, text, data in (
            ('/text', STRING, types.definition(STRING), types.serialize(types[STRING](data='hi'))),
            ('/sample', SAMPLE_TYPE, SAMPLE, b'\x00\x01\x00\x00'),
        ):
            digest = definition_hash(name, text)
            connection = writer.add_connection(topic, name, msgdef=text, rihs01=digest)
            writer.write(connection, START, data)
    with sqlite3.connect(path / 'old.db3') as database:
        database.execute('DELETE FROM message_definitions')
    return path


def test_common_types_are_known_anyway(old_bag: Path) -> None:
    with Bag(old_bag) as bag:
        [found] = bag.messages(['/text'])
        assert found.message.data == 'hi'
        assert bag.topics['/text'].definition == MessageTypes().definition(STRING)


def test_other_types_are_bytes(old_bag: Path) -> None:
    with Bag(old_bag) as bag:
        [raw] = bag.raw_messages(['/sample'])
        assert raw.data == b'\x00\x01\x00\x00' and bag.topics['/sample'].definition == ''
        with pytest.raises(BagError, match=f"'/sample': no definition of {SAMPLE_TYPE} is embedd"):
            next(bag.messages(['/sample']))


TYPES = MessageTypes()


def trajectory(names: list[str], points: list[Any]) -> Any:
    stamp = TYPES['builtin_interfaces/msg/Time'](sec=0, nanosec=0)
    header = TYPES['std_msgs/msg/Header'](stamp=stamp, frame_id='')
    kind = TYPES['trajectory_msgs/msg/JointTrajectory']
    return kind(header=header, joint_names=names, points=points)


def point() -> Any:
    none = np.empty(0)
    zero = TYPES['builtin_interfaces/msg/Duration'](sec=0, nanosec=0)
    return TYPES['trajectory_msgs/msg/JointTrajectoryPoint'](
        positions=none, velocities=none, accelerations=none, effort=none, time_from_start=zero
    )


@pytest.mark.parametrize('lengths', [(0, 0, 0), (0, 1, 2), (1, 1, 1)])
def test_one_list_of_sub_messages_per_message(lengths: tuple[int, ...]) -> None:
    messages = [trajectory(['a'], [point()] * length) for length in lengths]
    column = columns(messages)['points']
    assert isinstance(column, list)
    assert [len(points) for points in column] == list(lengths)


@pytest.mark.parametrize('names', [['a', 'b'], []])
def test_one_tuple_of_names_where_all_agree(names: list[str]) -> None:
    assert columns([trajectory(names, [])] * 2)['joint_names'] == tuple(names)


def test_a_tuple_of_names_per_message_where_they_differ() -> None:
    messages = [trajectory([], []), trajectory(['a'], [])]
    assert columns(messages)['joint_names'] == [(), ('a',)]


def test_the_layout_of_an_array_without_dimensions() -> None:
    layout = TYPES['std_msgs/msg/MultiArrayLayout'](dim=[], data_offset=0)
    message = TYPES['std_msgs/msg/Float64MultiArray'](layout=layout, data=np.arange(2.0))
    assert columns([message, message])['layout.dim'] == [[], []]

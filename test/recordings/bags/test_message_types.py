# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Types made without ROS are those of ROS."""

from __future__ import annotations

import numpy as np
import pytest

from screw_dynamics.errors import BagError

pytest.importorskip('rosbags', reason='bags need the package rosbags')

from screw_dynamics.recordings.bags.definitions import (
    MessageTypes,  # noqa: E402
    definition_hash,  # noqa: E402
)

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

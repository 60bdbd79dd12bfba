# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Bytes on a topic that are not a message: dropped, without effect on later messages."""

from __future__ import annotations

import pytest
from diagnostic_msgs.msg import DiagnosticArray
from helpers.node_processes import trajectory
from helpers.stream_client import status
from rclpy.serialization import deserialize_message, serialize_message
from std_msgs.msg import String
from trajectory_msgs.msg import JointTrajectory

TOPIC = '/feedforward/joint_trajectory'
NAMES = ['joint_1', 'joint_2']
# long enough that a fit which a busy machine delays is not too late to be followed
GOOD = serialize_message(trajectory(NAMES, [0.0, 0.0], [0.1, 0.2], times=[0.0, 600.0]))
NO_MESSAGE = {
    'header only': GOOD[:4],
    'one byte': GOOD[:1],
    'half': GOOD[: len(GOOD) // 2],
    'encapsulation unknown': b'\xff\xff\xff\xff' + GOOD[4:],
    'names without end': GOOD[:20] + b'\xff\xff\xff\xff' + GOOD[24:],
    'another type': serialize_message(String(data='nose')),
    'noise': bytes(range(100, 256)),
}


@pytest.fixture(scope='module')
def process(ros, planar):
    process = ros.start('feedforward', urdf_path=planar, diagnostic_updater__period=0.1)
    ros.wait_until_active(process)
    return process


@pytest.fixture
def publisher(ros, process):
    publisher = ros.node.create_publisher(JointTrajectory, TOPIC, 10)
    ros.wait_for('the subscription', publisher.get_subscription_count, process)
    yield publisher
    ros.node.destroy_publisher(publisher)


@pytest.fixture
def accepted(ros):
    reports = ros.listen(DiagnosticArray, '/diagnostics')
    return lambda: int(status(ros, reports, 'trajectory')[1]['accepted'])


@pytest.mark.parametrize('kind', NO_MESSAGE)
def test_a_message_after_bytes_that_are_none(kind, ros, process, publisher, accepted):
    with pytest.raises(RuntimeError, match='deserialize'):
        deserialize_message(NO_MESSAGE[kind], JointTrajectory)
    before = accepted()
    for _ in range(20):  # more than a reader keeps
        publisher.publish(NO_MESSAGE[kind])
    publisher.publish(deserialize_message(GOOD, JointTrajectory))
    ros.wait_for('the trajectory', lambda: accepted() == before + 1, process)


def test_no_bytes_at_all_hold_up_no_other_publisher(ros, process, publisher, accepted):
    before = accepted()
    publisher.publish(b'')
    ros.publish(deserialize_message(GOOD, JointTrajectory), TOPIC)
    ros.wait_for('the trajectory', lambda: accepted() == before + 1, process)

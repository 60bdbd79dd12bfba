# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The recorder hears publishers that come late, come and go, or offer less than others do."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest
from bag_processes import messages_in, stop, wait_for, wait_for_match

pytest.importorskip('rosbags', reason='bags need the package rosbags')
pytest.importorskip('rclpy', reason='recording needs ROS 2 (rclpy)')

from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy  # noqa: E402
from std_msgs.msg import Float64  # noqa: E402
from trajectory_msgs.msg import JointTrajectory  # noqa: E402

from screw_dynamics.bags import Bag  # noqa: E402

BEST_EFFORT = QoSProfile(depth=5, reliability=ReliabilityPolicy.BEST_EFFORT)
RELIABLE = QoSProfile(depth=5)
LATCHED = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)


@pytest.mark.parametrize('topics', [['/plan'], ['--all']])
def test_what_is_sent_once_is_recorded(
    node: Any, record: Any, tmp_path: Path, topics: list[str]
) -> None:
    """A subscription announces the type; each publisher comes, sends a trajectory and goes."""
    node.create_subscription(JointTrajectory, '/plan', lambda _: None, 10)
    recorder = record('-o', tmp_path / 'bag', *topics)
    wait_for(lambda: node.count_subscribers('/plan') == 2)
    for i in range(3):
        publisher = node.create_publisher(JointTrajectory, '/plan', 10)
        wait_for_match(publisher, count=2)
        publisher.publish(JointTrajectory(joint_names=[f'joint_{i}']))
        wait_for(lambda count=i + 1: len(messages_in(tmp_path / 'bag', '/plan')) == count)
        node.destroy_publisher(publisher)
    stop(recorder)
    with Bag(tmp_path / 'bag') as bag:
        assert bag.arrays('/plan')['joint_names'] == [('joint_0',), ('joint_1',), ('joint_2',)]
        assert bag.topics['/plan'].qos[0].reliability.name == 'RELIABLE'


def test_a_topic_that_is_never_published_is_named_and_not_in_the_bag(
    node: Any, record: Any, tmp_path: Path
) -> None:
    node.create_subscription(Float64, '/x', lambda _: None, 10)
    recorder = record('-o', tmp_path / 'bag', '/x')
    wait_for(lambda: node.count_subscribers('/x') == 2)
    assert 'Never published: /x' in stop(recorder)
    with Bag(tmp_path / 'bag') as bag:
        assert bag.topics == {}


@pytest.mark.parametrize('first, later', [(RELIABLE, BEST_EFFORT), (BEST_EFFORT, RELIABLE)])
def test_a_publisher_that_comes_later_and_offers_something_else(
    node: Any, record: Any, tmp_path: Path, first: QoSProfile, later: QoSProfile
) -> None:
    """Both are heard, and what both subscriptions of the recorder receive is stored once."""
    before = node.create_publisher(Float64, '/x', first)
    recorder = record('-o', tmp_path / 'bag', '/x')
    wait_for_match(before)
    before.publish(Float64(data=0.0))
    after = node.create_publisher(Float64, '/x', later)
    wait_for(lambda: node.count_subscribers('/x') == 2)
    reliable = before if first is RELIABLE else after
    wait_for_match(reliable, count=2)
    wait_for_match(after)
    for value in (1.0, 2.0, 3.0):
        before.publish(Float64(data=value))
        after.publish(Float64(data=-value))
        time.sleep(0.05)
    wait_for(lambda: len(messages_in(tmp_path / 'bag', '/x')) >= 7)
    log = stop(recorder)
    assert '[WARN]' not in log
    with Bag(tmp_path / 'bag') as bag:
        values = bag.arrays('/x')['data'].tolist()
    assert sorted(values) == [-3.0, -2.0, -1.0, 0.0, 1.0, 2.0, 3.0]


def test_a_latched_message_of_a_publisher_that_comes_later(
    node: Any, record: Any, tmp_path: Path
) -> None:
    node.create_subscription(Float64, '/x', lambda _: None, 10)
    recorder = record('-o', tmp_path / 'bag', '/x')
    wait_for(lambda: node.count_subscribers('/x') == 2)
    publisher = node.create_publisher(Float64, '/x', LATCHED)
    publisher.publish(Float64(data=1.0))  # before anybody is connected
    wait_for(lambda: node.count_subscribers('/x') == 3)
    wait_for_match(publisher, count=3)
    wait_for(lambda: messages_in(tmp_path / 'bag', '/x'))
    stop(recorder)
    with Bag(tmp_path / 'bag') as bag:
        assert bag.arrays('/x')['data'].tolist() == [1.0]

# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The recorder hears publishers that come late, come and go, or offer less than others do."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import pytest
from helpers.bag_processes import messages_in, stop, wait_for, wait_for_match
from helpers.patience import patience

pytest.importorskip('rosbags', reason='bags need the package rosbags')
pytest.importorskip('rclpy', reason='recording needs ROS 2 (rclpy)')

from rclpy.duration import Duration  # noqa: E402
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy  # noqa: E402
from std_msgs.msg import Float64  # noqa: E402
from trajectory_msgs.msg import JointTrajectory  # noqa: E402

from screw_dynamics.recordings.bags import Bag  # noqa: E402

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
    """
    Both are heard, and what both subscriptions of the recorder receive is stored once.

    All that is reliable is there; of what is not, which may be lost, some of each time.
    """
    numbers, bag_path = itertools.count(1.0), tmp_path / 'bag'

    def publish_until_heard(*publishers: Any) -> list[list[float]]:
        """Publish numbers, at least three, until one of each publisher is in the bag."""
        sent: list[list[float]] = [[] for _ in publishers]

        def heard() -> bool:
            for publisher, mine in zip(publishers, sent, strict=True):
                mine.append(next(numbers))
                publisher.publish(Float64(data=mine[-1]))
                if publisher is reliable:  # else it forgets what it has sent before the last five
                    assert publisher.wait_for_all_acked(Duration(seconds=patience()))
            found = {read.message.data for read in messages_in(bag_path, '/x')}
            return len(sent[0]) >= 3 and all(found.intersection(mine) for mine in sent)

        wait_for(heard)
        return sent

    before = node.create_publisher(Float64, '/x', first)
    reliable = before if first is RELIABLE else None
    recorder = record('-o', bag_path, '/x')
    wait_for_match(before)
    [early] = publish_until_heard(before)
    after = node.create_publisher(Float64, '/x', later)
    wait_for(lambda: node.count_subscribers('/x') == 2)
    reliable = before if first is RELIABLE else after
    wait_for_match(reliable, count=2)
    wait_for_match(after)
    [late] = publish_until_heard(after)
    both = publish_until_heard(before, after)
    log = stop(recorder)
    # none of offers that do not suit a subscription
    warnings = [line for line in log.splitlines() if '[WARN]' in line]
    assert [line for line in warnings if 'lost before they reached the recorder' not in line] == []
    with Bag(bag_path) as bag:
        values = bag.arrays('/x')['data'].tolist()
    assert len(set(values)) == len(values)
    assert set(values) <= {*early, *late, *both[0], *both[1]}
    # what was sent last: the recorder has known the publisher by then
    assert set(both[0 if reliable is before else 1]) <= set(values)


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

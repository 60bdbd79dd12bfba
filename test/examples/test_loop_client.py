# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The client of the simulated loop: waits while something advances, sends until it is heard."""

from __future__ import annotations

import math
import os
import time
from types import SimpleNamespace

import pytest
from helpers.patience import patience

rclpy = pytest.importorskip('rclpy', reason='the nodes need ROS 2 (rclpy)')
pytest.importorskip('screw_dynamics_interfaces', reason='screw_dynamics_interfaces is not built')
if not os.environ.get('AMENT_PREFIX_PATH'):
    pytest.skip('AMENT_PREFIX_PATH is not set', allow_module_level=True)

from diagnostic_msgs.msg import DiagnosticStatus, KeyValue  # noqa: E402
from rclpy.node import Node  # noqa: E402
from rosgraph_msgs.msg import Clock  # noqa: E402
from trajectory_msgs.msg import JointTrajectory  # noqa: E402

from ros_demo.processes import release_domain, unused_domain  # noqa: E402
from ros_demo.recording import TORQUE_TOPIC  # noqa: E402
from screw_dynamics.errors import TrajectoryError  # noqa: E402
from screw_dynamics.messages.times import nanoseconds  # noqa: E402
from screw_dynamics.nodes.feedforward.context import NO_TIME  # noqa: E402
from screw_dynamics.nodes.shared.endpoints import (  # noqa: E402
    FRAME_ID,
    STATUS_QOS,
    STATUS_TOPIC,
)
from screw_dynamics.trajectory import read_trajectory  # noqa: E402
from screw_dynamics_interfaces.msg import FeedforwardTorque  # noqa: E402
from sea_study import loop_client  # noqa: E402
from sea_study.loop_client import LoopClient  # noqa: E402
from sea_study.ros_loop import TRAJECTORY  # noqa: E402

TIMEOUT = 1.0


@pytest.fixture
def client(monkeypatch):
    monkeypatch.setenv('ROS_AUTOMATIC_DISCOVERY_RANGE', 'LOCALHOST')
    domain = unused_domain()
    rclpy.init(args=[], domain_id=domain)
    client = LoopClient('/joint_states', [])
    yield client
    client.destroy_node()
    rclpy.try_shutdown()
    release_domain(domain)


def test_nothing_advances(client):
    with pytest.raises(TimeoutError, match='nothing advanced for 1 s, waiting for the end'):
        client.wait('the end', lambda: False, TIMEOUT, lambda: None)


def test_samples_are_progress(client, monkeypatch):
    """The timeout passes before there are enough of them, on a clock that counts them."""
    publisher = client.create_publisher(FeedforwardTorque, TORQUE_TOPIC, 10)
    limit = time.monotonic() + patience()
    clock = SimpleNamespace(monotonic=lambda: 0.2 * client._samples)
    monkeypatch.setattr(loop_client, 'time', clock)
    looks = []

    def enough():
        assert time.monotonic() < limit
        publisher.publish(FeedforwardTorque())
        return client._samples > 60

    client.wait('samples', enough, 5.0, lambda: looks.append(client._samples))
    assert looks[-1] > 60


@pytest.fixture
def tick(client):
    """A callable that lets two seconds of simulated time pass."""
    clock = client.create_publisher(Clock, '/clock', 10)

    def tick():
        tick.now += 2
        message = Clock()
        message.clock.sec = tick.now
        clock.publish(message)

    tick.now = 0
    client.wait('a clock', lambda: client.get_clock().now().nanoseconds, 60.0, tick)
    return tick


class Answering(Node):
    """
    Stands in for `feedforward`: gives one answer after the other, and then accepts.

    An answer is the reason of a rejection, or None: no answer.
    """

    def __init__(self, *answers: str | None) -> None:
        super().__init__('feedforward')
        self.heard = []
        self._next = answers
        self._answers = self.create_publisher(DiagnosticStatus, f'~/{STATUS_TOPIC}', STATUS_QOS)
        self.create_subscription(JointTrajectory, '~/joint_trajectory', self._take, 10)

    def _take(self, message: JointTrajectory) -> None:
        answer = self._next[len(self.heard)] if len(self.heard) < len(self._next) else ''
        self.heard.append(message)
        if answer is not None:
            values = {FRAME_ID: message.header.frame_id, 'start [s]': '1', 'end [s]': '2'}
            items = [KeyValue(key=key, value=value) for key, value in values.items()]
            level = DiagnosticStatus.ERROR if answer else DiagnosticStatus.OK
            self._answers.publish(DiagnosticStatus(level=level, message=answer, values=items))


@pytest.fixture
def answering(client):
    """A function that starts such a node, and waits until the client knows it."""
    nodes = []

    def start(*answers):
        node = Answering(*answers)
        nodes.append(node)
        client._executor.add_node(node)
        client._standing = True
        client.wait('the node', client.ready, math.inf, lambda: None)
        return node

    yield start
    for node in nodes:
        node.destroy_node()


def test_simulated_time_passes_the_end(client, tick, answering):
    file = read_trajectory(TRAJECTORY)
    answering()
    client.send(file, 2.0, 60.0, lambda: None)
    with pytest.raises(TimeoutError, match='passed the end by 60 s, waiting for the end'):
        client.wait('the end', lambda: False, 60.0, tick)
    assert tick.now > 60 + file.points[-1].time_from_start


def test_sent_again_until_it_is_answered(client, tick, answering):
    node = answering(None, NO_TIME)
    client.send(read_trajectory(TRAJECTORY), 20.0, 60.0, tick)
    starts = [message.header.stamp.sec for message in node.heard]
    assert len(starts) == 3
    assert starts == sorted(set(starts))
    assert client._end > nanoseconds(node.heard[-1].header.stamp)


def test_sent_while_there_is_no_time(client, tick, answering):
    """At once, a busy computer may say so more often than an answer may fail to come."""
    node = answering(*[NO_TIME] * 9)
    client.send(read_trajectory(TRAJECTORY), 20.0, 600.0, tick)
    starts = [message.header.stamp.sec for message in node.heard]
    assert len(starts) == 10
    assert starts == sorted(set(starts))


def test_no_time_comes(client, tick, answering):
    answering(*[NO_TIME] * 99)
    with pytest.raises(TimeoutError, match='feedforward has received no time on /clock for 30 s'):
        client.send(read_trajectory(TRAJECTORY), 20.0, 30.0, tick)


def test_rejected(client, tick, answering):
    answering('limit exceeded')
    with pytest.raises(TrajectoryError, match='feedforward rejected .*: limit exceeded'):
        client.send(read_trajectory(TRAJECTORY), 20.0, 60.0, tick)


def test_never_answered(client, tick, answering):
    node = answering(*[None] * 9)
    with pytest.raises(TimeoutError, match='the answer of feedforward .* sent 5 times'):
        client.send(read_trajectory(TRAJECTORY), 20.0, 60.0, tick)
    assert len(node.heard) == 5

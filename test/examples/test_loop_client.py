# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Clients of the demos: what they wait for, send, and hold for the end."""

from __future__ import annotations

import math
import os

import pytest

rclpy = pytest.importorskip('rclpy', reason='the nodes need ROS 2 (rclpy)')
pytest.importorskip('screw_dynamics_interfaces', reason='screw_dynamics_interfaces is not built')
if not os.environ.get('AMENT_PREFIX_PATH'):
    pytest.skip('AMENT_PREFIX_PATH is not set', allow_module_level=True)

from diagnostic_msgs.msg import DiagnosticStatus, KeyValue  # noqa: E402
from rclpy.node import Node  # noqa: E402
from rosgraph_msgs.msg import Clock  # noqa: E402
from trajectory_msgs.msg import JointTrajectory  # noqa: E402

from ros_demo import client as demo_client  # noqa: E402
from ros_demo.client import DemoClient  # noqa: E402
from ros_demo.job import URDF, rest  # noqa: E402
from ros_demo.processes import release_domain, unused_domain  # noqa: E402
from screw_dynamics.common.paths import share_path  # noqa: E402
from screw_dynamics.common.times import SECOND, nanoseconds, set_stamp  # noqa: E402
from screw_dynamics.errors import TrajectoryError  # noqa: E402
from screw_dynamics.nodes.feedforward.node import NO_TIME  # noqa: E402
from screw_dynamics.nodes.shared.endpoints import FRAME_ID, STATUS_QOS, STATUS_TOPIC  # noqa: E402
from screw_dynamics.trajectory import TrajectoryFile, TrajectoryPoint, read_trajectory  # noqa: E402
from screw_dynamics_interfaces.msg import FeedforwardTorque  # noqa: E402
from sea_study import loop_client  # noqa: E402
from sea_study.loop_client import LoopClient  # noqa: E402
from sea_study.ros_loop import MOTOR_STATES, TRAJECTORY  # noqa: E402

START, END = '3.000000001', '5.500000002'  # of a trajectory, as `feedforward` answers


@pytest.fixture
def client(monkeypatch):
    monkeypatch.setenv('ROS_AUTOMATIC_DISCOVERY_RANGE', 'LOCALHOST')
    domain = unused_domain()
    rclpy.init(args=[], domain_id=domain)
    client = LoopClient(MOTOR_STATES, [])
    yield client
    client.destroy_node()
    rclpy.try_shutdown()
    release_domain(domain)


@pytest.fixture
def tick(client, monkeypatch):
    """
    A callable that lets two seconds of simulated time pass.

    None pass while a trajectory is on its way to one of the `listeners`.
    """
    clock = client.create_publisher(Clock, '/clock', 10)
    publish, sent = client._publisher.publish, []
    monkeypatch.setattr(
        client._publisher, 'publish', lambda message: (sent.append(message), publish(message))
    )

    def tick():
        if any(len(node.heard) < len(sent) for node in tick.listeners):
            return
        tick.now += 2
        message = Clock()
        message.clock.sec = tick.now
        clock.publish(message)

    tick.now, tick.listeners = 0, []
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
            values = {FRAME_ID: message.header.frame_id, 'start [s]': START, 'end [s]': END}
            items = [KeyValue(key=key, value=value) for key, value in values.items()]
            level = DiagnosticStatus.ERROR if answer else DiagnosticStatus.OK
            self._answers.publish(DiagnosticStatus(level=level, message=answer, values=items))


@pytest.fixture
def answering(client, tick, monkeypatch):
    """A function that starts such a node, and waits until the client knows it."""
    # some seconds with one tick per look: an answer may come late
    monkeypatch.setattr(loop_client, '_ANSWER_TIME', 60 * SECOND)
    nodes = tick.listeners

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
    answering()
    client.send(read_trajectory(TRAJECTORY), 0.0, 60.0, lambda: None)
    with pytest.raises(TimeoutError, match='passed the end by 60 s, waiting for the end'):
        client.wait('the end', lambda: False, 60.0, tick)
    assert tick.now > 60.0 + float(END)


def test_the_end_that_is_held(client, tick, answering):
    """What was sent before is held until the start, and does not count."""

    def hear(stamp, source):
        sample = FeedforwardTorque(source=source)
        set_stamp(sample.header.stamp, round(SECOND * stamp))
        client._on_sample(sample)
        return round(client.elapsed, 6), round(client.held, 6)

    hold, moving = FeedforwardTorque.SOURCE_HOLD, FeedforwardTorque.SOURCE_TRAJECTORY
    answering()
    assert hear(2.0, hold) == (0.0, 0.0)
    client.send(read_trajectory(TRAJECTORY), 0.0, 60.0, lambda: None)
    assert hear(2.5, hold) == (0.0, 0.0)
    assert hear(4.0, moving) == (1.0, 0.0)
    assert hear(6.25, hold) == (3.25, 0.75)


def test_sent_again_with_a_new_start(client, tick, answering):
    node = answering(None, NO_TIME)
    begun = tick.now
    client.send(read_trajectory(TRAJECTORY), 60.0, 600.0, tick)
    starts = [nanoseconds(message.header.stamp) for message in node.heard]
    assert len(starts) == 3
    assert starts == sorted(set(starts))
    assert begun <= starts[0] / SECOND - 60.0 < starts[1] / SECOND - 120.0 < tick.now


def test_rejected(client, tick, answering):
    answering('limit exceeded')
    with pytest.raises(TrajectoryError, match='feedforward rejected .*: limit exceeded'):
        client.send(read_trajectory(TRAJECTORY), 0.0, 60.0, tick)


def test_never_answered(client, tick, answering, monkeypatch):
    monkeypatch.setattr(loop_client, '_ANSWER_TIME', 4 * SECOND)
    node = answering(*[None] * 9)
    with pytest.raises(TimeoutError, match='the answer of feedforward .* sent 5 times'):
        client.send(read_trajectory(TRAJECTORY), 0.0, 60.0, tick)
    assert len(node.heard) == 5


DEMO_START = 1_795_723_285 * SECOND + 1  # seconds as float are too coarse for it
FILE = TrajectoryFile(('a',), (TrajectoryPoint(0.0, (1.0,)), TrajectoryPoint(2.0, (3.0,))))


class Accepted:
    """Verdicts of a node that follows every trajectory for two seconds from `START`."""

    missing = ()

    def __init__(self, *_):
        span = {'start [s]': DEMO_START, 'end [s]': DEMO_START + 2 * SECOND}
        values = [
            KeyValue(key=key, value=f'{instant // SECOND}.{instant % SECOND:09d}')
            for key, instant in span.items()
        ]
        self.statuses = {'feedforward': DiagnosticStatus(values=values)}

    def text(self):
        return 'accepted'


@pytest.fixture
def sender(monkeypatch):
    monkeypatch.setattr(demo_client, 'Verdicts', Accepted)
    monkeypatch.setenv('ROS_AUTOMATIC_DISCOVERY_RANGE', 'LOCALHOST')
    domain = unused_domain()
    rclpy.init(args=[], domain_id=domain)
    sender = DemoClient(share_path(URDF), lambda missing: None)
    yield sender
    sender.destroy_node()
    rclpy.try_shutdown()
    release_domain(domain)


def hear(sender, source, instant):
    """Return how long the end has been held after a sample at an instant from `START` [ns]."""
    sample = FeedforwardTorque(source=source)
    set_stamp(sample.header.stamp, DEMO_START + instant)
    sender._on_sample(sample)
    return sender._held


def test_only_the_end_of_the_trajectory_is_held(sender):
    hold, trajectory = FeedforwardTorque.SOURCE_HOLD, FeedforwardTorque.SOURCE_TRAJECTORY
    assert hear(sender, hold, 9 * SECOND) == 0.0  # nothing was sent
    for file in (FILE, rest(FILE)):
        sender.send(file)
        # what was sent before is held until the start
        assert hear(sender, hold, -SECOND) == 0.0
        assert hear(sender, trajectory, SECOND) == 0.0
        assert hear(sender, hold, 2 * SECOND) == 0.0
        assert hear(sender, hold, 2 * SECOND + 1) == 1e-9
        assert hear(sender, hold, 5 * SECOND // 2) == 0.5


def test_a_trajectory_of_rest():
    resting = rest(FILE)
    assert resting.joint_names == FILE.joint_names
    assert [point.positions for point in resting.points] == [(1.0,), (1.0,)]
    assert 0.0 == resting.points[0].time_from_start < resting.points[1].time_from_start

# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Waiting of the client of the simulated loop: as long as something advances."""

from __future__ import annotations

import os

import pytest

rclpy = pytest.importorskip('rclpy', reason='the nodes need ROS 2 (rclpy)')
pytest.importorskip('screw_dynamics_interfaces', reason='screw_dynamics_interfaces is not built')
if not os.environ.get('AMENT_PREFIX_PATH'):
    pytest.skip('AMENT_PREFIX_PATH is not set', allow_module_level=True)

from rosgraph_msgs.msg import Clock  # noqa: E402

from ros_demo.processes import unused_domain  # noqa: E402
from ros_demo.recording import TORQUE_TOPIC  # noqa: E402
from screw_dynamics.trajectory import read_trajectory  # noqa: E402
from screw_dynamics_interfaces.msg import FeedforwardTorque  # noqa: E402
from sea_study.loop_client import LoopClient  # noqa: E402
from sea_study.ros_loop import TRAJECTORY  # noqa: E402

TIMEOUT = 1.0


@pytest.fixture
def client(monkeypatch):
    monkeypatch.setenv('ROS_AUTOMATIC_DISCOVERY_RANGE', 'LOCALHOST')
    rclpy.init(args=[], domain_id=unused_domain())
    client = LoopClient('/joint_states', [])
    yield client
    client.destroy_node()
    rclpy.try_shutdown()


def test_nothing_advances(client):
    with pytest.raises(TimeoutError, match='nothing advanced for 1 s, waiting for the end'):
        client.wait('the end', lambda: False, TIMEOUT, lambda: None)


def test_samples_are_progress(client):
    """The timeout passes before there are enough of them."""
    publisher = client.create_publisher(FeedforwardTorque, TORQUE_TOPIC, 10)
    heard = []

    def publish():
        publisher.publish(FeedforwardTorque())
        heard.append(client._samples)

    client.wait('samples', lambda: client._samples > 60, 5.0, publish)
    assert heard[-1] >= 60


def test_simulated_time_passes_the_end(client):
    clock = client.create_publisher(Clock, '/clock', 10)
    file = read_trajectory(TRAJECTORY)
    now = 0

    def tick():
        nonlocal now
        now += 2
        message = Clock()
        message.clock.sec = now
        clock.publish(message)

    client.wait('a clock', lambda: client.get_clock().now().nanoseconds, 60.0, tick)
    client.send(file, 2.0)
    with pytest.raises(TimeoutError, match='passed the end by 60 s, waiting for the end'):
        client.wait('the end', lambda: False, 60.0, tick)
    assert now > 60 + file.points[-1].time_from_start

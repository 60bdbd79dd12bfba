# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The recorder process over real DDS: messages come back from the bag as published."""

from __future__ import annotations

import array
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.bag_processes import messages_in, stop, wait_for, wait_for_match
from helpers.patience import patience

pytestmark = pytest.mark.processes

pytest.importorskip('rosbags', reason='bags need the package rosbags')

from screw_dynamics.recordings.bags import Bag  # noqa: E402

COUNT, DEPTH = 400, 10
PERIOD = 0.002  # s


def publish_states(node: Any, publisher: Any, values: np.ndarray) -> None:
    from rclpy.duration import Duration
    from sensor_msgs.msg import JointState

    wait_for_match(publisher)
    message = JointState(name=['b', 'a'])
    for i, row in enumerate(values):
        message.header.stamp.sec = i
        message.position = array.array('d', row)
        publisher.publish(message)
        time.sleep(PERIOD)
        if i % DEPTH == DEPTH - 1:  # what is acknowledged has arrived: the recorder stores it
            assert publisher.wait_for_all_acked(Duration(seconds=patience()))


def test_nothing_is_lost_and_every_bit_comes_back(node: Any, record: Any, tmp_path: Path) -> None:
    from sensor_msgs.msg import JointState

    values = np.random.default_rng(3).normal(size=(COUNT, 2)) * np.pi
    publisher = node.create_publisher(JointState, 'joint_states', DEPTH)
    before = time.time_ns()
    recorder = record('-o', tmp_path / 'bag', 'joint_states')
    publish_states(node, publisher, values)
    log = stop(recorder)
    assert f'{COUNT} messages on 1 topics in {tmp_path / "bag"}, 0 lost' in log
    with Bag(tmp_path / 'bag') as bag:
        arrays = bag.arrays('/joint_states')
    assert arrays['position'].tobytes() == values.tobytes()
    assert arrays['header.stamp'].tolist() == [i * 10**9 for i in range(COUNT)]
    assert arrays['name'] == ('b', 'a')
    assert arrays['velocity'].shape == (COUNT, 0)
    assert np.isfinite(arrays['position']).all()
    assert before < arrays['log_time'][0] < arrays['log_time'][-1] < time.time_ns()
    for positions in (positions_by_rosbags, positions_by_mcap):
        times, found = positions(tmp_path / 'bag')
        assert times == arrays['log_time'].tolist()
        assert np.array(found).tobytes() == values.tobytes(), positions


def positions_by_rosbags(bag: Path) -> tuple[list[int], list[Any]]:
    from rosbags.highlevel import AnyReader

    with AnyReader([bag]) as reader:
        found = [
            (stamp, reader.deserialize(data, connection.msgtype).position)
            for connection, stamp, data in reader.messages()
        ]
    return [stamp for stamp, _ in found], [position for _, position in found]


def positions_by_mcap(bag: Path) -> tuple[list[int], list[Any]]:
    reader = pytest.importorskip('mcap_ros2.reader', reason='an independent reader of bags')
    found = list(reader.read_ros2_messages(str(bag / f'{bag.name}.mcap')))
    return [m.log_time_ns for m in found], [list(m.ros_msg.position) for m in found]


def test_own_messages_and_latched_topics(node: Any, record: Any, tmp_path: Path) -> None:
    from rclpy.qos import DurabilityPolicy, QoSProfile
    from std_msgs.msg import String

    messages = pytest.importorskip(
        'screw_dynamics_interfaces.msg', reason='screw_dynamics_interfaces is not built'
    )
    latched = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
    description = node.create_publisher(String, 'robot_description', latched)
    description.publish(String(data='<robot name="early"/>'))
    torque = node.create_publisher(messages.FeedforwardTorque, 'feedforward', 10)
    recorder = record('-o', tmp_path / 'bag', '--all')
    wait_for_match(torque, description)
    message = messages.FeedforwardTorque(joint_names=['j'], effort=[0.1], reference_snap=[0.3])
    message.reference.positions = [1 / 3]
    message.reference.time_from_start.sec = 2
    torque.publish(message)
    for topic in ('/feedforward', '/robot_description'):
        wait_for(lambda topic=topic: messages_in(tmp_path / 'bag', topic))
    stop(recorder)
    with Bag(tmp_path / 'bag') as bag:
        assert [m.message.data for m in bag.messages(['/robot_description'])] == [
            '<robot name="early"/>'
        ]
        arrays = bag.arrays('/feedforward')
        announced = node.get_publishers_info_by_topic('/feedforward')[0].topic_type_hash
        assert bag.topics['/feedforward'].type_hash == str(announced)
        offered = (tmp_path / 'bag' / 'metadata.yaml').read_text()
    assert arrays['effort'].tolist() == [[0.1]]
    assert arrays['reference.positions'].tolist() == [[1 / 3]]
    assert arrays['reference.time_from_start'].tolist() == [2 * 10**9]
    assert arrays['effort_ddot'].shape == (1, 0)
    assert 'durability: transient_local' in offered


def test_simulated_time(node: Any, record: Any, tmp_path: Path) -> None:
    from builtin_interfaces.msg import Time
    from std_msgs.msg import Float64

    clock_message = pytest.importorskip('rosgraph_msgs.msg').Clock
    clock = node.create_publisher(clock_message, '/clock', 1)
    publisher = node.create_publisher(Float64, 'x', 10)
    recorder = record('-o', tmp_path / 'bag', 'x', '--ros-args', '-p', 'use_sim_time:=true')
    wait_for_match(publisher, clock)
    instant = 42_000_000_005

    def stored() -> list[int]:
        return [found.log_time for found in messages_in(tmp_path / 'bag', '/x')]

    def told() -> bool:
        clock.publish(clock_message(clock=Time(sec=42, nanosec=5)))  # best effort: again
        publisher.publish(Float64(data=1.0))
        return instant in stored()

    wait_for(told)
    stop(recorder)
    assert set(stored()) <= {0, instant}  # 0 before the recorder has heard the clock

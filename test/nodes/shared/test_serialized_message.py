# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Numbers written into the bytes of a message are those of its fields."""

from __future__ import annotations

import numpy as np
import pytest
from geometry_msgs.msg import WrenchStamped
from rclpy._rclpy_pybind11 import RMWError
from rclpy.serialization import deserialize_message, serialize_message
from sensor_msgs.msg import JointState

from screw_dynamics.messages.joints import double_array
from screw_dynamics.messages.times import nanoseconds, set_stamp
from screw_dynamics.nodes.shared import serialized_message
from screw_dynamics.nodes.shared.serialized_message import SerializedMessage
from screw_dynamics_interfaces.msg import FeedforwardTorque, MotorFeedforward

START = 1_700_000_000_123_456_789
EFFORTS = ('effort', 'effort_dot', 'effort_ddot')
MOTIONS = tuple(f'reference.{name}' for name in ('positions', 'velocities', 'accelerations'))
TIMES = ('header.stamp', 'reference.time_from_start')
NUMBERS = ('reference_continuity', 'source', 'motion')
MOTION = 2**63 + 5


def message_of(names):
    return FeedforwardTorque(joint_names=names)


@pytest.mark.parametrize('n', [1, 2, 3, 7, 40])
def test_the_fields_are_what_was_written(n):
    """Fields next to each other, others between, in arrays, parts and bytes of any alignment."""
    names = [f'joint_{"x" * i}' for i in range(n)]
    rng = np.random.default_rng(n)
    tau, jet = np.zeros((3, n)), np.zeros((5, n))
    written = SerializedMessage(
        message_of(names),
        {EFFORTS: tau, MOTIONS: jet[:3], ('reference_jerk', 'reference_snap'): jet[3:], (): tau},
        TIMES,
        NUMBERS,
    )
    for step, elapsed in ((0, -5), (10**9, 7 * 10**9 + 3)):
        tau[:], jet[:] = rng.normal(size=tau.shape), rng.normal(size=jet.shape)
        expected = message_of(names)
        set_stamp(expected.header.stamp, START + step)
        set_stamp(expected.reference.time_from_start, elapsed)
        expected.reference_continuity, expected.source, expected.motion = 4, 255, MOTION
        for owner, fields, rows in (
            (expected, EFFORTS, tau),
            (expected.reference, [name.partition('.')[2] for name in MOTIONS], jet),
            (expected, ('reference_jerk', 'reference_snap'), jet[3:]),
        ):
            for field, row in zip(fields, rows, strict=False):
                setattr(owner, field, double_array(row))
        got = written.written((START + step, elapsed), (4, 255, MOTION))
        assert deserialize_message(got, FeedforwardTorque) == expected


def test_single_numbers_in_any_order():
    components = np.arange(1.0, 7.0).reshape(6, 1)
    fields = tuple(f'wrench.{part}.{axis}' for part in ('torque', 'force') for axis in 'xyz')
    message = WrenchStamped()
    message.header.frame_id = 'tool'
    written = SerializedMessage(message, {fields: components}, ('header.stamp',))
    got = deserialize_message(written.written((START,)), WrenchStamped)
    torque, force = got.wrench.torque, got.wrench.force
    assert [torque.x, torque.y, torque.z, force.x, force.y, force.z] == [1, 2, 3, 4, 5, 6]
    assert got.header.frame_id == 'tool'
    assert (got.header.stamp.sec, got.header.stamp.nanosec) == divmod(START, 10**9)


@pytest.mark.parametrize('n', [1, 2, 3, 7])
def test_nothing_follows_the_message(n):
    """What rclpy returns is longer, with bytes that were in the memory before."""
    names = [f'joint_{i}' for i in range(n)]
    written = SerializedMessage(message_of(names), {EFFORTS: np.ones((3, n))}, TIMES, NUMBERS)
    data = written.written((START, 5), (4, 2, MOTION))
    assert len(data) < len(serialize_message(deserialize_message(data, FeedforwardTorque)))
    with pytest.raises(RMWError):
        deserialize_message(data[:-1], FeedforwardTorque)


def test_the_middleware_prints_nothing(capfd):
    """It does about sequences that are cut off."""
    names, efforts = [f'joint_{i}' for i in range(30)], np.ones((2, 30))
    message = MotorFeedforward(joint_names=names)
    written = SerializedMessage(message, {('effort', 'deflection'): efforts}, (), NUMBERS)
    got = deserialize_message(written.written((), (4, 2, MOTION)), MotorFeedforward)
    assert list(got.deflection) == [1.0] * 30
    assert capfd.readouterr() == ('', '')


def test_a_message_that_ends_with_another_field_is_filled():
    positions = np.ones((1, 2))
    message = JointState(name=['a', 'b'], effort=[3.0, 4.0])
    got = SerializedMessage(message, {('position',): positions}).written()
    assert isinstance(got, JointState)
    assert (list(got.position), list(got.effort)) == ([1.0, 1.0], [3.0, 4.0])


def test_bytes_of_no_field_may_change_all_the_time(monkeypatch):
    """Those between fields are left over from other uses of the memory."""
    rng, tail = np.random.default_rng(5), 1000

    def serialize(message):
        return serialize_message(message) + rng.choice([0, 255], tail).astype(np.uint8).tobytes()

    monkeypatch.setattr(serialized_message, 'serialize_message', serialize)
    written = SerializedMessage(message_of(['a', 'b', 'c']), {}, (), NUMBERS)
    got = deserialize_message(written.written((), (3, 2, MOTION)), FeedforwardTorque)
    assert (got.reference_continuity, got.source, got.motion) == (3, 2, MOTION)


def other_end_first(message):
    return bytes(4) + serialize_message(message)[4:][::-1]


def inverted(message):
    return bytes(255 - byte for byte in serialize_message(message))


def of_any_length(message):
    data = serialize_message(message)
    return inverted(message) + bytes(sum(data) % 7)


@pytest.mark.parametrize(
    'serialize', [other_end_first, inverted, of_any_length, lambda message: b'constant']
)
def test_of_another_serialisation_the_message_is_filled(monkeypatch, serialize):
    """What is published then is the message, with the numbers of each call."""
    monkeypatch.setattr(serialized_message, 'serialize_message', serialize)
    names, tau, jet = ['a', 'b', 'c'], np.zeros((3, 3)), np.zeros((3, 3))
    rows = {EFFORTS: tau, MOTIONS: jet}
    written = SerializedMessage(message_of(names), rows, TIMES, NUMBERS)
    for step in (1.0, -2.0):
        tau[:], jet[:] = step * np.arange(9.0).reshape(3, 3), step
        got = written.written((START, -5), (4, 2, MOTION))
        assert isinstance(got, FeedforwardTorque)
        for owner, fields, values in (
            (got, EFFORTS, tau),
            (got.reference, [name.partition('.')[2] for name in MOTIONS], jet),
        ):
            for field, row in zip(fields, values, strict=True):
                assert list(getattr(owner, field)) == row.tolist()
        assert nanoseconds(got.header.stamp) == START
        assert nanoseconds(got.reference.time_from_start) == -5
        assert (got.reference_continuity, got.source, list(got.reference_jerk)) == (4, 2, [])


def test_of_another_serialisation_single_numbers_are_filled(monkeypatch):
    monkeypatch.setattr(serialized_message, 'serialize_message', inverted)
    fields = tuple(f'wrench.force.{axis}' for axis in 'xyz')
    components = np.array([[1.0], [2.0], [3.0]])
    force = SerializedMessage(WrenchStamped(), {fields: components}).written().wrench.force
    assert (force.x, force.y, force.z) == (1.0, 2.0, 3.0)

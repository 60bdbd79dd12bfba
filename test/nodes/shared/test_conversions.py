# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Errors to codes; messages that are used again."""

import numpy as np
import pytest
from geometry_msgs.msg import WrenchStamped
from rclpy.serialization import deserialize_message, serialize_message

from screw_dynamics.common.times import set_stamp
from screw_dynamics.errors import (
    InputError,
    NotFiniteError,
    ShapeError,
    TrajectoryError,
    UnknownNameError,
)
from screw_dynamics.nodes.dynamics_server import requests
from screw_dynamics.nodes.shared.endpoints import ReusedMessage
from screw_dynamics.recordings.messages import joints
from screw_dynamics.recordings.messages.joints import double_array
from screw_dynamics_interfaces.msg import FeedforwardTorque
from screw_dynamics_interfaces.srv import GetMassMatrix

NAMES = ('a', 'b', 'c')


@pytest.mark.parametrize(
    'error, name',
    [
        (InputError('x'), 'INVALID_REQUEST'),
        (ShapeError('q', '(7,)', (6,)), 'INVALID_REQUEST'),
        (TrajectoryError('x'), 'INVALID_REQUEST'),
        (UnknownNameError('frame', 'x', []), 'INVALID_REQUEST'),
        (UnknownNameError('joint', 'x', []), 'INVALID_JOINTS'),
        (joints.JointNamesError('x'), 'INVALID_JOINTS'),
        (NotFiniteError('q', (0,), float('nan')), 'NOT_FINITE'),
        (requests.NoModelError('x'), 'NO_MODEL'),
        (requests.LimitError('x'), 'LIMIT_EXCEEDED'),
    ],
)
def test_codes_are_those_of_the_services(error, name):
    assert requests.error_code(error) == getattr(GetMassMatrix.Response, name)


START = 1_700_000_000_123_456_789
EFFORTS = ('effort', 'effort_dot', 'effort_ddot')
MOTIONS = tuple(f'reference.{name}' for name in ('positions', 'velocities', 'accelerations'))
TIMES = ('header.stamp', 'reference.time_from_start')
NUMBERS = ('reference_continuity', 'source', 'motion')
MOTION = 2**63 + 5


def published(message):
    return deserialize_message(serialize_message(message), type(message))


def message_of(names):
    return FeedforwardTorque(joint_names=names)


@pytest.mark.parametrize('n', [1, 2, 3, 7, 40])
def test_the_fields_are_what_was_written(n):
    names = [f'joint_{"x" * i}' for i in range(n)]
    rng = np.random.default_rng(n)
    tau, jet = np.zeros((3, n)), np.zeros((5, n))
    written = ReusedMessage(
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
        for owner, parts, rows in (
            (expected, EFFORTS, tau),
            (expected.reference, [name.partition('.')[2] for name in MOTIONS], jet),
            (expected, ('reference_jerk', 'reference_snap'), jet[3:]),
        ):
            for field, row in zip(parts, rows, strict=False):
                setattr(owner, field, double_array(row))
        got = written.written((START + step, elapsed), (4, 255, MOTION))
        assert published(got) == expected


def test_single_numbers_in_any_order():
    components = np.arange(1.0, 7.0).reshape(6, 1)
    fields = tuple(f'wrench.{part}.{axis}' for part in ('torque', 'force') for axis in 'xyz')
    message = WrenchStamped()
    message.header.frame_id = 'tool'
    written = ReusedMessage(message, {fields: components}, ('header.stamp',))
    got = published(written.written((START,)))
    torque, force = got.wrench.torque, got.wrench.force
    assert [torque.x, torque.y, torque.z, force.x, force.y, force.z] == [1, 2, 3, 4, 5, 6]
    assert got.header.frame_id == 'tool'
    assert (got.header.stamp.sec, got.header.stamp.nanosec) == divmod(START, 10**9)

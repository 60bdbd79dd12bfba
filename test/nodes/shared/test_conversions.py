# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Messages to arrays and back; errors to codes."""

from __future__ import annotations

from array import array

import numpy as np
import pytest
from builtin_interfaces.msg import Duration, Time
from helpers.node_processes import trajectory
from sensor_msgs.msg import JointState

from screw_dynamics.common import times
from screw_dynamics.errors import (
    InputError,
    NotFiniteError,
    ShapeError,
    TrajectoryError,
    UnknownNameError,
)
from screw_dynamics.nodes.dynamics_server import requests
from screw_dynamics.recordings.messages import joints
from screw_dynamics.recordings.messages import joints as fields
from screw_dynamics.recordings.messages import joints as trajectories
from screw_dynamics_interfaces.srv import GetMassMatrix

NAMES = ('a', 'b', 'c')


@pytest.mark.parametrize('time', [0, 1, 999_999_999, 1_700_000_000_123_456_789])
def test_stamps(time):
    stamp = Time()
    times.set_stamp(stamp, time)
    assert times.nanoseconds(stamp) == time


def test_negative_durations():
    duration = Duration()
    times.set_stamp(duration, -250_000_000)
    assert (duration.sec, duration.nanosec) == (-1, 750_000_000)
    assert times.seconds(duration) == -0.25


def test_double_arrays_are_row_major():
    result = fields.double_array(np.arange(6).reshape(2, 3).T)
    assert result == array('d', [0, 3, 1, 4, 2, 5])


def test_joint_order():
    order = joints.joint_order(['c', 'a', 'b'], NAMES)
    np.testing.assert_array_equal(np.array(['c', 'a', 'b'])[order], NAMES)
    np.testing.assert_array_equal(joints.joint_order([], NAMES), [0, 1, 2])


@pytest.mark.parametrize(
    'names, message',
    [
        (['a', 'b', 'x'], r"joint_names\[2\]: unknown joint 'x', expected one of a, b, c"),
        (['a', 'b', 'b'], r"joint_names\[2\]: joint 'b' is named twice, first at place 1"),
        (['c', 'a'], r'expected all 3 joints \(a, b, c\), got 2; missing: b'),
    ],
)
def test_bad_joint_names(names, message):
    with pytest.raises(joints.JointNamesError, match=message):
        joints.joint_order(names, NAMES)


def test_request_rows():
    order = joints.joint_order(['c', 'a', 'b'], NAMES)
    np.testing.assert_array_equal(joints.request_row('q', [3.0, 1.0, 2.0], order), [1, 2, 3])
    np.testing.assert_array_equal(joints.request_row('q', [], order), np.zeros(3))
    with pytest.raises(ShapeError, match=r'q: expected shape \(3,\), one value per joint, got'):
        joints.request_row('q', [1.0], order)


def test_trajectory_points():
    points = trajectories.trajectory_points(trajectory(['a'], [1.0], [2.0], times=[0.5, 1.25]))
    assert [point.time_from_start for point in points] == [0.5, 1.25]
    assert [list(point.positions) for point in points] == [[1.0], [2.0]]
    assert not len(points[0].velocities)


class TestJointStates:
    """Any order, further joints, broken ones."""

    def test_order_and_further_joints(self):
        message = JointState(name=['x', 'c', 'a'], position=[9.0, 3.0, 1.0])
        positions, velocities = joints.joint_state_rows(message, NAMES)
        np.testing.assert_array_equal(positions, [1.0, np.nan, 3.0])
        assert np.isnan(velocities).all()

    def test_sizes_must_agree(self):
        message = JointState(name=['a', 'b'], position=[1.0])
        with pytest.raises(InputError, match="expected 2 values in 'position' .* or none, got 1"):
            joints.joint_state_rows(message, NAMES)


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

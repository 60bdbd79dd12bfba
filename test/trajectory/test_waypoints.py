# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Points as they arrive become waypoints in model order, or an error that says why not."""

from __future__ import annotations

import math

import numpy as np
import pytest

from screw_dynamics.errors import TrajectoryError
from screw_dynamics.trajectory import TrajectoryPoint, waypoints_from_points

NAMES = ['a', 'b']
REST = [(0.0, [0.0, 0.0]), (1.0, [1.0, 2.0])]


def test_values_are_put_into_model_order_and_absent_ones_are_nan():
    waypoints = waypoints_from_points(
        ['c', 'a', 'b'],
        [
            TrajectoryPoint(0.5, [3.0, 1.0, 2.0], [30.0, 10.0, 20.0], [300.0, 100.0, 200.0]),
            TrajectoryPoint(2.0, [6.0, 4.0, 5.0]),
        ],
        ['a', 'b', 'c'],
    )
    assert waypoints.joint_names == ('a', 'b', 'c')
    np.testing.assert_array_equal(waypoints.times, [0.5, 2.0])
    np.testing.assert_array_equal(waypoints.positions, [[1, 2, 3], [4, 5, 6]])
    np.testing.assert_array_equal(waypoints.velocities, [[10, 20, 30], [np.nan] * 3])
    np.testing.assert_array_equal(waypoints.accelerations, [[100, 200, 300], [np.nan] * 3])
    assert not waypoints.positions.flags.writeable


def test_a_single_point_is_legal():
    assert waypoints_from_points(NAMES, REST[:1], NAMES).positions.shape == (1, 2)


def test_the_first_time_may_be_zero_or_later_and_accelerations_may_be_left_out():
    points = [(0.5, [0.0, 0.0], [1.0, 1.0]), (1.0, [1.0, 2.0], [0.0, 0.0], [1.0, 1.0])]
    waypoints = waypoints_from_points(NAMES, points, NAMES)
    assert waypoints.times[0] == 0.5
    assert np.isnan(waypoints.accelerations[0]).all()


BAD = {
    'empty trajectory': (NAMES, [], 'Empty trajectory received.'),
    'no names': ([], REST, 'Empty joint names on incoming trajectory: expected a, b'),
    'unknown joint': (
        ['a', 'x'],
        REST,
        "Incoming joint x doesn't match the joints: a, b",
    ),
    'mimic joint': (
        ['a', 'm'],
        REST,
        'Incoming joint m cannot be commanded: it is a mimic joint; expected joints: a, b',
    ),
    'duplicate joint': (
        ['a', 'a'],
        REST,
        'Joint a is named twice on incoming trajectory, at places 0 and 1',
    ),
    'missing joint': (
        ['a'],
        [(0.0, [0.0])],
        "Joints on incoming trajectory don't match the joints: expected 2, got 1; missing: b",
    ),
    'no positions': (
        NAMES,
        [(0.0, [], [1.0, 1.0])],
        'Point #0 has no positions: expected 2; positions are not integrated from velocities '
        'or accelerations',
    ),
    'positions size': (
        NAMES,
        [REST[0], (1.0, [1.0])],
        'Mismatch between joint_names size (2) and positions (1) at point #1.',
    ),
    'velocities size': (
        NAMES,
        [(0.0, [0.0, 0.0], [1.0, 1.0, 1.0])],
        'Mismatch between joint_names size (2) and velocities (3) at point #0.',
    ),
    'accelerations size': (
        NAMES,
        [(0.0, [0.0, 0.0], [0.0, 0.0], [1.0])],
        'Mismatch between joint_names size (2) and accelerations (1) at point #0.',
    ),
    'accelerations alone': (
        NAMES,
        [(0.0, [0.0, 0.0], [], [1.0, 1.0])],
        'Point #0 has accelerations but no velocities: expected both or neither',
    ),
    'equal times': (
        NAMES,
        [*REST, (1.0, [0.0, 0.0])],
        'Time between points 1 and 2 is not strictly increasing, it is 1.000000 and 1.000000 '
        'respectively',
    ),
    'negative time': (
        NAMES,
        [(-0.5, [0.0, 0.0])],
        'time_from_start of point #0 is negative: -0.500000',
    ),
    'time is nan': (
        NAMES,
        [REST[0], (math.nan, [0.0, 0.0])],
        'time_from_start of point #1: expected a number, got nan',
    ),
    'position is nan': (
        ['b', 'a'],
        [REST[0], (1.0, [0.0, math.nan])],
        'positions of joint a at point #1: expected a finite number, got nan',
    ),
    'velocity is infinite': (
        NAMES,
        [(0.0, [0.0, 0.0], [0.0, -math.inf])],
        'velocities of joint b at point #0: expected a finite number, got -inf',
    ),
    'acceleration is nan': (
        NAMES,
        [(0.0, [0.0, 0.0], [0.0, 0.0], [math.nan, 0.0])],
        'accelerations of joint a at point #0: expected a finite number, got nan',
    ),
    'moving end': (
        NAMES,
        [REST[0], (1.0, [1.0, 2.0], [0.0, 0.25])],
        'Velocity of last trajectory point of joint b is not zero: 0.250000',
    ),
}


@pytest.mark.parametrize('case', BAD)
def test_bad_input_is_rejected_with_its_text(case):
    names, points, text = BAD[case]
    with pytest.raises(TrajectoryError) as caught:
        waypoints_from_points(names, points, NAMES, other_joints={'m': 'a mimic joint'})
    assert str(caught.value) == text


def test_a_moving_end_can_be_allowed():
    points = [REST[0], (1.0, [1.0, 2.0], [0.0, 0.25])]
    waypoints = waypoints_from_points(NAMES, points, NAMES, allow_nonzero_end_velocity=True)
    assert waypoints.velocities[-1, 1] == 0.25


def test_an_end_velocity_of_single_precision_rounding_counts_as_rest():
    waypoints = waypoints_from_points(NAMES, [(0.0, [0.0, 0.0], [1e-7, 0.0])], NAMES)
    np.testing.assert_array_equal(waypoints.velocities, 0.0)


def test_left_out_joints_hold_their_position_at_rest():
    waypoints = waypoints_from_points(
        ['b'],
        [(0.0, [0.0]), (1.0, [2.0])],
        NAMES,
        allow_partial_joints=True,
        hold_positions=[0.7, math.nan],
    )
    np.testing.assert_array_equal(waypoints.positions, [[0.7, 0.0], [0.7, 2.0]])
    np.testing.assert_array_equal(waypoints.velocities[:, 0], 0.0)
    np.testing.assert_array_equal(waypoints.accelerations[:, 0], 0.0)
    assert np.isnan(waypoints.velocities[:, 1]).all()


@pytest.mark.parametrize(
    ('hold', 'text'),
    [
        (None, 'the trajectory leaves out a: expected positions to hold there, none is known'),
        ([1.0], 'hold_positions: expected 2 values, got (1,)'),
        (
            [math.nan, 1.0],
            'the trajectory leaves out a: expected a finite position to hold, got nan',
        ),
    ],
)
def test_left_out_joints_need_a_known_position(hold, text):
    with pytest.raises(TrajectoryError) as caught:
        waypoints_from_points(
            ['b'], [(0.0, [0.0])], NAMES, allow_partial_joints=True, hold_positions=hold
        )
    assert str(caught.value) == text

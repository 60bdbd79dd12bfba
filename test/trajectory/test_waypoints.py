# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Waypoints of trajectories, and the rules of their start."""

import math
import re

import numpy as np
import pytest

from screw_dynamics.errors import InputError, NotFiniteError, ShapeError, TrajectoryError
from screw_dynamics.series.jets import scale_speed
from screw_dynamics.trajectory import (
    TrajectoryPoint,
    Waypoints,
    check_position_limits,
    jtc_trajectory,
    nearest_turn,
    require_end_in_future,
    smooth_trajectory,
    waypoints_from_points,
)

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
    'unknown joint': (['a', 'x'], REST, "Incoming joint x doesn't match the joints: a, b"),
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
    'no names at all': (None, REST, 'joint_names: expected a sequence of names, got None'),
    'no point': (
        NAMES,
        [REST[0], None],
        'Point #1: expected time_from_start, positions and, if present, velocities and '
        'accelerations, got None',
    ),
    'time is text': (
        NAMES,
        [('x', [0.0, 0.0])],
        'time_from_start: expected real numbers, got dtype <U1',
    ),
    'positions are rows': (
        NAMES,
        [(0.0, [[0.0], [1.0]])],
        'positions at point #0: expected a row of numbers, got shape (2, 1)',
    ),
    'step too short': (
        NAMES,
        [REST[0], (1e-300, [1.0, 2.0])],
        'Time between points 0 and 1: expected at least 1e-10 s, got 1e-300 s',
    ),
    'time too late': (
        NAMES,
        [REST[0], (1e300, [1.0, 2.0])],
        'time_from_start of point #1: expected at most 1e+10 s, got 1e+300 s',
    ),
    'position too large': (
        NAMES,
        [REST[0], (1.0, [0.0, -1e308])],
        'positions of joint b at point #1: expected at most 1e+100 in size, got -1e+308',
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


def test_waypoints_leave_the_arrays_of_the_caller_alone():
    times, rows = np.array([0.0, 1.0]), np.zeros((2, 1))
    waypoints = Waypoints(['a'], times, rows, rows, rows)
    times[1], rows[1] = 2.0, 3.0
    assert waypoints.joint_names == ('a',)
    np.testing.assert_array_equal(waypoints.times, [0.0, 1.0])
    for array in (waypoints.positions, waypoints.velocities, waypoints.accelerations):
        np.testing.assert_array_equal(array, 0.0)
        assert not array.flags.writeable


def test_arrays_that_do_not_fit_together_are_named():
    rows = np.zeros((2, 1))
    with pytest.raises(ShapeError, match=r'velocities: expected shape \(2, 1\), got \(1, 2\)'):
        Waypoints(('a',), np.array([0.0, 1.0]), rows, rows.T, rows)
    with pytest.raises(TrajectoryError, match='not strictly increasing'):
        Waypoints(('a',), np.array([1.0, 1.0]), rows, rows, rows)


@pytest.mark.parametrize(
    ('field', 'value', 'error', 'message'),
    [
        ('positions', math.nan, NotFiniteError, 'expected a finite number, got nan'),
        ('positions', -math.inf, NotFiniteError, 'expected a finite number, got -inf'),
        ('velocities', math.inf, NotFiniteError, 'expected a finite number, got inf'),
        ('accelerations', -math.inf, NotFiniteError, 'expected a finite number, got -inf'),
        ('positions', -1e300, TrajectoryError, 'expected at most 1e+100 in size, got -1e+300'),
        ('velocities', 1e101, TrajectoryError, 'expected at most 1e+100 in size, got 1e+101'),
    ],
)
@pytest.mark.parametrize('point', [0, 1, 2])
def test_values_that_no_point_has_are_named(field, value, error, message, point):
    arrays = {name: np.zeros((3, 2)) for name in ('positions', 'velocities', 'accelerations')}
    arrays[field][point, 1] = value
    text = f"{field}[{point}, 1] (point #{point}, joint 'b'): {message}"
    with pytest.raises(error, match=re.escape(text)):
        Waypoints(('a', 'b'), np.arange(3.0), **arrays)


@pytest.mark.parametrize('interpolation', [smooth_trajectory, jtc_trajectory])
def test_a_start_state_beyond_the_bounds_is_rejected(interpolation):
    start = np.zeros((5, 2))
    start[4, 1] = -1e300
    message = r'start_jet\[4, 1\]: expected at most 1e\+100 in size, got -1e\+300'
    with pytest.raises(TrajectoryError, match=message):
        interpolation(waypoints_from_points(NAMES, REST, NAMES), start)


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
        (None, 'the trajectory leaves out a: expected positions to hold, but none are known'),
        ([1.0], 'hold_positions: expected 2 values, got (1,)'),
        (
            [math.nan, 1.0],
            'the trajectory leaves out a: expected a finite position to hold, at most 1e+100 in '
            'size, got nan',
        ),
    ],
)
def test_left_out_joints_need_a_known_position(hold, text):
    with pytest.raises(TrajectoryError) as caught:
        waypoints_from_points(
            ['b'], [(0.0, [0.0])], NAMES, allow_partial_joints=True, hold_positions=hold
        )
    assert str(caught.value) == text


@pytest.mark.parametrize('interpolation', [smooth_trajectory, jtc_trajectory])
@pytest.mark.parametrize('points', [[(0.0, [0.0]), (1.0, [1.0])], None, np.zeros((2, 3))])
def test_points_that_are_no_waypoints_are_refused(interpolation, points):
    with pytest.raises(InputError, match='^waypoints: expected Waypoints, such as .*_points ret'):
        interpolation(points)


WAYPOINTS = waypoints_from_points(
    ['a', 'b'], [(0.0, [0.0, 10.0]), (1.0, [2.0, 0.0]), (2.0, [-3.0, 0.0])], ['a', 'b']
)


def test_a_trajectory_that_is_over_is_rejected():
    """From just behind its end on; without a start time it begins now."""
    for start, now in ((0.0, 100.0), (5.0, 7.0), (5.0, 6.0), (5.0, 0.0)):
        require_end_in_future(WAYPOINTS, start, now)
    with pytest.raises(TrajectoryError):
        require_end_in_future(WAYPOINTS, 5.0, np.nextafter(7.0, 8.0))
    with pytest.raises(TrajectoryError) as caught:
        require_end_in_future(WAYPOINTS, 5.0, 7.5)
    assert str(caught.value) == (
        'Received trajectory with non-zero start time (5.000000) that ends in the past '
        '(7.000000, now 7.500000)'
    )


def test_only_continuous_joints_are_shifted_and_by_whole_turns():
    start = np.array([[1.0, -1.0], [0.5, 0.5]])
    shifted = nearest_turn(start, WAYPOINTS, {'b'})
    np.testing.assert_allclose(shifted, [[1.0, -1.0 + 4.0 * math.pi], [0.5, 0.5]], rtol=1e-15)
    assert start[0, 1] == -1.0


def test_limit_violations_are_data():
    lower, upper = np.array([-2.5, -np.inf]), np.array([1.5, 9.0])
    found = check_position_limits(WAYPOINTS, lower, upper, 'warn')
    assert [(v.point, v.joint, v.position) for v in found] == [
        (0, 'b', 10.0),
        (1, 'a', 2.0),
        (2, 'a', -3.0),
    ]
    assert str(found[1]) == ('position of joint a at point #1: expected within [-2.5, 1.5], got 2')
    assert check_position_limits(WAYPOINTS, lower, upper, 'off') == ()
    with pytest.raises(TrajectoryError, match=r'joint b at point #0.*\(and 2 more\)$'):
        check_position_limits(WAYPOINTS, lower, upper, 'reject')


def test_points_on_the_limits_are_inside():
    lower, upper = np.array([-3.0, 0.0]), np.array([2.0, 10.0])
    assert check_position_limits(WAYPOINTS, lower, upper, 'reject') == ()


def test_an_unknown_mode_is_named():
    with pytest.raises(InputError, match="mode: expected one of off, warn, reject, got 'no'"):
        check_position_limits(WAYPOINTS, np.zeros(2), np.zeros(2), 'no')


def test_speed_scaling_follows_the_chain_rule():
    jet = np.ones((5, 2))
    assert scale_speed(jet, 0.5) is jet
    np.testing.assert_array_equal(jet[:, 0], [1.0, 0.5, 0.25, 0.125, 0.0625])
    np.testing.assert_array_equal(scale_speed(np.ones((5, 1)), 0.0)[:, 0], [1, 0, 0, 0, 0])

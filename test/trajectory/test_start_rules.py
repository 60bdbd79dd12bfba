# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Stamps in the past, whole turns of continuous joints, position limits, speed scaling."""

from __future__ import annotations

import math

import numpy as np
import pytest

from screw_dynamics.errors import InputError, TrajectoryError
from screw_dynamics.series.jets import scale_speed
from screw_dynamics.trajectory import (
    check_position_limits,
    nearest_turn,
    require_end_in_future,
    waypoints_from_points,
)

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
    with pytest.raises(InputError, match="mode: expected 'off', 'warn' or 'reject', got 'no'"):
        check_position_limits(WAYPOINTS, np.zeros(2), np.zeros(2), 'no')


def test_speed_scaling_follows_the_chain_rule():
    jet = np.ones((5, 2))
    assert scale_speed(jet, 0.5) is jet
    np.testing.assert_array_equal(jet[:, 0], [1.0, 0.5, 0.25, 0.125, 0.0625])
    np.testing.assert_array_equal(scale_speed(np.ones((5, 1)), 0.0)[:, 0], [1, 0, 0, 0, 0])

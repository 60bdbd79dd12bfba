# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""joint_trajectory_controller's rules, from an independent transcription of each segment."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from oracles.controller_trajectory import through
from strategies import one_joint, with_derivatives

from screw_dynamics.errors import TrajectoryError
from screw_dynamics.trajectory import jtc_trajectory

START = np.array([[0.3], [0.5], [-1.0], [2.0], [-7.0]])


CASES = {
    'linear': [[0.0], [1.0], [0.5]],
    'cubic': [[0.0, 0.0], [1.0, 0.7], [0.5, 0.0]],
    'quintic': [[0.0, 0.0, 0.0], [1.0, 0.7, -0.3], [0.5, 0.0, 0.0]],
    'falling to what both carry': [[0.0, 0.0, 0.0], [1.0, 0.7], [0.5, 0.0, 0.1]],
    'mixed with linear': [[0.0, 0.0, 0.0], [1.0, 0.7, 0.2], [0.5]],
}
TIMES = np.array([0.0, 0.8, 3.0])


def case_waypoints(points, times=TIMES):
    padded = [list(p) + [None] * (3 - len(p)) for p in points]
    return one_joint(times, *(list(column) for column in zip(*padded, strict=True)))


@pytest.mark.parametrize('case', CASES)
@pytest.mark.parametrize('t', [-0.5, 0.0, 0.3, 0.7999, 0.8, 2.0, 2.9999, 3.0, 4.0])
def test_every_kind_of_segment(case, t):
    points = CASES[case]
    jet = jtc_trajectory(case_waypoints(points)).jets([t], rows=3)[0, :, 0]
    np.testing.assert_allclose(jet, through(TIMES, points, t), rtol=1e-11, atol=1e-11)


@pytest.mark.parametrize('case', CASES)
def test_a_later_first_point_is_reached_from_the_start_state(case):
    points = CASES[case]
    trajectory = jtc_trajectory(case_waypoints(points, TIMES + 0.5), START)
    with_start = [list(START[:3, 0]), *points]
    for t in (0.0, 0.2, 0.499, 0.5, 1.0):
        expected = through(np.append(0.0, TIMES + 0.5), with_start, t)
        jet = trajectory.jets([t], rows=3)[0, :, 0]
        np.testing.assert_allclose(jet, expected, rtol=1e-11, atol=1e-11)


def exact_cubic(ends, length, elapsed):
    """Return position, velocity, acceleration in rational arithmetic; times in ns."""
    (p0, v0), (p1, v1) = ((Fraction(p), Fraction(v)) for p, v in ends)
    h, t = Fraction(length, 10**9), Fraction(elapsed, 10**9)
    c2 = (3 * (p1 - p0) - (2 * v0 + v1) * h) / h**2
    c3 = (2 * (p0 - p1) + (v0 + v1) * h) / h**3
    return [
        float(x)
        for x in (
            p0 + v0 * t + c2 * t**2 + c3 * t**3,
            v0 + 2 * c2 * t + 3 * c3 * t**2,
            2 * c2 + 6 * c3 * t,
        )
    ]


@pytest.mark.parametrize('length', [1_001, 10_001, 1_000_001, 33_333_333, 700_000_001])
def test_odd_nanoseconds(length):
    """A segment at a second or so: exact to the rounding of its ends, times in double seconds."""
    begin, ends = 1_333_333_333, [[0.7, 0.3], [0.7 + 0.9e-9 * length, -0.8]]
    times = [0.0, 1e-9 * begin, 1e-9 * (begin + length)]
    trajectory = jtc_trajectory(case_waypoints([[0.0, 0.0], *ends], times))
    h = 1e-9 * length
    rounding = 4.0 * np.finfo(float).eps * times[-1] / h
    for elapsed in (0, length // 3, length // 2 + 1, length - 1):
        jet = trajectory.jets([1e-9 * (begin + elapsed)], rows=3)[0, :, 0]
        expected = exact_cubic(ends, length, elapsed)
        # a polynomial of this length has derivatives of at most this size
        size = 6.0 * (0.9 + 0.3 + 0.8) * np.array([h, 1.0, 1.0 / h])
        assert (np.abs(jet - expected) <= rounding * size + [1e-15, 0.0, 0.0]).all()


@given(with_derivatives())
def test_points_are_honoured_and_positions_continuous(waypoints):
    trajectory = jtc_trajectory(waypoints)
    jets = trajectory.jets(waypoints.times, rows=1)
    np.testing.assert_array_equal(jets[:, 0], waypoints.positions)
    ends = trajectory.coefficients.sum(axis=1)
    size = np.abs(trajectory.coefficients).sum(axis=1)
    assert (np.abs(ends - waypoints.positions[1:]) <= 1e-14 * size).all()


@pytest.mark.parametrize(
    ('case', 'continuity'),
    [('linear', 0), ('cubic', 1), ('quintic', 2), ('falling to what both carry', 1)],
)
def test_continuity_is_that_of_the_roughest_segment(case, continuity):
    assert jtc_trajectory(case_waypoints(CASES[case])).continuity == continuity


def test_a_quintic_that_ends_with_an_acceleration_is_c1():
    points = [[0.0, 0.0, 0.0], [1.0, 0.0, -0.3]]
    assert jtc_trajectory(case_waypoints(points, [0.0, 1.0])).continuity == 1


def test_a_start_that_is_handed_over_moving_breaks_no_join():
    points = [[1.0, 0.7, -0.3], [0.5, 0.0, 0.0]]
    assert jtc_trajectory(case_waypoints(points, [1.0, 2.0]), START).continuity == 2
    assert jtc_trajectory(case_waypoints(points, [0.0, 2.0])).continuity == 0


def test_a_first_point_at_zero_is_where_the_reference_starts():
    trajectory = jtc_trajectory(case_waypoints(CASES['cubic']), START)
    assert trajectory.jets([0.0])[0, 0, 0] == 0.0


def test_single_points():
    assert jtc_trajectory(one_joint([0.0], [2.0])).jets([0.0])[0, 0, 0] == 2.0
    with pytest.raises(TrajectoryError, match=r'first point is at 1 s'):
        jtc_trajectory(one_joint([1.0], [2.0]))

# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Data that the smooth interpolation accepts, and its continuity."""

from __future__ import annotations

from math import perm

import numpy as np
import pytest
from hypothesis import given
from strategies import one_joint, positions_only, with_derivatives

import screw_dynamics as sd
from screw_dynamics.errors import NotFiniteError, ShapeError, TrajectoryError
from screw_dynamics.trajectory import smooth_trajectory, waypoints_from_points
from screw_dynamics.trajectory.smooth.degree9_segment import DEGREE, HERMITE

START = np.array([[0.3], [0.5], [-1.0], [2.0], [-7.0]])

# below the normal range numbers are spaced evenly, not relatively
SMALLEST = np.finfo(np.float64).tiny


def end_derivative(trajectory, order):
    """Every segment's derivative at u = 1, in units of its own normalised time: (S, n)."""
    factors = np.array([perm(k, order) for k in range(DEGREE + 1)], dtype=float)
    coefficients = trajectory.coefficients.copy()
    coefficients[:, 0] = 0.0
    return np.einsum('k,skn->sn', factors, coefficients)


def rounding(trajectory, order):
    """
    What rounding may do to `end_derivative`: (S, n).

    Each coefficient is a sum over the ten data with the weights HERMITE, each derivative a sum
    over the coefficients with the weights perm(k, order); every term is off by a few units.
    """
    h = np.diff(trajectory.breaks)[:, None, None]
    powers = h ** np.arange(5)[:, None]
    jets = trajectory.jets(trajectory.breaks)
    jets[-1, 1:] = 0.0
    left = np.abs(jets[:-1]) * powers
    right = end_data(trajectory)
    left[:, 0], right[:, 0] = 0.0, np.abs(trajectory_steps(trajectory))
    data = np.concatenate((left, np.abs(right)), axis=1)
    factors = np.array([perm(k, order) for k in range(DEGREE + 1)], dtype=float)
    return 16 * np.finfo(float).eps * np.einsum('k,kd,sdn->sn', factors, np.abs(HERMITE), data)


def end_data(trajectory):
    return np.stack([end_derivative(trajectory, order) for order in range(5)], axis=1)


def trajectory_steps(trajectory):
    positions = np.concatenate((trajectory.coefficients[:, 0], trajectory.end[None]))
    return np.diff(positions, axis=0)


def assert_c4(trajectory):
    """Left limits at the breaks equal the values from the right, up to snap, to rounding."""
    h = np.diff(trajectory.breaks)[:, None]
    right = trajectory.jets(trajectory.breaks[1:])
    for order in range(5):
        expected = right[:, order] if order else trajectory_steps(trajectory)
        jump = np.abs(end_derivative(trajectory, order) - expected * h**order)
        assert (jump <= rounding(trajectory, order)).all()


def assert_honoured(waypoints, trajectory):
    """Positions to the last bit; derivatives up to the rounding of a factor h and back."""
    jets = trajectory.jets(waypoints.times)
    np.testing.assert_array_equal(jets[:, 0], waypoints.positions)
    h = np.diff(waypoints.times)
    left = end_data(trajectory)
    for order, carried in ((1, waypoints.velocities), (2, waypoints.accelerations)):
        given = ~np.isnan(carried)
        from_right = given.copy()
        from_right[-1] = False
        np.testing.assert_allclose(
            jets[:, order][from_right], carried[from_right], rtol=1e-14, atol=SMALLEST
        )
        error = np.abs(left[:, order] - carried[1:] * h[:, None] ** order)
        assert (error <= rounding(trajectory, order))[given[1:]].all()


@given(positions_only())
def test_positions_only_are_honoured_and_c4_from_rest_to_rest(waypoints):
    trajectory = smooth_trajectory(waypoints)
    assert_honoured(waypoints, trajectory)
    assert_c4(trajectory)
    assert trajectory.continuity == 4
    np.testing.assert_array_equal(trajectory.jets([0.0])[0, 1:], 0.0)


@given(with_derivatives())
def test_carried_velocities_and_accelerations_are_honoured(waypoints):
    trajectory = smooth_trajectory(waypoints)
    assert_honoured(waypoints, trajectory)
    inner = np.nan_to_num([waypoints.velocities[-1], waypoints.accelerations[-1]])
    if not inner.any():
        assert_c4(trajectory)


def test_joints_do_not_influence_each_other():
    rng = np.random.default_rng(5)
    times, q = np.cumsum(rng.uniform(0.1, 1.0, 9)) - 0.1, rng.normal(size=(9, 3))
    times[0] = 0.0
    names = ['a', 'b', 'c']
    together = smooth_trajectory(
        waypoints_from_points(names, list(zip(times, q, strict=True)), names)
    )
    for j in range(3):
        alone = smooth_trajectory(one_joint(times, q[:, j]))
        # products of matrices round differently for one column and for three
        np.testing.assert_allclose(
            alone.coefficients[:, :, 0], together.coefficients[:, :, j], rtol=1e-12, atol=1e-12
        )


def test_a_later_first_point_is_reached_from_the_start_jet():
    waypoints = one_joint([0.5, 1.5], [1.0, 2.0])
    trajectory = smooth_trajectory(waypoints, START)
    np.testing.assert_array_equal(trajectory.breaks, [0.0, 0.5, 1.5])
    np.testing.assert_allclose(trajectory.jets([0.0])[0], START, rtol=1e-14)
    assert_c4(trajectory)
    assert trajectory.continuity == 4


def test_replacement_continues_the_old_reference_up_to_snap():
    old = smooth_trajectory(one_joint([0.0, 1.0, 2.5], [0.0, 1.0, -1.0]))
    new = smooth_trajectory(one_joint([0.4, 2.0], [0.2, 0.6]), old.jets([1.3])[0])
    np.testing.assert_allclose(new.jets([0.0])[0], old.jets([1.3])[0], rtol=1e-13)


def test_a_first_point_at_zero_gives_way_to_the_start_jet():
    trajectory = smooth_trajectory(one_joint([0.0, 1.0], [0.0, 1.0]), START)
    np.testing.assert_allclose(trajectory.jets([0.0])[0], START, rtol=1e-14)
    assert trajectory.end[0] == 1.0


def test_single_points():
    held = smooth_trajectory(one_joint([0.0], [2.0]))
    np.testing.assert_array_equal(held.jets([-1.0, 0.0, 1.0])[:, :, 0], [[2.0, 0, 0, 0, 0]] * 3)
    with pytest.raises(TrajectoryError, match=r'start_jet\[0, 0\]: expected 2, rest at the only'):
        smooth_trajectory(one_joint([0.0], [2.0]), START)
    rest = np.array([[2.0], [0.0], [0.0], [0.0], [0.0]])
    assert smooth_trajectory(one_joint([0.0], [2.0]), rest).end[0] == 2.0
    reached = smooth_trajectory(one_joint([2.0], [2.0]), START)
    np.testing.assert_array_equal(reached.breaks, [0.0, 2.0])
    assert_c4(reached)


def test_rest_to_rest_over_one_segment_is_the_symmetric_nonic():
    trajectory = smooth_trajectory(one_joint([0.0, 2.0], [0.0, 1.0]))
    np.testing.assert_allclose(
        trajectory.coefficients[0, :, 0], [0, 0, 0, 0, 0, 126, -420, 540, -315, 70], rtol=1e-14
    )


@pytest.mark.parametrize(
    ('velocity', 'acceleration', 'continuity'),
    [(0.5, 0.0, 0), (0.0, 0.5, 1), (0.0, 0.0, 4), (None, None, 4)],
)
@pytest.mark.parametrize('place', [0, 2])
def test_continuity_tells_of_a_moving_start_or_end(velocity, acceleration, continuity, place):
    v, a = [None] * 3, [None] * 3
    v[place], a[place] = velocity, acceleration
    waypoints = one_joint([0.0, 1.0, 2.0], [0.0, 1.0, 1.5], v, a)
    assert smooth_trajectory(waypoints).continuity == continuity


def test_carried_accelerations_at_the_ends_can_be_dropped_for_c4():
    waypoints = one_joint([0.0, 1.0, 2.0], [0.0, 1.0, 1.5], [0.0] * 3, [2.0, 0.1, -2.0])
    trajectory = smooth_trajectory(waypoints, rest_at_ends=True)
    assert trajectory.continuity == 4
    assert_c4(trajectory)
    np.testing.assert_array_equal(trajectory.jets([0.0])[0, 1:], 0.0)
    assert trajectory.jets([1.0])[0, 2, 0] == pytest.approx(0.1, rel=1e-14)


def test_a_later_first_point_without_a_start_state_is_rejected():
    with pytest.raises(TrajectoryError, match=r'first point is at 0\.5 s .* a start state'):
        smooth_trajectory(one_joint([0.5], [1.0]))


def test_an_unusable_start_jet_is_named():
    waypoints = one_joint([0.5], [1.0])
    with pytest.raises(ShapeError, match=r'start_jet: expected shape \(5, 1\), got \(3, 1\)'):
        smooth_trajectory(waypoints, np.zeros((3, 1)))
    with pytest.raises(NotFiniteError, match='start_jet'):
        smooth_trajectory(waypoints, np.full((5, 1), np.nan))


def test_through_is_the_smooth_curve_of_a_model_and_begins_at_the_first_time():
    model = sd.read_urdf(sd.share_path('urdf/planar_2r.urdf'))
    positions, rates = [[0, 0], [0.5, 1.0], [0, 0]], [[0, 0], [0.2, 0.1], [0, 0]]
    times = np.array([1.0, 2.0, 4.0])
    points = list(zip(times - 1.0, positions, rates, strict=True))
    names = model.joint_names
    expected = smooth_trajectory(waypoints_from_points(names, points, names))
    found = sd.trajectory.through(model, times, positions, rates)
    assert (found.breaks == times).all()
    np.testing.assert_array_equal(found.coefficients, expected.coefficients)
    with pytest.raises(ShapeError, match=r'positions: expected shape .*\(3, 2\), got \(2, 2\)'):
        sd.trajectory.through(model, times, positions[:2])
    with pytest.raises(TrajectoryError, match='accelerations'):
        sd.trajectory.through(model, times, positions, accelerations=rates)

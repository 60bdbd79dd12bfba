# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The smooth spline: segments, conditions, least roughness, extremes, its kernel."""

from math import perm

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles.smooth_minimum import least_roughness, roughness
from strategies import one_joint, positions_only, with_derivatives

import screw_dynamics as sd
from screw_dynamics.errors import InputError, NotFiniteError, ShapeError, TrajectoryError
from screw_dynamics.kernels.curves import knot_derivatives as kernels
from screw_dynamics.trajectory import (
    Waypoints,
    jtc_trajectory,
    smooth_trajectory,
    waypoints_from_points,
)
from screw_dynamics.trajectory.smooth import degree9_segment as nonic
from screw_dynamics.trajectory.smooth import knot_derivatives
from screw_dynamics.trajectory.smooth.degree9_segment import DEGREE, HERMITE
from screw_dynamics.trajectory.waypoint_checks import LARGEST, LATEST, SHORTEST_STEP

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


def test_the_velocity_hull_bounds_the_velocity():
    rng = np.random.default_rng(1)
    u = np.linspace(0.0, 1.0, 101)
    for data in rng.normal(size=(50, 10)):
        velocity = np.polyval(np.polyder((nonic.HERMITE @ data)[::-1]), u)
        hull = nonic.VELOCITY_HULL @ data
        margin = 1e-12 * np.abs(hull).max()
        assert hull.min() - margin <= velocity.min()
        assert velocity.max() <= hull.max() + margin
        np.testing.assert_allclose(hull[[0, -1]], data[[1, 6]], atol=1e-12)


def test_a_large_common_offset_costs_no_accuracy():
    h = np.array([0.5])
    jets = np.zeros((2, 5, 1))
    jets[1, 0] = 1.0
    plain = nonic.segment_coefficients(h, jets)
    jets[:, 0] += 2.0**20
    shifted = nonic.segment_coefficients(h, jets)
    np.testing.assert_array_equal(shifted[:, 1:], plain[:, 1:])
    assert shifted[0, 0, 0] == 2.0**20


JOINTS = 7


def motion(seed, decades):
    """Lengths (S,) and positions (S + 1, 7) of a random motion of 5 to 40 points."""
    rng = np.random.default_rng(seed)
    count = int(rng.integers(4, 40))
    steps = rng.normal(size=(count, JOINTS))
    if decades:
        h = 10.0 ** rng.uniform(-2.0, 0.5, count)
        steps *= 10.0 ** rng.uniform(-3.0, 0.0, steps.shape)
    else:
        h = rng.uniform(0.2, 1.0, count)
    return h, np.cumsum(np.vstack((np.zeros(JOINTS), steps)), axis=0)


@pytest.mark.parametrize('decades', [False, True], ids=['alike', 'over decades'])
def test_the_roughness_is_the_least_one(decades):
    for seed in range(6):  # 42 joints
        h, positions = motion(seed, decades)
        times, free = np.append(0.0, np.cumsum(h)), np.full(positions.shape, np.nan)
        curve = smooth_trajectory(Waypoints(tuple('abcdefg'), times, positions, free, free))
        h = np.diff(times)
        found = roughness(h, curve.coefficients)
        least = [least_roughness(h, positions[:, j]) for j in range(JOINTS)]
        # the method ends at most 2e-6 above the minimum; the rest is left to PIQP's tolerance
        np.testing.assert_allclose(found / least, 1.0, rtol=0, atol=3e-6, err_msg=str(seed))


COUNT = 3


def waypoints_of(kind):
    """Waypoints with monotone, repeated and flat steps; some have velocities."""
    rng = np.random.default_rng(3)
    steps = rng.normal(size=(8, COUNT)) * 10.0 ** rng.uniform(-3.0, 1.0, (8, COUNT))
    steps[:, 1] = np.round(steps[:, 1])
    steps[rng.random(8) < 0.4, 2] = 0.0
    positions = np.cumsum(np.vstack((np.zeros(COUNT), steps)), axis=0)
    times = np.cumsum(np.append(0.0, 10.0 ** rng.uniform(-1.0, 0.0, 8)))
    velocities = np.full(positions.shape, np.nan)
    if kind == 'velocities':
        given = rng.random(positions.shape) < 0.3
        velocities[given] = 10.0 * rng.normal(size=given.sum())
    return Waypoints(
        ('a', 'b', 'c'), times, positions, velocities, np.full_like(velocities, np.nan)
    )


@pytest.mark.parametrize('kind', ['positions', 'velocities'])
def test_the_kernel_returns_the_same_as_python(kind, monkeypatch):
    expected = smooth_trajectory(waypoints_of(kind))
    function = kernels._choose_free_derivatives
    monkeypatch.setattr(knot_derivatives, 'choose_free_derivatives', function)
    with np.errstate(divide='ignore', invalid='ignore'):
        found = smooth_trajectory(waypoints_of(kind))
    # compiled code fuses products and sums; iterations end at a relative gap of 1e-6
    size = np.abs(expected.coefficients).max()
    np.testing.assert_allclose(found.coefficients, expected.coefficients, rtol=0, atol=1e-8 * size)


@pytest.mark.parametrize('interpolate', [smooth_trajectory, jtc_trajectory])
@given(st.integers(1, 6), st.booleans(), st.integers(0, 2**32 - 1))
def test_no_curve_overflows(interpolate, count, late, seed):
    rng = np.random.default_rng(seed)

    def any_size(*shape):
        return rng.choice([-1.0, 1.0], shape) * 10.0 ** rng.uniform(-100, 100, shape) * 0.999

    assert np.abs(any_size(1000)).max() < LARGEST
    steps = 10.0 ** rng.uniform(np.log10(1.01 * SHORTEST_STEP), np.log10(LATEST / 10), count)
    times = np.cumsum(steps) - (0.0 if late else steps[0])
    # far from 0 the shortest steps are lost to rounding
    times = times[np.diff(times, prepend=-1.0) > SHORTEST_STEP]
    rows = len(times)
    velocities, accelerations = any_size(rows, 1), any_size(rows, 1)
    velocities[rng.random(rows) < 0.5] = np.nan
    accelerations[np.isnan(velocities) | (rng.random((rows, 1)) < 0.5)] = np.nan
    waypoints = Waypoints(('a',), times, any_size(rows, 1), velocities, accelerations)
    curve = interpolate(waypoints, any_size(5, 1) if late else None)
    # a finite curve, as its constructor checks
    assert len(curve.coefficients) == len(times) - 1 + (times[0] > 0.0)


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
    with pytest.raises(InputError, match='positions: expected real numbers'):
        sd.trajectory.through(model, times, None)
    with pytest.raises(ShapeError, match=r'times: expected shape \(P,\), got \(\)'):
        sd.trajectory.through(model, 1.0, positions)

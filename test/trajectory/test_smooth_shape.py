# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Between the points: monotone runs, turning points, flat runs, and the bound on overshoot."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from strategies import one_joint, positions_only, with_derivatives

from screw_dynamics.trajectory import overshoot_bound, smooth_trajectory

U = np.linspace(0.0, 1.0, 41)


def segment_samples(trajectory, rows=2):
    """Jets on a grid inside every segment: (S, len(U), rows)."""
    h = np.diff(trajectory.breaks)
    inside = trajectory.breaks[:-1, None] + np.minimum(U * h[:, None], h[:, None] * (1 - 1e-9))
    return trajectory.jets(inside.ravel(), rows)[:, :, 0].reshape(len(h), len(U), rows)


def excess(trajectory):
    """Distance of samples from the interval between the ends of their segment: (S,)."""
    q = segment_samples(trajectory)[:, :, 0]
    ends = np.append(trajectory.coefficients[:, 0, 0], trajectory.end[0])
    low, high = np.minimum(ends[:-1], ends[1:]), np.maximum(ends[:-1], ends[1:])
    return np.maximum(q.max(axis=1) - high, low - q.min(axis=1))


def carried_bound(waypoints, start=None):
    """The bound that the docstring of `overshoot_bound` gives for each segment: (S,)."""
    jets = np.zeros((len(waypoints.times), 4))
    jets[:, 0] = np.nan_to_num(waypoints.velocities[:, 0])
    jets[:, 1] = np.nan_to_num(waypoints.accelerations[:, 0])
    times = waypoints.times
    if start is not None:
        jets, times = np.concatenate((start[None, 1:], jets)), np.append(0.0, times)
    h = np.diff(times)
    k = np.arange(1, 5)
    weights = [k / 9, k * (k - 1) / 144, k * (k - 1) * (k - 2) / 3024]
    weights.append(k * (k - 1) * (k - 2) * (k - 3) / 72576)
    bounds = []
    for ends in (slice(None, -1), slice(1, None)):
        terms = jets[ends] * h[:, None] ** np.arange(1, 5)
        signs = 1.0 if ends.stop == -1 else -((-1.0) ** np.arange(4))
        bounds.append(np.abs((terms * signs) @ np.array(weights)).max(axis=1))
    return np.maximum(*bounds)


def monotone_tolerance(trajectory):
    """1e-9 of a segment's own step, and the spacing of numbers of its size."""
    ends = np.append(trajectory.coefficients[:, 0, 0], trajectory.end[0])
    return 1e-9 * np.abs(np.diff(ends)) + 4 * np.spacing(np.abs(ends).max())


@given(positions_only())
def test_positions_only_data_are_never_overshot(waypoints):
    trajectory = smooth_trajectory(waypoints)
    tolerance = monotone_tolerance(trajectory)
    assert (overshoot_bound(trajectory)[:, 0] <= tolerance).all()
    assert (excess(trajectory) <= tolerance).all()


@given(positions_only())
def test_between_positions_only_points_every_segment_is_monotone(waypoints):
    trajectory = smooth_trajectory(waypoints)
    steps = np.diff(waypoints.positions[:, 0])
    h = np.diff(waypoints.times)
    forward = segment_samples(trajectory)[:, :, 1] * (np.sign(steps) * h)[:, None]
    assert (forward >= -1e-9 * np.abs(steps)[:, None]).all()


@given(positions_only(steps=st.integers(-1, 1).map(float)))
def test_flat_runs_stay_flat_and_turning_points_have_no_velocity(waypoints):
    trajectory = smooth_trajectory(waypoints)
    steps = np.diff(waypoints.positions[:, 0])
    np.testing.assert_array_equal(segment_samples(trajectory, 5)[steps == 0.0][:, :, 1:], 0.0)
    turning = 1 + np.flatnonzero(steps[:-1] * steps[1:] <= 0.0)
    np.testing.assert_array_equal(trajectory.jets(waypoints.times[turning])[:, 1], 0.0)


@given(with_derivatives())
def test_forced_overshoot_stays_within_its_bounds(waypoints):
    trajectory = smooth_trajectory(waypoints)
    bound = overshoot_bound(trajectory)[:, 0]
    ends = waypoints.positions[:, 0]
    stated = carried_bound(waypoints)
    size = stated + np.abs(np.diff(ends))
    rounding = 8 * np.spacing(np.abs(ends).max())
    # sums of ten coefficients, which can be some thousand times as large as the step
    assert (excess(trajectory) <= bound + 1e-10 * size + rounding).all()
    assert (bound <= stated + 1e-9 * size + rounding).all()


@given(
    st.lists(st.floats(-3.0, 3.0, allow_subnormal=False), min_size=5, max_size=5),
    positions_only(most=4),
)
def test_overshoot_from_a_start_jet_stays_within_its_bound(start, waypoints):
    later = one_joint(waypoints.times + 0.5, waypoints.positions[:, 0])
    trajectory = smooth_trajectory(later, np.array(start)[:, None])
    bound, stated = overshoot_bound(trajectory)[:, 0], carried_bound(later, np.array(start))
    size = stated + np.abs(np.diff(later.positions[:, 0], prepend=start[0]))
    assert (excess(trajectory) <= bound + 1e-10 * size + 1e-14).all()
    assert (bound <= stated + 1e-9 * size + 1e-14).all()
    assert (bound[1:] <= monotone_tolerance(trajectory)[1:]).all()


def test_a_velocity_against_the_step_overshoots_by_no_more_than_four_ninths():
    trajectory = smooth_trajectory(one_joint([0, 1, 2], [0.0, 1.0, 0.0], [None, 0.9, None]))
    assert 0.0 < excess(trajectory)[1] <= overshoot_bound(trajectory)[1, 0] <= 0.4
    assert excess(trajectory)[0] <= 1e-12


def test_ten_thousand_points_over_mixed_intervals():
    rng = np.random.default_rng(11)
    times = np.append(0.0, np.cumsum(10.0 ** rng.uniform(-3.0, 3.0, 9999)))
    waypoints = one_joint(times, np.cumsum(rng.normal(size=10000)))
    trajectory = smooth_trajectory(waypoints)
    assert (excess(trajectory) <= monotone_tolerance(trajectory)).all()

# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Whatever the bounds of waypoints allow gives finite curves, without a warning of NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from screw_dynamics.trajectory import Waypoints, jtc_trajectory, smooth_trajectory
from screw_dynamics.trajectory.waypoint_checks import LARGEST, LATEST, SHORTEST_STEP


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

# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The kernel of smooth trajectories returns the same compiled and as Python."""

from __future__ import annotations

import numpy as np
import pytest

from screw_dynamics.kernels.curves import knot_derivatives as kernels
from screw_dynamics.trajectory import Waypoints, smooth_trajectory
from screw_dynamics.trajectory.smooth import knot_derivatives

JOINTS = 3


def waypoints_of(kind):
    """Waypoints with monotone, repeated and flat steps; some have velocities."""
    rng = np.random.default_rng(3)
    steps = rng.normal(size=(8, JOINTS)) * 10.0 ** rng.uniform(-3.0, 1.0, (8, JOINTS))
    steps[:, 1] = np.round(steps[:, 1])
    steps[rng.random(8) < 0.4, 2] = 0.0
    positions = np.cumsum(np.vstack((np.zeros(JOINTS), steps)), axis=0)
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

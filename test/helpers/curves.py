# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Curves through points."""

import numpy as np

from screw_dynamics.trajectory import Waypoints, smooth_trajectory


def curve_through(model, positions, seconds=1.0):
    """Return a curve from rest to rest through positions (m, n), some seconds apart."""
    positions = np.asarray(positions, dtype=float)
    unknown = np.full(positions.shape, np.nan)
    times = seconds * np.arange(len(positions))
    return smooth_trajectory(Waypoints(model.joint_names, times, positions, unknown, unknown))


def random_curve(model, rng):
    """Return a curve through two to seven random configurations."""
    low, high = np.maximum(model.limits.lower, -2.0), np.minimum(model.limits.upper, 2.0)
    count = rng.integers(2, 8)
    return curve_through(model, 0.6 * rng.uniform(low, high, (count, model.n)))


def even(curve, count=5001):
    """Return instants of a curve before its end, others than those of the final check."""
    return np.linspace(curve.breaks[0], curve.breaks[-1], count)[:-1]

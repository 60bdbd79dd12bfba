# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Curves through points."""

from __future__ import annotations

import numpy as np

from screw_dynamics.trajectory import Waypoints, smooth_trajectory


def curve_through(model, positions, seconds=1.0):
    """Return a curve from rest to rest through positions (m, n), some seconds apart."""
    positions = np.asarray(positions, dtype=float)
    unknown = np.full(positions.shape, np.nan)
    times = seconds * np.arange(len(positions))
    return smooth_trajectory(Waypoints(model.joint_names, times, positions, unknown, unknown))

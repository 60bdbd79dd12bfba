# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Start state and rest at the two ends of a trajectory, for both interpolations."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from screw_dynamics.arrays import Array, as_float_array, require_finite
from screw_dynamics.errors import ShapeError, TrajectoryError
from screw_dynamics.trajectory.piecewise_polynomial import JET_ROWS
from screw_dynamics.trajectory.waypoint_checks import LARGEST
from screw_dynamics.trajectory.waypoints import Waypoints


def start_rows(start_jet: ArrayLike | None, n: int) -> Array | None:
    """Return a checked start jet (5, n), or None; raise TrajectoryError above `LARGEST`."""
    if start_jet is None:
        return None
    start = require_finite('start_jet', as_float_array('start_jet', start_jet))
    if start.shape != (JET_ROWS, n):
        raise ShapeError('start_jet', f'({JET_ROWS}, {n})', start.shape)
    for d, j in np.argwhere(np.abs(start) > LARGEST)[:1]:
        raise TrajectoryError(
            f'start_jet[{d}, {j}]: expected at most {LARGEST:g} in size, got {start[d, j]:g}'
        )
    return start


def require_start(start: Array | None, waypoints: Waypoints) -> Array:
    """Return the start jet, required for a first point later than 0, or raise TrajectoryError."""
    if start is None:
        raise TrajectoryError(
            f'the first point is at {waypoints.times[0]:g} s after the start: expected a start '
            'state from which to reach it (or a first point at 0)'
        )
    return start


def join_continuity(ends: Array) -> int:
    """
    Return the order of the first derivative that jumps where moving ends meet rest, minus 1.

    `ends` (E, rows, n) are velocity and higher derivatives; return `rows` if none jumps.
    """
    moving = (ends != 0.0).any(axis=(0, 2))
    return int(np.argmax(moving)) if moving.any() else len(moving)

# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""What both interpolations need at the two ends of a trajectory."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from screw_dynamics.arrays import Array, as_float_array, require_finite
from screw_dynamics.errors import ShapeError, TrajectoryError
from screw_dynamics.trajectory.piecewise_polynomial import JET_ROWS
from screw_dynamics.trajectory.waypoint_checks import LARGEST
from screw_dynamics.trajectory.waypoints import Waypoints


def start_rows(start_jet: ArrayLike | None, n: int) -> Array | None:
    """
    Return a checked start jet.

    Returns (5, n).
    """
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
    """
    Return the start jet, which a first point later than 0 needs.

    `start` (5, n); returns (5, n).
    """
    if start is None:
        raise TrajectoryError(
            f'the first point is at {waypoints.times[0]:g} s after the start: expected a start '
            'state from which to reach it (or a first point at 0)'
        )
    return start


def join_continuity(ends: Array) -> int:
    """
    Return how continuous the joins of moving ends with rest are.

    `ends` (E, rows, n).
    """
    moving = (ends != 0.0).any(axis=(0, 2))
    return int(np.argmax(moving)) if moving.any() else len(moving)

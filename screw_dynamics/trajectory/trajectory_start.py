# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Start and end of trajectories: stamps, nearest turns, limits, start state, rest at ends."""

from __future__ import annotations

import math
from collections.abc import Collection
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from screw_dynamics.common.arrays import Array, as_float_array, require_finite
from screw_dynamics.common.scalars import require_choice
from screw_dynamics.errors import ShapeError, TrajectoryError
from screw_dynamics.trajectory.piecewise_polynomial import JET_ROWS
from screw_dynamics.trajectory.waypoint_checks import LARGEST
from screw_dynamics.trajectory.waypoints import Waypoints


def require_end_in_future(waypoints: Waypoints, start: float, now: float) -> None:
    """
    Raise TrajectoryError if a stamped trajectory is already over.

    Parameters
    ----------
    waypoints : Waypoints
    start : float
        Stamped start on the node's clock [s]; 0 means "now" and is always accepted.
    now : float
        Time on the same clock [s].
    """
    end = start + float(waypoints.times[-1])
    if start != 0.0 and end < now:
        raise TrajectoryError(
            f'Received trajectory with non-zero start time ({start:f}) that ends in the past '
            f'({end:f}, now {now:f})'
        )


def nearest_turn(start_jet: Array, waypoints: Waypoints, continuous: Collection[str]) -> Array:
    """
    Return a start state with continuous joints shifted by whole turns to the nearest ones.

    Parameters
    ----------
    start_jet : (rows, n) ndarray
        Row 0 has positions, shifted to within pi of the first point's; other rows are unchanged.
    waypoints : Waypoints
    continuous : collection of str
        Names of the joints without limits, which may make any number of turns.

    Examples
    --------
    >>> import numpy as np
    >>> from screw_dynamics.trajectory.waypoints import waypoints_from_points
    >>> from screw_dynamics.trajectory import nearest_turn
    >>> w = waypoints_from_points(['a'], [(1.0, [7.0])], ['a'])
    >>> nearest_turn(np.array([[0.5]]), w, {'a'}).round(3)
    array([[6.783]])
    """
    shifted = np.array(start_jet, dtype=np.float64)
    turn = 2.0 * math.pi
    for j, name in enumerate(waypoints.joint_names):
        if name in continuous:
            shifted[0, j] += turn * np.round((waypoints.positions[0, j] - shifted[0, j]) / turn)
    return shifted


class LimitViolation(NamedTuple):
    """A point outside of the position limits of a joint [rad or m]."""

    point: int
    joint: str
    position: float
    lower: float
    upper: float

    def __str__(self) -> str:
        """Return the text of the log message."""
        return (
            f'position of joint {self.joint} at point #{self.point}: expected within '
            f'[{self.lower:g}, {self.upper:g}], got {self.position:g}'
        )


def check_position_limits(
    waypoints: Waypoints, lower: Array, upper: Array, mode: str = 'warn'
) -> tuple[LimitViolation, ...]:
    """
    Return the violations of position limits in the order of the points, each a `LimitViolation`.

    Parameters
    ----------
    waypoints : Waypoints
    lower, upper : (n,) ndarray
        Position limits [rad or m]; infinite if a joint has none.
    mode : {'off', 'warn', 'reject'}
        'off' checks nothing, 'warn' returns the violations, 'reject' raises.

    Raises
    ------
    TrajectoryError
        In mode 'reject'; the error states the first violation and their number.
    InputError
        If the mode is not one of these.
    """
    if require_choice('mode', mode, ('off', 'warn', 'reject')) == 'off':
        return ()
    q = waypoints.positions
    found = tuple(
        LimitViolation(
            int(i), waypoints.joint_names[j], float(q[i, j]), float(lower[j]), float(upper[j])
        )
        for i, j in np.argwhere((q < lower) | (q > upper))
    )
    if found and mode == 'reject':
        more = f' (and {len(found) - 1} more)' if len(found) > 1 else ''
        raise TrajectoryError(f'{found[0]}{more}')
    return found


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
    """Return the order of continuity where ends (E, rows, n), from velocity on, meet rest."""
    moving = (ends != 0.0).any(axis=(0, 2))
    return int(np.argmax(moving)) if moving.any() else len(moving)

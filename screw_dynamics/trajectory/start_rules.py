# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Start of a trajectory on the robot: time stamps, turns of continuous joints, limits."""

from __future__ import annotations

import math
from collections.abc import Collection
from typing import NamedTuple

import numpy as np

from screw_dynamics.arrays import Array
from screw_dynamics.error_texts import shown
from screw_dynamics.errors import InputError, TrajectoryError
from screw_dynamics.trajectory.waypoints import Waypoints


def require_end_in_future(waypoints: Waypoints, start: float, now: float) -> None:
    """
    Reject a stamped trajectory that is already over.

    Parameters
    ----------
    waypoints : Waypoints
    start : float
        Stamped start on the node's clock [s]; 0 means "now" and is always accepted.
    now : float
        Time on the same clock [s].

    Raises
    ------
    TrajectoryError

    """
    end = start + float(waypoints.times[-1])
    if start != 0.0 and end < now:
        raise TrajectoryError(
            f'Received trajectory with non-zero start time ({start:f}) that ends in the past '
            f'({end:f}, now {now:f})'
        )


def nearest_turn(start_jet: Array, waypoints: Waypoints, continuous: Collection[str]) -> Array:
    """
    Shift continuous joints of a start state by whole turns towards the first point.

    Parameters
    ----------
    start_jet : (rows, n) ndarray
        Row 0 has positions; rows of derivatives are not changed.
    waypoints : Waypoints
    continuous : collection of str
        Names of the joints without limits, which may make any number of turns.

    Returns
    -------
    (rows, n) ndarray
        A new array; the shifted positions lie within pi of the first point's.

    Examples
    --------
    >>> from screw_dynamics.trajectory.waypoints import waypoints_from_points
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
    Compare the points with the position limits.

    Parameters
    ----------
    waypoints : Waypoints
    lower, upper : (n,) ndarray
        Position limits [rad or m]; infinite if a joint has none.
    mode : {'off', 'warn', 'reject'}
        'off' checks nothing, 'warn' returns the violations, 'reject' raises.

    Returns
    -------
    tuple of LimitViolation
        Violations in the order of the points.

    Raises
    ------
    TrajectoryError
        In mode 'reject'; the error states the first violation and their number.
    InputError
        If the mode is not one of these.

    """
    if mode not in ('off', 'warn', 'reject'):
        raise InputError(f"mode: expected 'off', 'warn' or 'reject', got {shown(mode)}")
    if mode == 'off':
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

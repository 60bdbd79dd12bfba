# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The `jtc` interpolation: the spline that joint_trajectory_controller executes."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from screw_dynamics.common.arrays import Array
from screw_dynamics.trajectory.piecewise_polynomial import PiecewisePolynomial
from screw_dynamics.trajectory.smooth.degree9_segment import time_powers
from screw_dynamics.trajectory.trajectory_start import join_continuity, require_start, start_rows
from screw_dynamics.trajectory.waypoints import Waypoints, require_waypoints

# Data (step, V0, V1, A0, A1) in normalised time -> coefficients of u^1 to u^5.
_LINEAR = np.array([[1, 0, 0, 0, 0]] + 4 * [5 * [0]], dtype=float)
_CUBIC = np.array(
    [[0, 1, 0, 0, 0], [3, -2, -1, 0, 0], [-2, 1, 1, 0, 0], 5 * [0], 5 * [0]], dtype=float
)
_QUINTIC = np.array(
    [
        [0, 1, 0, 0, 0],
        [0, 0, 0, 0.5, 0],
        [10, -6, -4, -1.5, 0.5],
        [-15, 8, 7, 1.5, -1],
        [6, -3, -3, -0.5, 0.5],
    ]
)
_KINDS = np.stack((_LINEAR, _CUBIC, _QUINTIC))


def jtc_trajectory(
    waypoints: Waypoints, start_jet: ArrayLike | None = None
) -> PiecewisePolynomial:
    """
    Return the `PiecewisePolynomial` that joint_trajectory_controller follows.

    Each segment is linear, cubic or quintic if both its ends have positions, velocities too, or
    accelerations too. Jerk and snap jump between segments, and so do the effort's derivatives: the
    degree is 5 and `continuity` at most 2. After the end the joints rest (the controller continues
    to report the last point's velocity and acceleration).

    Both round in short segments. Here a length h at time t is accurate to eps t, as times are
    doubles in seconds; the controller counts whole nanoseconds, but loses about eps q / h in
    velocities and eps q / h^2 in accelerations, as it computes coefficients from positions q.
    At t and q about 1 (s, rad) accelerations differ by 2e-8 for h = 1 ms, 2e-4 for h = 10 us.

    Parameters
    ----------
    waypoints : Waypoints
    start_jet : (5, n) array_like, optional
        State at time 0. If the first point is later than 0, a segment from this position,
        velocity and acceleration leads to it; else it is ignored, as in the controller.

    Raises
    ------
    TrajectoryError
        If the first point is later than 0 and no start jet is given.
    InputError
        If `waypoints` are not `Waypoints`.
    ShapeError, NotFiniteError
        If the start jet is invalid.

    Examples
    --------
    >>> from screw_dynamics.trajectory import waypoints_from_points
    >>> from screw_dynamics.trajectory import jtc_trajectory
    >>> w = waypoints_from_points(['a'], [(0.0, [0.0]), (2.0, [1.0])], ['a'])
    >>> jtc_trajectory(w).jets([1.0], rows=3).ravel()
    array([0.5, 0.5, 0. ])
    """
    times = require_waypoints(waypoints).times
    states = np.stack((waypoints.positions, waypoints.velocities, waypoints.accelerations), axis=1)
    start = start_rows(start_jet, states.shape[2])
    joins = states[[0, -1], 1:]
    if times[0] > 0.0:
        start = require_start(start, waypoints)
        times = np.append(0.0, times)
        states = np.concatenate((start[None, :3], states))
        joins = states[-1:, 1:]
    carried = 1 + (~np.isnan(states[:, 1:])).cumprod(axis=1).sum(axis=1)
    kinds = np.minimum(carried[:-1], carried[1:]) - 1
    if not len(kinds):
        n = states.shape[2]
        return PiecewisePolynomial(times, np.empty((0, 6, n)), states[-1, 0], continuity=4)
    continuity = min(int(kinds.min()), join_continuity(np.nan_to_num(joins)))
    return PiecewisePolynomial(
        times,
        _coefficients(np.diff(times), states, kinds),
        states[-1, 0],
        continuity,
        waypoints.joint_names,
    )


def _coefficients(h: Array, states: Array, kinds: Array) -> Array:
    """Return (S, 6, n) coefficients; kinds (S, n): 0 linear, 1 cubic, 2 quintic."""
    powers = time_powers(h)[:, :2, None]
    known = np.nan_to_num(states)
    left, right = known[:-1, 1:] * powers, known[1:, 1:] * powers
    data = np.stack(
        (np.diff(known[:, 0], axis=0), left[:, 0], right[:, 0], left[:, 1], right[:, 1]), axis=1
    )
    higher = np.einsum('snkd,sdn->skn', _KINDS[kinds], data)
    return np.concatenate((known[:-1, None, 0], higher), axis=1)

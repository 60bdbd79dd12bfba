# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Last slowing of a fast motion: limits hold between stations, and after interpolation again."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from screw_dynamics.arrays import Array
from screw_dynamics.errors import InfeasibleError
from screw_dynamics.feasibility.check import check_feasibility
from screw_dynamics.retiming.limited_quantities import limited_quantities
from screw_dynamics.robot import Robot
from screw_dynamics.series.jets import scale_speed
from screw_dynamics.trajectory import PiecewisePolynomial, Waypoints, smooth_trajectory

_PER_PIECE = 48  # instants of the check
_PEAK = 1e-4  # of a limit: most that a quantity rises between the instants
_LEAST_SLOWING = 2e-5
_MOST_SLOWINGS = 20
_CLOSEST = 3e-4  # points: the positions of closer ones have too few digits for a jerk [s]


def instants(curve: PiecewisePolynomial) -> Array:
    """Return times of a curve, evenly in every piece, all before its end (T,) [s]."""
    part = np.arange(_PER_PIECE) / _PER_PIECE
    breaks = curve.breaks
    times = (breaks[:-1, np.newaxis] + np.diff(breaks)[:, np.newaxis] * part).ravel()
    return np.append(times, np.nextafter(breaks[-1], times[-1]))


def certified(robot: Robot, curve: PiecewisePolynomial) -> PiecewisePolynomial:
    """
    Return the motion, slowed as far as limits are exceeded anywhere.

    Raises InfeasibleError where slowing by some per cent does not help.
    """
    factor = _slowing(robot, curve)
    return replace(curve, breaks=curve.breaks[0] + (curve.breaks - curve.breaks[0]) * factor)


def retimed_waypoints(
    robot: Robot, curve: PiecewisePolynomial
) -> tuple[Waypoints, PiecewisePolynomial]:
    """
    Return points of a fast motion, and the smooth curve through them, which keeps every limit.

    Positions, velocities and accelerations are those at the breaks of the motion. A receiver
    chooses jerk and snap, so that its efforts differ a little: the points are slowed for these.
    """
    kept = [curve.breaks[0]]
    for time in curve.breaks[1:-1]:
        if min(time - kept[-1], curve.breaks[-1] - time) >= _CLOSEST:
            kept.append(time)
    points = curve.jets([*kept, curve.breaks[-1]], rows=3)
    points[-1, 1:] = 0.0
    times = np.append(kept, curve.breaks[-1]) - curve.breaks[0]
    while True:
        waypoints = Waypoints(robot.joint_names, times, *np.moveaxis(points, 1, 0))
        smooth = smooth_trajectory(waypoints, rest_at_ends=True)
        slowing = _slowing(robot, smooth)
        if slowing == 1.0:
            return waypoints, smooth
        times = times * slowing
        points = points / slowing ** np.arange(3)[:, np.newaxis]


def _slowing(robot: Robot, curve: PiecewisePolynomial) -> float:
    """Return the factor of all times, 1 or a little more, with which limits hold."""
    times = instants(curve)
    jets = curve.jets(times, rows=limited_quantities(robot).rows)
    factor = 1.0
    for _ in range(_MOST_SLOWINGS):
        slowed = jets.copy()
        scale_speed(np.moveaxis(slowed, 1, 0), 1.0 / factor)
        report = check_feasibility(robot, None, slowed, times[0] + (times - times[0]) * factor)
        excess = max(
            (check.excess for check in report.checks if check.quantity != 'position'),
            default=-1.0,
        )
        # an effort at rest may be as near to its limit as it likes
        if report.feasible and (excess < -_PEAK or factor > 1.0):
            return factor
        # a rate falls with the third power
        factor *= 1.0 + max(excess + _PEAK, 3.0 * _LEAST_SLOWING) / 3.0
    found = '; '.join(str(violation) for violation in report.violations[:3])
    raise InfeasibleError(f'expected limits that hold between stations, got {found}')

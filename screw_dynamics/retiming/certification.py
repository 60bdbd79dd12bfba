# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Last slowing of a fast motion: limits hold between stations, and after interpolation again."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from screw_dynamics.arrays import Array
from screw_dynamics.errors import InfeasibleError
from screw_dynamics.feasibility.check import check_feasibility
from screw_dynamics.feasibility.report import FeasibilityReport, LimitCheck
from screw_dynamics.retiming.limited_quantities import limited_quantities
from screw_dynamics.robot import Robot
from screw_dynamics.series.jets import scale_speed
from screw_dynamics.trajectory import PiecewisePolynomial, Waypoints, smooth_trajectory

_PER_PIECE = 48  # instants of the check
_PEAK = 1e-4  # of a limit: most that a quantity rises between the instants
_NEAR = 1e-3  # of a limit: a largest value, around which there are more instants
_PARTS = 16  # of the time between two instants there
_POWERS = {
    'velocity': 1,
    'motor velocity': 1,
    'effort rate': 3,
    'motor effort rate': 3,
}  # of speed
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

    Positions, velocities and accelerations are those near the breaks of the motion. A receiver
    chooses jerk and snap, so that its efforts differ a little: the points are slowed for these.
    Times are multiples of a nanosecond.
    """
    begin, end = curve.breaks[[0, -1]]
    kept = [begin]
    for time in curve.breaks[1:-1]:
        if min(time - kept[-1], end - time) >= _CLOSEST:
            kept.append(time)
    instants_kept, factor = np.append(kept, end) - begin, 1.0
    while True:
        # whole nanoseconds, as messages have them
        times = np.round(instants_kept * factor, 9)
        points = curve.jets(np.minimum(begin + times / factor, end), rows=3)
        points[-1, 1:] = 0.0
        points /= factor ** np.arange(3)[:, np.newaxis]
        waypoints = Waypoints(robot.joint_names, times, *np.moveaxis(points, 1, 0))
        smooth = smooth_trajectory(waypoints, rest_at_ends=True)
        slowing = _slowing(robot, smooth)
        if slowing == 1.0:
            return waypoints, smooth
        factor *= slowing


def _slowing(robot: Robot, curve: PiecewisePolynomial) -> float:
    """Return the factor of all times, 1 or a little more, with which limits hold."""
    times, factor, refined = instants(curve), 1.0, False
    for _ in range(_MOST_SLOWINGS):
        report = _report(robot, curve, times, factor)
        checks = [check for check in report.checks if check.quantity != 'position']
        needed = max((_needed(check, factor > 1.0) for check in checks), default=0.0)
        if report.feasible and needed <= 0.0:
            if refined:
                return factor
            near = [check.time for check in checks if check.excess > -_NEAR]
            times, refined = _refined(times, near, factor), True
            continue
        factor *= 1.0 + needed + _LEAST_SLOWING
    found = '; '.join(str(violation) for violation in report.violations[:3])
    raise InfeasibleError(f'expected limits that hold between stations, got {found}')


def _report(
    robot: Robot, curve: PiecewisePolynomial, times: Array, factor: float
) -> FeasibilityReport:
    """Return the report of the motion with all times `factor` times as long."""
    jets = curve.jets(times, rows=limited_quantities(robot).rows)
    scale_speed(np.moveaxis(jets, 1, 0), 1.0 / factor)
    return check_feasibility(robot, None, jets, times[0] + (times - times[0]) * factor)


def _needed(check: LimitCheck, slowed: bool) -> float:
    """Return the part of the duration that a quantity near its limit needs, 0 if none."""
    power = _POWERS.get(check.quantity, 2)
    # an effort at rest may be as near to its limit as it likes
    margin = 0.0 if power == 2 and slowed else _PEAK
    return (check.excess + margin) / power if check.excess > -margin else 0.0


def _refined(times: Array, near: list[float], factor: float) -> Array:
    """Return the times, and more around some of them, given on the axis of the slowed motion."""
    places = np.searchsorted(times, times[0] + (np.array(near) - times[0]) / factor)
    parts = np.arange(1, _PARTS) / _PARTS
    gaps = np.unique(np.clip(np.concatenate((places - 2, places - 1, places)), 0, len(times) - 2))
    inner = times[gaps, np.newaxis] + np.diff(times)[gaps, np.newaxis] * parts
    return np.unique(np.concatenate((times, inner.ravel())))

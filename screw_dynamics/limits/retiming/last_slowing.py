# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Last slowing of a fast motion: limits hold between stations, and after interpolation again."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache, partial

import numpy as np
from scipy.optimize import brentq

from screw_dynamics.common.arrays import Array
from screw_dynamics.drives.robot import Robot
from screw_dynamics.errors import InfeasibleError, InputError
from screw_dynamics.kernels.drives.limits import SLACK
from screw_dynamics.limits.certificate import certify
from screw_dynamics.limits.check import check_feasibility
from screw_dynamics.limits.report import FeasibilityReport
from screw_dynamics.limits.retiming.limited_quantities import limited_quantities
from screw_dynamics.series.jets import scale_speed
from screw_dynamics.trajectory import PiecewisePolynomial, Waypoints, smooth_trajectory

_PER_PIECE = 48  # instants of the check
_PEAK = 1e-4  # of a limit: most that a quantity rises between the instants
_NEAR = 1e-3  # of a limit: a largest value, around which there are more instants
_PARTS = 16  # of the time between two instants there
_ACCURACY = 2e-5  # of a factor of all times
_FIRST_STEP = 0.01  # of the factor; each further one is twice as large
_LEAST_FACTOR, _LARGEST_FACTOR = 0.99, 64.0  # rms currents may need much
_VERY_SLOW = 1e6  # a factor with which only efforts at rest are left


def instants(curve: PiecewisePolynomial) -> Array:
    """Return times of a curve, evenly in every piece, all before its end (T,) [s]."""
    part = np.arange(_PER_PIECE) / _PER_PIECE
    breaks = curve.breaks
    times = (breaks[:-1, np.newaxis] + np.diff(breaks)[:, np.newaxis] * part).ravel()
    return np.append(times, np.nextafter(breaks[-1], times[-1]))


def certified(robot: Robot, curve: PiecewisePolynomial, *, may_gain: bool) -> PiecewisePolynomial:
    """
    Return the motion with all times scaled so that no limit is exceeded anywhere.

    If it `may_gain`, it becomes faster where no limit is reached. Raises InfeasibleError where
    slowing does not help.
    """
    factor = _factor(robot, curve, _LEAST_FACTOR if may_gain else 1.0)

    def report(factor: float) -> FeasibilityReport:
        checks = certify(robot, curve, speed=1.0 / factor).checks
        return FeasibilityReport(tuple(c for c in checks if c.quantity != 'position'))

    factor = _least_factor(cache(report), {}, factor)
    return replace(curve, breaks=curve.breaks[0] + (curve.breaks - curve.breaks[0]) * factor)


def retimed_waypoints(
    robot: Robot, curve: PiecewisePolynomial
) -> tuple[Waypoints, PiecewisePolynomial]:
    """
    Return points of a fast motion, and the smooth curve through them, which keeps every limit.

    Positions, velocities and accelerations are those near the breaks of the motion. A receiver
    chooses jerk and snap, so that its efforts differ a little: the points are slowed for these.
    Times are multiples of a nanosecond. InputError if the motion takes no time.
    """
    begin, end = curve.breaks[[0, -1]]
    if begin == end:
        raise InputError('curve: expected a path along which the robot moves, got one point')
    factor = 1.0
    while True:
        # whole nanoseconds, as messages have them
        times = np.round((curve.breaks - begin) * factor, 9)
        points = curve.jets(np.minimum(begin + times / factor, end), rows=3)
        points[-1, 1:] = 0.0
        points /= factor ** np.arange(3)[:, np.newaxis]
        waypoints = Waypoints(robot.joint_names, times, *np.moveaxis(points, 1, 0))
        smooth = smooth_trajectory(waypoints, rest_at_ends=True)
        slowing = _factor(robot, smooth, 1.0)
        if slowing == 1.0:
            return waypoints, smooth
        factor *= slowing


def _factor(robot: Robot, curve: PiecewisePolynomial, least: float) -> float:
    """Return the least factor of all times, at least `least`, with which limits hold."""
    times = instants(curve)
    # a limit is kept by _PEAK, or by half of what is left at rest if that is less
    margins = {
        (check.quantity, check.joint): min(_PEAK, max(-check.excess / 2.0, 0.0))
        for check in _report(robot, curve, times, _VERY_SLOW).checks
    }
    reports = cache(partial(_report, robot, curve, times))
    factor = _least_factor(reports, margins, least)
    near = [check.time for check in reports(factor).checks if check.excess > -_NEAR]
    times = _refined(times, near, factor)
    return _least_factor(cache(partial(_report, robot, curve, times)), margins, factor)


def _least_factor(
    reports: Callable[[float], FeasibilityReport],
    margins: Mapping[tuple[str, str], float],
    factor: float,
) -> float:
    """Return the least factor, at least the given one, whose report keeps the margins."""

    def missing(factor: float) -> float:
        """Return the largest part of a limit by which it is missed, at most 1."""
        checks = reports(factor).checks
        parts = [c.excess + margins.get((c.quantity, c.joint), 0.0) for c in checks]
        return min(max(parts, default=0.0) - SLACK, 1.0)

    step = _FIRST_STEP
    while missing(factor) > 0.0:
        high = factor + step
        if missing(high) <= 0.0:
            factor = min(brentq(missing, factor, high, xtol=_ACCURACY) + _ACCURACY, high)
        elif high < _LARGEST_FACTOR:
            factor, step = high, 2.0 * step
        else:
            found = '; '.join(str(violation) for violation in reports(high).violations[:3])
            raise InfeasibleError(f'expected limits that hold between stations, got {found}')
    return factor


def _report(
    robot: Robot, curve: PiecewisePolynomial, times: Array, factor: float
) -> FeasibilityReport:
    """Return the report of the motion with all times `factor` times as long."""
    jets = curve.jets(times, rows=limited_quantities(robot).rows)
    scale_speed(np.moveaxis(jets, 1, 0), 1.0 / factor)
    return check_feasibility(robot, jets, times[0] + (times - times[0]) * factor)


def _refined(times: Array, near: list[float], factor: float) -> Array:
    """Return the times, and more around some of them, given on the axis of the slowed motion."""
    places = np.searchsorted(times, times[0] + (np.array(near) - times[0]) / factor)
    parts = np.arange(1, _PARTS) / _PARTS
    gaps = np.unique(np.clip(np.concatenate((places - 2, places - 1, places)), 0, len(times) - 2))
    inner = times[gaps, np.newaxis] + np.diff(times)[gaps, np.newaxis] * parts
    return np.unique(np.concatenate((times, inner.ravel())))

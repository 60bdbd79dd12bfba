# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Trajectories stretched or retimed until they keep the limits, or rejected."""

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple, TypeVar

import numpy as np

from screw_dynamics.drives.robot import Robot
from screw_dynamics.errors import ScrewDynamicsError, TrajectoryError
from screw_dynamics.limits import certify, check_feasibility
from screw_dynamics.limits.report import FeasibilityReport, LimitCheck
from screw_dynamics.trajectory import JET_ROWS, PiecewisePolynomial, Waypoints
from screw_dynamics.trajectory.cartesian import PoseWaypoints

# power of the speed with which a quantity grows at most; other quantities do not depend on it
_POWERS = {
    'velocity': 1,
    'acceleration': 2,
    'jerk': 3,
    'effort': 2,
    'effort rate': 3,
    'deflection': 2,
    'spring': 2,
    'motor velocity': 3,
    'motor effort': 4,
    'motor effort rate': 3,  # without springs
}
_MARGIN = 1e-3  # of a limit: what the guard compares has rounding
_LEAST_STEP, _LARGEST_STEP, _LARGEST_FACTOR = 1.01, 2.0, 100.0
_MOST_RETIMED = 1000  # points
_LONGEST_PROGRAMS = 4.0  # s
_SLOWEST = f'at 1/{_LARGEST_FACTOR:g} of its speed'

AnyWaypoints = TypeVar('AnyWaypoints', Waypoints, PoseWaypoints)


class Slowed(NamedTuple):
    """The curve of waypoints at `factor` times their times, and the limit that required it."""

    factor: float
    joined: float  # time from start at which the curve begins [s]
    curve: PiecewisePolynomial
    limiting: LimitCheck | None

    def __str__(self) -> str:
        """Return a sentence for the log; empty if nothing was slowed."""
        if self.limiting is None:
            return ''
        return f'slowed to take {self.factor:.4g} times as long: at full speed {self.limiting}'


def slowed(
    robot: Robot,
    waypoints: AnyWaypoints,
    fit: Callable[[AnyWaypoints], tuple[float, PiecewisePolynomial]],
    speed: float,
) -> Slowed:
    """
    Return the curve through waypoints, with times stretched as little as the limits require.

    `fit` returns the time from start at which a curve begins [s], and the curve. Raises
    TrajectoryError if the limits are exceeded at any speed.
    """
    factor, limiting = 1.0, None
    joined, curve = fit(waypoints)
    while True:
        worst = _worst(_report(robot, curve, joined, speed))
        if worst is None or worst.excess <= -_MARGIN:
            break
        limiting = limiting or worst
        if factor == 1.0:
            _require_feasible_if_slow(robot, curve, joined)
        if factor >= _LARGEST_FACTOR:
            raise TrajectoryError(
                f'expected a trajectory that keeps the limits {_SLOWEST}, got {worst}'
            )
        ratio = (1.0 + worst.excess) / (1.0 - _MARGIN)
        step = ratio ** (1.0 / _POWERS[worst.quantity])
        factor *= min(max(step, _LEAST_STEP), _LARGEST_STEP)
        joined, curve = fit(_stretched(waypoints, factor))
    return Slowed(factor, joined, curve, limiting)


def retimed(
    robot: Robot, curve: PiecewisePolynomial, joined: float, speed: float
) -> tuple[PiecewisePolynomial, Waypoints]:
    """
    Return the fastest motion from rest along a curve, no segment of it faster, and its points.

    It keeps the limits at a speed of `speed`. Raises ScrewDynamicsError if there is none.
    """
    from screw_dynamics.limits.retiming import retime  # which imports SciPy

    if len(curve.breaks) > _MOST_RETIMED:
        expected = f'expected at most {_MOST_RETIMED} points'
        raise TrajectoryError(f'{expected} to retime, got {len(curve.breaks)}')
    fast = retime(robot, curve, no_faster=True, longest=_LONGEST_PROGRAMS)
    begin = fast.breaks[0]
    fast = replace(fast, breaks=begin + (fast.breaks - begin) * speed)
    points = fast.jets(fast.breaks, rows=3)
    times = joined + fast.breaks - begin
    return fast, Waypoints(robot.joint_names, times, *np.moveaxis(points, 1, 0))


def _report(
    robot: Robot, curve: PiecewisePolynomial, begin: float, speed: float
) -> FeasibilityReport:
    try:
        return certify(robot, curve, begin, speed)
    except ScrewDynamicsError as error:
        raise TrajectoryError(str(error)) from None


def _worst(report: FeasibilityReport) -> LimitCheck | None:
    checks = [check for check in report.checks if check.quantity in _POWERS]
    return max(checks, key=lambda check: check.excess, default=None)


def _require_feasible_if_slow(robot: Robot, curve: PiecewisePolynomial, begin: float) -> None:
    """Raise TrajectoryError at once if no factor helps: dry friction is there at any speed."""
    times = np.unique(np.linspace(curve.breaks[0], curve.breaks[-1], 200))
    jets = curve.jets(times, max(JET_ROWS, robot.required_rows))
    for speed, text in ((0.0, 'at rest'), (1.0 / _LARGEST_FACTOR, _SLOWEST)):
        slow = jets * (speed ** np.arange(jets.shape[1], dtype=np.float64))[:, np.newaxis]
        worst = _worst(check_feasibility(robot, slow, begin + times))
        if worst is not None and worst.excess > -_MARGIN:
            raise TrajectoryError(
                f'expected a trajectory that keeps the limits {text}, got {worst}'
            )


def _stretched(waypoints: AnyWaypoints, factor: float) -> AnyWaypoints:
    times = waypoints.times * factor
    if isinstance(waypoints, PoseWaypoints):
        return replace(waypoints, times=times)
    return replace(
        waypoints,
        times=times,
        velocities=waypoints.velocities / factor,
        accelerations=waypoints.accelerations / factor**2,
    )

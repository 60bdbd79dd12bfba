# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Checks of positions and curves against the limits of joints, springs and motors."""

from collections.abc import Sequence

import numpy as np

from screw_dynamics.arrays import Array
from screw_dynamics.errors import ScrewDynamicsError
from screw_dynamics.feasibility.check import check_feasibility
from screw_dynamics.feasibility.report import FeasibilityReport
from screw_dynamics.model import ScrewModel
from screw_dynamics.robot import Robot
from screw_dynamics.trajectory import JET_ROWS, LimitViolation, PiecewisePolynomial


class LimitError(ScrewDynamicsError):
    """A request exceeds a limit that the node enforces."""


_PERIOD = 0.005  # s between samples
_MOST_SAMPLES = 1000  # a few ms


def check_positions(model: ScrewModel, positions: Array, mode: str) -> str:
    """Return a text about the first joint beyond its limits, if any; LimitError if 'reject'."""
    if mode == 'off':
        return ''
    lower, upper = model.limits.lower, model.limits.upper
    outside = (positions < lower) | (positions > upper)
    if not outside.any():
        return ''
    j = int(np.argmax(outside))
    text = (
        f'position of joint {model.joint_names[j]}: expected within '
        f'[{lower[j]:g}, {upper[j]:g}], got {positions[j]:g}'
    )
    if mode == 'reject':
        raise LimitError(text)
    return text


def points_text(violations: Sequence[LimitViolation]) -> str:
    """Return a text about the violations of position limits by points; '' without any."""
    if not violations:
        return ''
    first, *others = violations
    return f'{first}' + (f' (and {len(others)} more)' if others else '')


def check_curve(
    robot: Robot,
    curve: PiecewisePolynomial,
    begin: float,
    mode: str,
    speed: float = 1.0,
    *,
    positions: bool = True,
) -> str:
    """
    Return the worst violation by a motion without external wrenches, or why it has no efforts.

    The curve begins `begin` seconds after the start and is followed at `speed` (0, a pause, is
    checked as 1). In mode 'reject' the text is raised as LimitError.
    """
    if mode == 'off':
        return ''
    try:
        report = curve_report(robot, curve, begin, speed)
        if not positions:
            kept = (check for check in report.checks if check.quantity != 'position')
            report = FeasibilityReport(tuple(kept))
    except ScrewDynamicsError as error:
        if mode == 'reject':
            raise LimitError(str(error)) from None
        return str(error)
    return limit_text(report, mode)


def curve_report(
    robot: Robot,
    curve: PiecewisePolynomial,
    begin: float,
    speed: float,
    period: float = _PERIOD,
    most_samples: int = _MOST_SAMPLES,
) -> FeasibilityReport:
    """Return the limits along a curve, see `check_curve`, with samples every `period` [s]."""
    times = _sample_times(curve.breaks, period, most_samples)
    rows = max(JET_ROWS, robot.required_rows)
    factors = (speed or 1.0) ** np.arange(rows, dtype=np.float64)
    jets = curve.jets(times, rows) * factors[:, np.newaxis]
    return check_feasibility(robot, None, jets, begin + times)


def limit_text(report: FeasibilityReport, mode: str) -> str:
    """Return the worst violation, '' without one; in mode 'reject' raise it as LimitError."""
    if mode == 'off' or report.feasible:
        return ''
    first, *others = report.violations
    text = f'limit exceeded: {first}' + (f' (and {len(others)} more)' if others else '')
    if mode == 'reject':
        raise LimitError(text)
    return text


def _sample_times(breaks: Array, period: float, most_samples: int) -> Array:
    """Return increasing times from the first break to the last."""
    span = breaks[-1] - breaks[0]
    count = int(min(most_samples, span // period + 2))
    times: Array = np.linspace(breaks[0], breaks[-1], count)
    return np.unique(times if len(breaks) > most_samples else np.union1d(times, breaks))

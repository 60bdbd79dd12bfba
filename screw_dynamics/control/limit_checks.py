# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Checks of positions and curves against the limits of joints, springs and motors."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from screw_dynamics.common.arrays import Array
from screw_dynamics.drives.robot import Robot
from screw_dynamics.dynamics import inverse_dynamics
from screw_dynamics.errors import ScrewDynamicsError
from screw_dynamics.limits import certify
from screw_dynamics.limits.report import FeasibilityReport
from screw_dynamics.limits.table import LimitTable
from screw_dynamics.model import RobotModel
from screw_dynamics.trajectory import PiecewisePolynomial


class LimitError(ScrewDynamicsError):
    """A request exceeds a limit that the node enforces."""


def check_positions(model: RobotModel, positions: Array, mode: str) -> str:
    """Return a text about the first joint beyond its limits, if any; LimitError unless 'warn'."""
    lower, upper = model.limits.lower, model.limits.upper
    outside = (positions < lower) | (positions > upper)
    if mode == 'off' or not outside.any():
        return ''
    j = int(np.argmax(outside))
    return _told(
        f'position of joint {model.joint_names[j]}: expected within '
        f'[{lower[j]:g}, {upper[j]:g}], got {positions[j]:g}',
        mode,
    )


def check_curve(
    robot: Robot, curve: PiecewisePolynomial, begin: float, mode: str, speed: float = 1.0
) -> str:
    """
    Return the worst violation, or why there are no efforts; raise it as LimitError unless 'warn'.

    The curve begins `begin` [s] after the start and is followed at `speed`.
    """
    if mode == 'off':
        return ''
    try:
        report = certify(robot, curve, begin, speed)
    except ScrewDynamicsError as error:
        return _told(str(error), mode)
    return limit_text(report, mode)


def limit_text(report: FeasibilityReport, mode: str) -> str:
    """Return the worst violation, '' without one; raise it as LimitError unless 'warn'."""
    if mode == 'off' or report.feasible:
        return ''
    first, *others = report.violations
    more = f' (and {len(others)} more)' if others else ''
    return _told(f'limit exceeded: {first}{more}', mode)


class Load(NamedTuple):
    """A robot with its payload, and wrenches (6,) on it by frame."""

    robot: Robot
    wrenches: Mapping[str, Array]

    def violation(self, jet: Array) -> str:
        """Return which effort at a joint jet (3, n) is beyond its limit; '' if none is."""
        wrenches = {frame: wrench[np.newaxis] for frame, wrench in self.wrenches.items()}
        efforts = inverse_dynamics(self.robot.model, jet, wrenches)
        return LimitTable.of(self.robot).violation(('effort', efforts[0]))


def require_bearable(before: Load, after: Load, jet: Array) -> None:
    """Raise LimitError if another load alone brings efforts at a jet (3, n) beyond a limit."""
    excess = after.violation(jet)
    if excess and not before.violation(jet):
        raise LimitError(
            f'expected a load with which the present efforts keep their limits, got {excess}'
        )


def _told(text: str, mode: str) -> str:
    if mode == 'warn':
        return text
    raise LimitError(text) from None

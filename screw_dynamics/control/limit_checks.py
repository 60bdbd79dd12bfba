# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Checks of positions and curves against the limits of joints, springs and motors."""

import numpy as np

from screw_dynamics.common.arrays import Array
from screw_dynamics.drives.robot import Robot
from screw_dynamics.errors import ScrewDynamicsError
from screw_dynamics.limits import certify
from screw_dynamics.limits.report import FeasibilityReport
from screw_dynamics.model import ScrewModel
from screw_dynamics.trajectory import PiecewisePolynomial


class LimitError(ScrewDynamicsError):
    """A request exceeds a limit that the node enforces."""


def check_positions(model: ScrewModel, positions: Array, mode: str) -> str:
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


def _told(text: str, mode: str) -> str:
    if mode == 'warn':
        return text
    raise LimitError(text) from None

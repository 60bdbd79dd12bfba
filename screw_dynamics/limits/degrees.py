# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Positions in degrees in place of radians, as the limits of the robot show."""

import numpy as np

from screw_dynamics.common.arrays import Array
from screw_dynamics.errors import InputError
from screw_dynamics.model import RobotModel

_SLACK = 0.05  # of the range of limits


def require_radians(where: str, model: RobotModel, positions: Array) -> None:
    """
    Raise InputError if positions (T, n) are far beyond the limits, and degrees would explain it.

    Far beyond is more than the range of the limits, and more than a turn. Joints without limits
    may turn many times.
    """
    limits = model.limits
    reach = limits.upper - limits.lower
    turning = np.isfinite(reach) & (np.array(model.coordinate_types) != 'prismatic')
    outside = np.maximum(limits.lower - positions, positions - limits.upper)
    far = turning & (outside > np.maximum(reach, 2.0 * np.pi))
    as_degrees = np.radians(positions[:, turning])
    slack = _SLACK * reach[turning]
    allowed = (as_degrees > limits.lower[turning] - slack) & (
        as_degrees < limits.upper[turning] + slack
    )
    if far.any() and allowed.all():
        row, j = np.unravel_index(np.argmax(np.where(far, outside, 0.0)), far.shape)
        raise InputError(
            f'{where}: joint {model.joint_names[j]!r}: expected positions in rad near the limits '
            f'{limits.lower[j]:.4g} to {limits.upper[j]:.4g} of the robot, got '
            f'{positions[row, j]:.4g}: are they in degrees?'
        )

# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Limits of a model for feasibility checks."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from screw_dynamics.errors import InputError
from screw_dynamics.model import JointLimits, ScrewModel


def usable_limits(model: ScrewModel) -> JointLimits:
    """
    Return the limits of a model with velocity and effort limits of 0 replaced by infinity.

    Many robot descriptions have ``velocity="0"`` and ``effort="0"`` because URDF requires a
    number. Raise InputError if a limit is negative or a lower limit is above the upper one.
    """
    limits = model.limits
    for j, name in enumerate(model.joint_names):
        for quantity, bound in (('velocity', limits.velocity[j]), ('effort', limits.effort[j])):
            if bound < 0.0:
                raise InputError(
                    f'model: joint {name!r}: {quantity} limit: expected 0 or more, got {bound:g}'
                )
        if limits.lower[j] > limits.upper[j]:
            raise InputError(
                f'model: joint {name!r}: upper limit: expected at least the lower limit '
                f'{limits.lower[j]:g}, got {limits.upper[j]:g}'
            )
    return replace(
        limits,
        velocity=np.where(limits.velocity > 0.0, limits.velocity, np.inf),
        effort=np.where(limits.effort > 0.0, limits.effort, np.inf),
    )

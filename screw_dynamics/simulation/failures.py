# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Errors for the status codes of the simulation kernels."""

from __future__ import annotations

import numpy as np

from screw_dynamics.arrays import Array
from screw_dynamics.elastic import MotorTable
from screw_dynamics.errors import SimulationError
from screw_dynamics.kernels.tree.forward_dynamics import SINGULAR
from screw_dynamics.model import ScrewModel


def failure(model: ScrewModel, motors: MotorTable, status: int, state: Array) -> SimulationError:
    """
    Return the SimulationError for a kernel's status and state (2 n + 2 m,).

    `model` is the one of links and rotors.
    """
    if status >= 0:
        return SimulationError(
            f'joint {model.joint_names[status]!r}: expected an inertia above {SINGULAR:g} of what '
            'it moves, got less: it can accelerate without moving any mass'
        )
    theta = state[2 * motors.n : 2 * motors.n + motors.m]
    deflections = theta - state[motors.joint_of_motor]
    worst = int(np.argmax(np.where(np.isfinite(deflections), np.abs(deflections), np.inf)))
    return SimulationError(
        f'motor {motors.names[worst]!r}: the motion is not finite at a deflection of '
        f'{deflections[worst]:.3g} rad or m (largest): expected one within the range of the '
        'spring, and a shorter step or other efforts if this robot is out of control'
    )

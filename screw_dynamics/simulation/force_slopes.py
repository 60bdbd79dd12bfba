# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Slopes of the forces of springs and friction over position, velocity and load."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from screw_dynamics.common.arrays import Array
from screw_dynamics.drives import MotorTable
from screw_dynamics.kernels.drives.friction import EXCESS, LOAD, LOAD_EFFORT, STRIBECK_VELOCITY
from screw_dynamics.kernels.drives.laws import (
    COULOMB,
    COULOMB_VELOCITY,
    DAMPED,
    LINEAR,
    PAIR_EXPONENTIAL,
    PAIR_LAW,
    PAIR_QUADRATIC,
    RIGID,
    VARIABLE,
    law_taylor,
    set_spring_efforts,
)
from screw_dynamics.kernels.drives.parallel import (
    FORCE,
    STIFFNESS,
    WORK,
    subtract_parallel_spring,
)


def rigid_load(table: MotorTable, motor: int, rate: float, free: float) -> float:
    """Return T = free - F_m(rate, T), as the kernel `add_friction_under_load`."""
    row, further = table.rows[motor], table.friction[motor]
    sense = np.tanh(rate / row[COULOMB_VELOCITY])
    share = further[LOAD] * sense
    rest = free - sense * _unloaded_level(row, further, rate)
    root = np.sqrt(rest**2 + (1.0 - share**2) * further[LOAD_EFFORT] ** 2)
    return float((rest - share * root) / (1.0 - share**2))


def _unloaded_level(row: Array, further: Array, rate: float) -> float:
    """Return c + e exp(-(v / vs)^2)."""
    return float(
        row[COULOMB] + further[EXCESS] * np.exp(-((rate / further[STRIBECK_VELOCITY]) ** 2))
    )


def friction_slopes(row: Array, further: Array, rate: float, load: float) -> tuple[float, float]:
    """Return the slopes of the dry friction of `kernels.drives.friction` by v and by u."""
    sense = np.tanh(rate / row[COULOMB_VELOCITY])
    excess = _unloaded_level(row, further, rate) - row[COULOMB]
    size = np.hypot(load, further[LOAD_EFFORT])
    level = row[COULOMB] + excess + further[LOAD] * size
    falling = -2.0 * rate / further[STRIBECK_VELOCITY] ** 2 * excess
    by_rate = level * (1.0 - sense**2) / row[COULOMB_VELOCITY] + sense * falling
    return float(by_rate), float(sense * further[LOAD] * load / size)


def parallel_slopes(table: MotorTable, position: Array) -> Array:
    """Return the slopes (n,) of the efforts of the parallel springs."""
    subtract: Callable[..., float] = subtract_parallel_spring
    slopes, work = np.zeros(table.n), np.empty((WORK, 2))
    for j in np.flatnonzero(table.parallel_springs[:, [STIFFNESS, FORCE]].any(axis=1)):
        effort = np.zeros(2)
        subtract(table.parallel_springs[j], np.array([position[j], 1.0]), effort, work)
        slopes[j] = -effort[1]
    return slopes


def spring_slopes(
    table: MotorTable, deflections: Array, variable_stiffness: Array
) -> tuple[Array, Array, Array]:
    """
    Return effort, stiffness and damping (m,) of the spring of each motor; 0 if it is rigid.

    `deflections` are (2, m): theta - q and its rate. `variable_stiffness` is (V,).
    """
    owner = table.joint_of_motor
    laws, variable = table.laws[owner], table.variable[owner]
    stiffness = np.where(variable >= 0, np.append(variable_stiffness, 0.0)[variable], 0.0)
    second = np.arange(table.m) != table.first_motor[owner]
    motors = np.column_stack([laws, table.offsets[owner], second]).astype(np.int64)
    efforts, damping = np.zeros(table.m), np.zeros(table.m)
    set_spring_efforts(motors, table.parameters, stiffness, deflections, np.empty(1), efforts)
    for i, (law, first, side) in enumerate(motors.tolist()):
        if law not in (RIGID, VARIABLE):
            stiffness[i] = stiffness_at(law, table.parameters, first, side == 1, deflections[0, i])
        if law == DAMPED:
            damping[i] = table.parameters[first + 1]
    return efforts, stiffness, damping


def stiffness_at(law: int, parameters: Array, first: int, second: bool, phi: float) -> float:
    """Return the stiffness of the spring of one motor at its deflection."""
    if law in (LINEAR, DAMPED):
        return float(parameters[first])
    side = -1.0 if second else 1.0
    if law == PAIR_QUADRATIC:  # a tendon does not push
        return float(2.0 * parameters[first + PAIR_LAW] * max(side * phi, 0.0))
    taylor = np.empty(2)
    at = first + PAIR_LAW if law >= PAIR_EXPONENTIAL else first
    law_taylor(law, parameters, at, side * phi, taylor)
    return float(taylor[1])

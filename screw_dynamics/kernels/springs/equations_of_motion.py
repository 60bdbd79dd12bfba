# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Equations of motion of links, springs and motors: the simulation kernels.

    M q'' + C q' + Q_grav = tau + J^T W,      B theta'' + d theta' + f_c(theta') + tau = tau_m

with the effort tau of the springs at phi = theta - q. If rotors are bodies on moving links, these
are the equations of the robot of links and rotors in (q, theta). A rigid joint has theta = q: the
inertia of its motor is added to the mass matrix.
"""

from __future__ import annotations

import numpy as np

from screw_dynamics.jit import Kernel, read_only
from screw_dynamics.kernels.springs.laws import pair_effort, spring_effort
from screw_dynamics.kernels.springs.layout import (
    COULOMB,
    COULOMB_VELOCITY,
    INERTIA,
    PAIR_EXPONENTIAL,
    RIGID,
    VISCOUS,
)
from screw_dynamics.kernels.tree.forward_dynamics import (
    SOLVED,
    acceleration_arrays,
    set_accelerations,
)

# columns of the integer table of motors
JOINT, LAW, PARAMETERS, VARIABLE, SECOND, BODY_COORDINATE = range(6)


def _arrays(count, n):
    """Return positions, rates, efforts, armature, accelerations, and further workspace."""
    coordinates = np.empty((5, n))
    return (
        coordinates[0],
        coordinates[1],
        coordinates[2],
        coordinates[3],
        coordinates[4],
        np.empty(1),
        acceleration_arrays(count, n),
    )


def _set_derivative(
    state, efforts, stiffness, external, n, motors, rows, parameters,
    tree, bodies, gravity, arrays, derivative,
):  # fmt: skip
    """
    Set the time derivative of a state (q, q', theta, theta').

    Return SOLVED, NOT_FINITE or the coordinate without inertia, see `set_accelerations`.
    """
    positions, rates, forces, armature, accelerations, work, workspace = arrays
    m = motors.shape[0]
    theta, theta_rate = 2 * n, 2 * n + m
    for j in range(n):
        positions[j], rates[j] = state[j], state[n + j]
    forces[:] = 0.0
    armature[:] = 0.0
    for i in range(m):
        j, law, own = motors[i, JOINT], motors[i, LAW], motors[i, BODY_COORDINATE]
        velocity = state[n + j] if law == RIGID else state[theta_rate + i]
        drive = efforts[i] - rows[i, VISCOUS] * velocity
        if rows[i, COULOMB] > 0.0:
            drive -= rows[i, COULOMB] * np.tanh(velocity / rows[i, COULOMB_VELOCITY])
        if law == RIGID:
            forces[j] += drive
            if own < 0:
                armature[j] += rows[i, INERTIA]
            continue
        phi = state[theta + i] - state[j]
        if law >= PAIR_EXPONENTIAL:
            tau = pair_effort(
                law, parameters, motors[i, PARAMETERS], motors[i, SECOND] == 1, phi, work
            )
        else:
            tau = spring_effort(
                law, parameters, motors[i, PARAMETERS],
                stiffness[motors[i, VARIABLE]] if motors[i, VARIABLE] >= 0 else 0.0,
                phi, velocity - state[n + j], work,
            )  # fmt: skip
        forces[j] += tau
        if own < 0:
            derivative[theta_rate + i] = (drive - tau) / rows[i, INERTIA]
        else:
            positions[own], rates[own], forces[own] = state[theta + i], velocity, drive - tau
    status = set_accelerations(
        positions, rates, forces, armature, external, tree, bodies, gravity, workspace,
        accelerations,
    )  # fmt: skip
    for j in range(n):
        derivative[j], derivative[n + j] = rates[j], accelerations[j]
    for i in range(m):
        j, own = motors[i, JOINT], motors[i, BODY_COORDINATE]
        if motors[i, LAW] == RIGID:
            derivative[theta + i], derivative[theta_rate + i] = rates[j], accelerations[j]
        else:
            derivative[theta + i] = state[theta_rate + i]
            if own >= 0:
                derivative[theta_rate + i] = accelerations[own]
    return status


def _derivative(
    state, efforts, stiffness, external, n, size, motors, rows, parameters,
    tree, bodies, gravity, derivative,
):  # fmt: skip
    """Set the derivative of one state; `size` is the number of coordinates of the bodies."""
    arrays = _arrays(bodies.shape[0], size)
    return _set_derivative(
        state, efforts, stiffness, external, n, motors, rows, parameters,
        tree, bodies, gravity, arrays, derivative,
    )  # fmt: skip


def _runge_kutta(
    state, efforts, stiffness, external, n, size, motors, rows, parameters,
    tree, bodies, gravity, h, steps,
):  # fmt: skip
    """Advance a state by `steps` classical Runge-Kutta steps of length h with constant inputs."""
    arrays = _arrays(bodies.shape[0], size)
    length = state.shape[0]
    slope, stage, total = np.empty(length), np.empty(length), np.empty(length)
    for _ in range(steps):
        total[:] = state
        stage[:] = state
        for k in range(4):
            status = _set_derivative(
                stage, efforts, stiffness, external, n, motors, rows, parameters,
                tree, bodies, gravity, arrays, slope,
            )  # fmt: skip
            if status != SOLVED:
                return status
            weight = h / 6.0 if k in (0, 3) else h / 3.0
            ahead = h if k == 2 else 0.5 * h
            for a in range(length):
                total[a] += weight * slope[a]
                stage[a] = state[a] + ahead * slope[a]
        state[:] = total
    return SOLVED


_TABLES = (
    f'int64, int64, {read_only(2, "int64")}, {read_only(2)}, {read_only(1)}, '
    f'{read_only(2, "int64")}, {read_only(2)}, {read_only(1)}'
)
_INPUTS = f'{read_only(1)}, {read_only(1)}, {read_only(2)}'

DERIVATIVE = Kernel(
    _derivative,
    f'int64({read_only(1)}, {_INPUTS}, {_TABLES}, float64[::1])',
)
RUNGE_KUTTA = Kernel(
    _runge_kutta,
    f'int64(float64[::1], {_INPUTS}, {_TABLES}, float64, int64)',
)

# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Kernel of `motor_efforts`: motor positions and efforts from motion and spring deflections."""

import numpy as np

from screw_dynamics.kernels.drives.deflections import NOT_FINITE, OK
from screw_dynamics.kernels.drives.friction import WORK, add_friction
from screw_dynamics.kernels.drives.laws import INERTIA, PAIR_EXPONENTIAL, pair_taylor
from screw_dynamics.kernels.kernel import Kernel, read_only
from screw_dynamics.kernels.series import add_powers, compose, to_jet, to_series

_LARGEST = np.finfo(np.float64).max


def add_motor_effort(row, further, theta, load, effort, work):
    """
    Add ``B theta''`` and the friction to the jet `effort` (p - 2,).

    `row` and `further` are rows of the tables of motors and of their friction, `theta` (p,) and
    `load` (p - 2,) the jets of the motor and of the effort that it transmits; `work` as of
    `add_friction`.
    """
    for k in range(len(effort)):
        effort[k] = effort[k] + row[INERTIA] * theta[k + 2]
    add_friction(row, further, theta[1:], load, effort, work)


def _pair_efforts(law, data, at, deflections, forces, phi, taylor, powers):
    """Fill the jets (2, p) of the efforts of both springs of a pair from deflections (p, 2)."""
    count = forces.shape[1]
    for i in range(2):
        to_series(deflections[:, i], phi[i])
    pair_taylor(law, data, at, phi[:, 0], taylor)
    for i in range(2):
        forces[i, 0] = taylor[i, 0]
        for k in range(1, count):
            add_powers(phi[i], powers[i], k)
            powers[i, 1, k] = phi[i, k]
            forces[i, k] = taylor[i, 1] * phi[i, k] + compose(taylor[i], powers[i], k)
        to_jet(forces[i], forces[i])


def write_motor_efforts(
    jets, efforts, deflections, laws, offsets, data, first_motor, rows, friction,
    motions, commands, failure,
):  # fmt: skip
    """
    Fill motor positions (T, p, m) and efforts (T, p - 2, m) of every sample; return the status.

    `jets` is (T, p or more, n), `efforts` (T, p - 2 or more, n), `deflections` (T, p, m).
    `failure` (5,) has sample and joint of a failure; see `MotorTable` for the other arrays.
    """
    count = motions.shape[1]
    theta, command, work = np.empty(count), np.empty(count - 2), np.empty((WORK, count - 2))
    forces, phi = np.empty((2, count - 2)), np.empty((2, count - 2))
    taylor, powers = np.empty((2, count - 1)), np.empty((2, count - 2, count - 2))
    for t in range(len(jets)):
        failure[0] = t
        for j in range(len(laws)):
            failure[1] = j
            law, first = laws[j], first_motor[j]
            pair = law >= PAIR_EXPONENTIAL
            if pair:
                _pair_efforts(
                    law, data, offsets[j], deflections[t, : count - 2, first : first + 2],
                    forces, phi, taylor, powers,
                )  # fmt: skip
            else:
                forces[0] = efforts[t, : count - 2, j]
            for i in range(2 if pair else 1):
                motor = first + i
                for k in range(count):
                    theta[k] = jets[t, k, j] + deflections[t, k, motor]
                command[:] = forces[i]
                add_motor_effort(rows[motor], friction[motor], theta, forces[i], command, work)
                for k in range(count):
                    motions[t, k, motor] = theta[k]
                    if k < count - 2:
                        commands[t, k, motor] = command[k]
                        if not abs(command[k]) <= _LARGEST:
                            return NOT_FINITE
                    if not abs(theta[k]) <= _LARGEST:
                        return NOT_FINITE
    return OK


set_motor_efforts = Kernel(
    write_motor_efforts,
    f'int64({read_only(3)}, {read_only(3)}, {read_only(3)}, {read_only(1, "int64")}, '
    f'{read_only(1, "int64")}, {read_only(1)}, {read_only(1, "int64")}, {read_only(2)}, '
    f'{read_only(2)}, '
    'float64[:, :, ::1], float64[:, :, ::1], float64[::1])',
)

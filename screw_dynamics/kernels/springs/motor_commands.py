# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Kernel of `elastic_feedforward`: motor positions and efforts from effort jets."""

from __future__ import annotations

import numpy as np

from screw_dynamics.jit import Kernel, read_only
from screw_dynamics.kernels.springs.damped import TERMS, TIME, advance
from screw_dynamics.kernels.springs.deflections import OK, deflection_series
from screw_dynamics.kernels.springs.layout import (
    COULOMB,
    COULOMB_VELOCITY,
    INERTIA,
    PAIR_EXPONENTIAL,
    VISCOUS,
)
from screw_dynamics.kernels.springs.series import tanh, to_jet, to_series

# status codes in addition to those of `deflections`
BACKWARD, NOT_FINITE = -1, -2

_LARGEST = np.finfo(np.float64).max


def motor_effort_series(row, theta, force, effort, work):
    """
    Fill the series of ``B theta'' + d theta' + c tanh(theta' / v0) + force``.

    `row` is B, d, c, v0 of the motor; `theta` (p,) its position and `force` (p - 2 or more,) the
    transmitted effort. `effort` (p - 2,) is filled; `work` (3, p - 2) is workspace.
    """
    count = len(effort)
    for k in range(count):
        rate = (k + 1) * theta[k + 1]
        acceleration = (k + 1) * (k + 2) * theta[k + 2]
        effort[k] = force[k] + row[INERTIA] * acceleration + row[VISCOUS] * rate
        work[0, k] = rate / row[COULOMB_VELOCITY]
    if row[COULOMB] > 0.0:
        tanh(work[0], work[1], work[2])
        for k in range(count):
            effort[k] += row[COULOMB] * work[1, k]


def _motor_commands(
    jets, efforts, stiffness, laws, offsets, data, damped, variable, first_motor, rows,
    times, clock, psi, last_jets, deflections, motions, commands, failure,
):  # fmt: skip
    """
    Fill deflections, motor positions and efforts of every sample; return OK or another status.

    `jets` (T, r, n), `efforts` (T, k + 1, n), `stiffness` (1 or T, p, V); `deflections` and
    `motions` (T, p, m) and `commands` (T, p - 2, m) are filled. `times` is used with dampers
    only; their state (see `damped_deflection.advance`) is unchanged and `failure` (5,) has
    sample, joint and values if the status is not OK. See `MotorTable` for the other arrays.
    """
    clock_before, psi_before, jets_before = clock.copy(), psi.copy(), last_jets.copy()
    status = _every_sample(
        jets, efforts, stiffness, laws, offsets, data, damped, variable, first_motor, rows,
        times, clock, psi, last_jets, deflections, motions, commands, failure,
    )  # fmt: skip
    if status != OK:
        # the whole motion was rejected
        clock[:], psi[:], last_jets[:] = clock_before, psi_before, jets_before
    return status


def _every_sample(
    jets, efforts, stiffness, laws, offsets, data, damped, variable, first_motor, rows,
    times, clock, psi, last_jets, deflections, motions, commands, failure,
):  # fmt: skip
    # k + 1 <= p: springs without damper lose two orders, other joints fewer
    terms, count = efforts.shape[1], deflections.shape[1]
    tau, sigma, q = np.zeros(count), np.zeros(count), np.empty(count)
    phi, force = np.zeros((2, count)), np.zeros((2, count))
    taylor, powers = np.empty((2, terms + 1)), np.empty((2, terms, terms))
    theta, command, work = np.empty(count), np.empty(count - 2), np.empty((3, count - 2))
    weights, connection = np.empty(TERMS + 1), np.empty((2, TERMS))
    for t in range(len(efforts)):
        failure[0] = t
        if len(psi) > 0 and not advance(
            times[t], efforts[t], offsets, data, damped, clock, psi, last_jets, weights, connection
        ):
            failure[2], failure[3] = clock[TIME], times[t]
            return BACKWARD
        for j in range(len(laws)):
            failure[1] = j
            law = laws[j]
            to_series(efforts[t, :, j], tau[:terms])
            to_series(jets[t, :count, j], q)
            phi[:] = 0.0
            if damped[j] >= 0:
                to_series(psi[damped[j]], phi[0])
                force[0] = tau
            else:
                if variable[j] >= 0:
                    to_series(stiffness[min(t, len(stiffness) - 1), :, variable[j]], sigma)
                status = deflection_series(
                    law, data, offsets[j], tau[:terms], sigma,
                    phi[:, :terms], force[:, :terms], taylor, powers, failure[2:],
                )  # fmt: skip
                if status != OK:
                    return status
            for i in range(2 if law >= PAIR_EXPONENTIAL else 1):
                motor = first_motor[j] + i
                theta[:] = q + phi[i]
                motor_effort_series(rows[motor], theta, force[i], command, work)
                to_jet(phi[i], deflections[t, :, motor])
                to_jet(theta, motions[t, :, motor])
                to_jet(command, commands[t, :, motor])
                for k in range(count):
                    value = commands[t, k, motor] if k < count - 2 else motions[t, k, motor]
                    if not (abs(value) <= _LARGEST and abs(motions[t, k, motor]) <= _LARGEST):
                        return NOT_FINITE
    return OK


motor_commands = Kernel(
    _motor_commands,
    f'int64({read_only(3)}, {read_only(3)}, {read_only(3)}, {read_only(1, "int64")}, '
    f'{read_only(1, "int64")}, {read_only(1)}, {read_only(1, "int64")}, {read_only(1, "int64")}, '
    f'{read_only(1, "int64")}, {read_only(2)}, {read_only(1)}, float64[::1], float64[:, ::1], '
    'float64[:, ::1], float64[:, :, ::1], float64[:, :, ::1], float64[:, :, ::1], float64[::1])',
)

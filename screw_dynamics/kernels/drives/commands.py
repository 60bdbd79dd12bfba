# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Kernel of `elastic_feedforward`: motor commands from link efforts, from two blocks per robot."""

import numpy as np

from screw_dynamics.kernels.drives.actuators import write_transmitted_efforts
from screw_dynamics.kernels.drives.deflections import NOT_FINITE, OK, write_spring_deflections
from screw_dynamics.kernels.drives.laws import INERTIA, RIGID
from screw_dynamics.kernels.drives.motor_efforts import write_motor_efforts
from screw_dynamics.kernels.drives.parallel import COLUMNS
from screw_dynamics.kernels.kernel import Kernel, read_only

# Rows of the integers (8, n); DAMPED and VARIABLE have the numbers among these joints. LINEAR_ONLY
# is 1 if springs are linear and nothing rubs, DIRECT if drives transmit the efforts of the links
# (joints without friction and parallel springs), VARIABLE_COUNT is V.
LAWS, OFFSETS, DAMPED, VARIABLE, FIRST_MOTORS, LINEAR_ONLY, DIRECT, VARIABLE_COUNT = range(8)

_LARGEST = np.finfo(np.float64).max


def write_motor_commands(jets, efforts, integers, reals, deflections, motions, commands):
    """
    Fill the commands of undamped joints of constant stiffness; return OK or another status.

    `jets` is (T, r, n); link `efforts` (T, k + 1, n) become the transmitted ones; `deflections`,
    `motions` (T, p, m) and `commands` (T, p - 2, m) are filled. `reals` has, one after the other,
    the tables (m, 4) of motors and of their friction, (n, 4) of the joints and of their friction,
    the parallel springs (n, 10), the V constants of variable stiffness, parameters of the laws.
    """
    n, m, count = jets.shape[2], deflections.shape[2], deflections.shape[1]
    if n == 0:
        return OK
    variable = integers[VARIABLE]
    rows, last = reals[: 4 * m].reshape((m, 4)), 8 * m + (8 + COLUMNS) * n
    varied = integers[VARIABLE_COUNT, 0]
    data = reals[last + varied :]
    if integers[LINEAR_ONLY, 0]:
        return _linear(jets, efforts, integers, data, rows, deflections, motions, commands)
    failure = np.empty(5)
    if not integers[DIRECT, 0]:
        tables = reals[8 * m : 8 * m + 8 * n].reshape((2, n, 4))
        springs = reals[8 * m + 8 * n : last].reshape((n, COLUMNS))
        status = write_transmitted_efforts(jets, tables[0], tables[1], springs, efforts, failure)
        if status != OK:
            return status
    stiffness = np.zeros((1, count, varied))
    for i in range(varied):
        stiffness[0, 0, i] = reals[last + i]
    none, nothing = np.zeros(2), np.zeros((0, 0))
    laws, offsets, first = integers[LAWS], integers[OFFSETS], integers[FIRST_MOTORS]
    status = write_spring_deflections(
        efforts, stiffness, laws, offsets, data, integers[DAMPED], variable, first,
        nothing, none, none, nothing, nothing, deflections, failure,
    )  # fmt: skip
    if status != OK:
        return status
    friction = reals[4 * m : 8 * m].reshape((m, 4))
    return write_motor_efforts(
        jets, efforts, deflections, laws, offsets, data, first, rows, friction,
        motions, commands, failure,
    )  # fmt: skip


def _linear(jets, efforts, integers, data, rows, deflections, motions, commands):
    """Fill the commands of joints that are rigid or have linear springs, without friction."""
    count, finite = deflections.shape[1], True
    for t in range(len(jets)):
        for k in range(count):
            for j in range(jets.shape[2]):
                phi = 0.0
                if integers[LAWS, j] != RIGID:
                    phi = efforts[t, k, j] / data[integers[OFFSETS, j]]
                deflections[t, k, j] = phi
                motions[t, k, j] = jets[t, k, j] + phi
                finite &= abs(motions[t, k, j]) <= _LARGEST
        for k in range(count - 2):
            for j in range(jets.shape[2]):
                commands[t, k, j] = efforts[t, k, j] + rows[j, INERTIA] * motions[t, k + 2, j]
                finite &= abs(commands[t, k, j]) <= _LARGEST
    return OK if finite else NOT_FINITE


_JETS = 'float64[:, :, ::1]'
set_motor_commands = Kernel(
    write_motor_commands,
    f'int64({read_only(3)}, {_JETS}, {read_only(2, "int64")}, {read_only(1)}, '
    f'{_JETS}, {_JETS}, {_JETS})',
)

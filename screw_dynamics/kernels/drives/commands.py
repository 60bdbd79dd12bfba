# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Kernel of `elastic_feedforward`: motor commands from link efforts, from two blocks per robot."""

import numpy as np

from screw_dynamics.kernels.bodies.layout import COORDINATE_COUNT
from screw_dynamics.kernels.bodies.quantities import INVERSE_DYNAMICS
from screw_dynamics.kernels.bodies.rows import integer
from screw_dynamics.kernels.bodies.samples import run_one
from screw_dynamics.kernels.drives.actuators import write_transmitted_efforts
from screw_dynamics.kernels.drives.deflections import NOT_FINITE, OK, write_spring_deflections
from screw_dynamics.kernels.drives.laws import INERTIA, PAIR_EXPONENTIAL, RIGID
from screw_dynamics.kernels.drives.motor_efforts import write_motor_efforts
from screw_dynamics.kernels.drives.parallel import COLUMNS
from screw_dynamics.kernels.kernel import Kernel, read_only
from screw_dynamics.kernels.pointers import all_finite, row_pointer

# Rows of the integers (8, n); DAMPED and VARIABLE have the numbers among these joints. LINEAR_ONLY
# is 1 if springs are linear and nothing rubs, DIRECT if drives transmit the efforts of the links
# (joints without friction and parallel springs), VARIABLE_COUNT is V.
LAWS, OFFSETS, DAMPED, VARIABLE, FIRST_MOTORS, LINEAR_ONLY, DIRECT, VARIABLE_COUNT = range(8)

# status code beside those of `deflections`: arrays of other shapes, or that share memory
BAD_ARRAYS = -3

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


def _motor_commands(jets, efforts, integers, reals, deflections, motions, commands):
    """Fill the commands of jets (T, r, n), as `write_motor_commands`."""
    samples, n, m = len(jets), jets.shape[2], deflections.shape[2]
    if jets.shape[1] == 5 and deflections.shape[1] == 3:
        # all that springs need: loops over rows of known numbers become straight code
        return write_motor_commands(
            jets.reshape((samples, 5, n)), efforts.reshape((samples, 3, n)), integers, reals,
            deflections.reshape((samples, 3, m)), motions.reshape((samples, 3, m)),
            commands.reshape((samples, 1, m)),
        )  # fmt: skip
    return write_motor_commands(jets, efforts, integers, reals, deflections, motions, commands)


def _shared(one, other):
    """Return True if two packed arrays share memory."""
    start, begin = one.ctypes.data, other.ctypes.data
    return start < begin + 8 * other.size and begin < start + 8 * one.size


def _link_efforts(order, jet, efforts, parameters):
    """Fill the efforts of the links of a finite jet; return a status of `kernels.bodies`."""
    of = INVERSE_DYNAMICS
    return run_one(of.sweep, of.rows, of.shape, order, jet, jet, jet, efforts, parameters)


def _commands_of_one(
    given, jet, parameters, integers, reals, efforts, deflections, motions, commands
):
    """
    Fill the commands of a jet (r, n), as `write_motor_commands`, if all arrays fit.

    The efforts of the links are those `given` (r - 2, n), or if this is empty computed with the
    `parameters` of the bodies. Any status but OK asks for the checks of the caller.
    """
    rows, n = jet.shape
    if n == 0 or n != integer(row_pointer(parameters, 0), COORDINATE_COUNT):
        return BAD_ARRAYS
    m = integers[FIRST_MOTORS, n - 1] + (2 if integers[LAWS, n - 1] >= PAIR_EXPONENTIAL else 1)
    count = rows
    for j in range(n):
        if integers[LAWS, j] != RIGID:
            count = rows - 2  # undamped springs cost two orders
    if count < 3 or efforts.shape[0] != rows - 2 or efforts.shape[1] != n:
        return BAD_ARRAYS
    for one in (deflections, motions):
        if one.shape[0] != count or one.shape[1] != m:
            return BAD_ARRAYS
    if commands.shape[0] != count - 2 or commands.shape[1] != m:
        return BAD_ARRAYS
    for one in (efforts, deflections, motions, commands):
        if _shared(jet, one):
            return BAD_ARRAYS
    if given.size > 0:
        if given.shape[0] != rows - 2 or given.shape[1] != n or _shared(given, efforts):
            return BAD_ARRAYS
        for d in range(rows - 2):
            efforts[d] = given[d]
    else:
        if not all_finite(jet):
            return NOT_FINITE
        if rows == 5:
            status = _link_efforts(2, jet, efforts, parameters)
        else:
            status = _link_efforts(rows - 3, jet, efforts, parameters)
        if status != OK:
            return NOT_FINITE
    return _motor_commands(
        jet.reshape((-1, rows, n)), efforts.reshape((-1, rows - 2, n)), integers, reals,
        deflections.reshape((-1, count, m)), motions.reshape((-1, count, m)),
        commands.reshape((-1, count - 2, m)),
    )  # fmt: skip


_JET, _JETS = 'float64[:, ::1]', 'float64[:, :, ::1]'
set_commands_of_one = Kernel(
    _commands_of_one,
    f'int64({read_only(2)}, {read_only(2)}, {read_only(1)}, {read_only(2, "int64")}, '
    f'{read_only(1)}, '
    f'{_JET}, {_JET}, {_JET}, {_JET})',
    releases_gil=False,
)
set_motor_commands = Kernel(
    _motor_commands,
    f'int64({read_only(3)}, {_JETS}, {read_only(2, "int64")}, {read_only(1)}, '
    f'{_JETS}, {_JETS}, {_JETS})',
)

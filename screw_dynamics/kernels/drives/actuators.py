# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Kernels of joint friction, parallel springs and the motors of rigid joints."""

import numpy as np

from screw_dynamics.kernels.drives.deflections import NOT_FINITE, OK
from screw_dynamics.kernels.drives.friction import WORK as FRICTION_WORK
from screw_dynamics.kernels.drives.friction import add_friction_under_load
from screw_dynamics.kernels.drives.motor_efforts import add_motor_effort
from screw_dynamics.kernels.drives.parallel import (
    FORCE,
    STIFFNESS,
    has_length,
    subtract_parallel_spring,
    within_range,
)
from screw_dynamics.kernels.drives.parallel import WORK as SPRING_WORK
from screw_dynamics.kernels.kernel import Kernel, read_only

# status code beside those of `deflections`: a parallel spring is beyond its range of lengths
OUTSIDE_LENGTH = 6

_ROWS = max(FRICTION_WORK, SPRING_WORK)
_LARGEST = np.finfo(np.float64).max


def _transmit(rows, further, spring, jet, effort, work, failure):
    """Turn the link effort of a joint into the transmitted one, jets (p,); return the status."""
    count = len(effort)
    if spring[STIFFNESS] != 0.0 or spring[FORCE] != 0.0:
        length = subtract_parallel_spring(spring, jet, effort, work)
        if has_length(spring) and not within_range(spring, length):
            failure[2] = length
            return OUTSIDE_LENGTH
    add_friction_under_load(rows, further, jet[1:], effort, work)
    for k in range(count):
        if not abs(effort[k]) <= _LARGEST:
            return NOT_FINITE
    return OK


def write_transmitted_efforts(jets, rows, further, springs, efforts, failure):
    """
    Turn link efforts (T, k + 1, n), in place, into the efforts that drives transmit.

    `jets` is (T, k + 2 or more, n), `rows` and `further` (n, 4) are the friction of the joints,
    `springs` (n, 10) the parallel springs. `failure` (5,) has sample, joint and value of a status.
    """
    count = efforts.shape[1]
    jet, effort, work = np.empty(count + 1), np.empty(count), np.empty((_ROWS, count))
    for t in range(len(jets)):
        failure[0] = t
        for j in range(len(rows)):
            failure[1] = j
            jet[:], effort[:] = jets[t, : count + 1, j], efforts[t, :, j]
            status = _transmit(rows[j], further[j], springs[j], jet, effort, work, failure)
            if status != OK:
                return status
            efforts[t, :, j] = effort
    return OK


def _actuator_efforts(
    jets, efforts, rows, further, springs, motors, motor_friction, result, failure
):
    """
    Fill the motor efforts (T, k + 1, n) of rigid joints from link efforts (T, k + 1, n).

    `jets` is (T, k + 3 or more, n), `motors` and `motor_friction` (n, 4); the rest as in
    `write_transmitted_efforts`.
    """
    count = efforts.shape[1]
    jet, effort, load = np.empty(count + 2), np.empty(count), np.empty(count)
    work = np.empty((_ROWS, count))
    for t in range(len(jets)):
        failure[0] = t
        for j in range(len(rows)):
            failure[1] = j
            jet[:], effort[:] = jets[t, : count + 2, j], efforts[t, :, j]
            status = _transmit(rows[j], further[j], springs[j], jet, effort, work, failure)
            if status != OK:
                return status
            load[:] = effort
            add_motor_effort(motors[j], motor_friction[j], jet, load, effort, work)
            for k in range(count):
                if not abs(effort[k]) <= _LARGEST:
                    return NOT_FINITE
            result[t, :, j] = effort
    return OK


_TABLES = ', '.join([read_only(2)] * 3)

set_transmitted_efforts = Kernel(
    write_transmitted_efforts,
    f'int64({read_only(3)}, {_TABLES}, float64[:, :, ::1], float64[::1])',
)
set_actuator_efforts = Kernel(
    _actuator_efforts,
    f'int64({read_only(3)}, {read_only(3)}, {_TABLES}, {read_only(2)}, {read_only(2)}, '
    'float64[:, :, ::1], float64[::1])',
)

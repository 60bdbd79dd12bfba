# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`MotorHistory`: the reference of motors and springs at and between the last samples."""

import numpy as np
from numpy.typing import NDArray

from screw_dynamics.arrays import Array
from screw_dynamics.elastic import MotorFeedforward, MotorTable
from screw_dynamics.elastic.spring_efforts import SpringEfforts, compile_spring_efforts
from screw_dynamics.jit import Kernel

SIZE = 2048  # samples; the longest lead_time and feedback.timeout at the highest publish_rate

_POSITION, _VELOCITY, _ACCELERATION, _EFFORT, _STIFFNESS = range(5)  # rows of a sample


class MotorHistory:
    """Positions, velocities, spring efforts and stiffness of m motors along the last samples."""

    def __init__(self, table: MotorTable, springs: SpringEfforts) -> None:
        self._springs, self._joint = springs, table.joint_of_motor
        self._variable = np.maximum(table.variable[self._joint], 0)
        self._instants = np.zeros(SIZE, dtype=np.int64)
        self._samples = np.zeros((SIZE, 5, table.m))
        self._state = np.zeros((4, table.m))
        self._newest = self._count = 0

    def clear(self) -> None:
        """Drop all samples."""
        self._count = 0

    def add(self, instant: int, motors: MotorFeedforward, stiffness: Array) -> None:
        """Add the sample of an instant [ns]; `stiffness` (V,) is that of the variable joints."""
        while self._count and self._instants[self._newest] >= instant:  # lead_time is shorter now
            self._newest, self._count = (self._newest - 1) % SIZE, self._count - 1
        self._newest, self._count = (self._newest + 1) % SIZE, min(self._count + 1, SIZE)
        self._instants[self._newest] = instant
        sample = self._samples[self._newest]
        sample[: _ACCELERATION + 1] = motors.motor_jet[: _ACCELERATION + 1]
        np.take(motors.effort, self._joint, out=sample[_EFFORT], mode='clip')
        if len(stiffness):
            np.take(stiffness, self._variable, out=sample[_STIFFNESS], mode='clip')
        self._springs.fill(motors.deflection_jet[:2], sample[_STIFFNESS], sample[_EFFORT])

    def at(self, instant: int) -> Array | None:
        """
        Return the reference (4, m) at an instant [ns]: positions, velocities, efforts, stiffness.

        It is in a shared array, cubic (positions, velocities) or linear between samples. None
        before the oldest of them.
        """
        known = _set_state(
            self._instants, self._samples, self._newest, self._count, instant, self._state
        )
        return self._state if known else None


def _set_state_at(
    instants: NDArray[np.int64],
    samples: Array,
    newest: int,
    count: int,
    instant: int,
    out: Array,
) -> bool:
    """Set the reference (4, m) at an instant [ns]; return False before the oldest sample."""
    if count == 0:
        return False
    later = earlier = newest
    for back in range(count):
        earlier = (newest - back) % len(instants)
        if instants[earlier] <= instant:
            break
        later = earlier
    if instants[earlier] > instant:
        return False
    elapsed = 1e-9 * (instant - instants[earlier])
    for i in range(out.shape[1]):
        a, b = samples[earlier, :, i], samples[later, :, i]
        if later == earlier:  # beyond the newest
            out[0, i] = a[_POSITION] + elapsed * (a[_VELOCITY] + 0.5 * elapsed * a[_ACCELERATION])
            out[1, i] = a[_VELOCITY] + elapsed * a[_ACCELERATION]
            out[2, i], out[3, i] = a[_EFFORT], a[_STIFFNESS]
            continue
        step = 1e-9 * (instants[later] - instants[earlier])
        s = elapsed / step
        for d in range(2):
            # Hermite's cubic, as a correction of the line
            rise = b[d] - a[d]
            first, last = step * a[d + 1] - rise, step * b[d + 1] - rise
            bend = s * (1.0 - s) * ((1.0 - s) * first - s * last)
            out[d, i] = a[d] + s * rise + bend
        out[2, i] = a[_EFFORT] + s * (b[_EFFORT] - a[_EFFORT])
        out[3, i] = a[_STIFFNESS] + s * (b[_STIFFNESS] - a[_STIFFNESS])
    return True


_set_state = Kernel(
    _set_state_at,
    'boolean(int64[::1], float64[:, :, ::1], int64, int64, int64, float64[:, ::1])',
)


def compile_history() -> None:
    """Compile the kernels before the first control tick."""
    compile_spring_efforts()
    _set_state.compile()

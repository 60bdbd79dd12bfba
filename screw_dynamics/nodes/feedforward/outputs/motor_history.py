# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`MotorHistory`: the reference of motors and springs at and between the last samples."""

import numpy as np

from screw_dynamics.arrays import Array
from screw_dynamics.elastic import MotorFeedforward, MotorTable
from screw_dynamics.elastic.spring_efforts import SpringEfforts, compile_spring_efforts
from screw_dynamics.kernels.commands.motor_history import (
    ACCELERATION,
    EFFORT,
    STIFFNESS,
    set_motor_state,
)

SIZE = 2048  # samples; the longest lead_time and feedback.timeout at the highest publish_rate


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
        sample[: ACCELERATION + 1] = motors.motor_jet[: ACCELERATION + 1]
        np.take(motors.effort, self._joint, out=sample[EFFORT], mode='clip')
        if len(stiffness):
            np.take(stiffness, self._variable, out=sample[STIFFNESS], mode='clip')
        self._springs.fill(motors.deflection_jet[:2], sample[STIFFNESS], sample[EFFORT])

    def at(self, instant: int) -> Array | None:
        """
        Return the reference (4, m) at an instant [ns]: positions, velocities, efforts, stiffness.

        It is in a shared array, cubic (positions, velocities) or linear between samples. None
        before the oldest of them.
        """
        known = set_motor_state(
            self._instants, self._samples, self._newest, self._count, instant, self._state
        )
        return self._state if known else None


def compile_history() -> None:
    """Compile the kernels before the first control tick."""
    compile_spring_efforts()
    set_motor_state.compile()

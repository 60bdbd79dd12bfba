# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`MotorDrives`: motor efforts of a simulated robot, from commands, feedback and limits."""

from __future__ import annotations

import numpy as np

from screw_dynamics.arrays import Array
from screw_dynamics.elastic import MotorTable
from screw_dynamics.errors import InputError
from screw_dynamics.nodes.sea_simulator.parameters import SeaSimulatorParameters


class MotorDrives:
    """
    The latest commands of m motors, with feedback of the motor motion and saturation.

    ``tau_m = effort + k_p (theta_ref - theta) + k_d (theta_ref' - theta')``, all on the joint side
    of the gear. `applied` (m,) are the last efforts, `saturated` counts how often one was clipped,
    `age` is the time since the instant of the command [s].
    """

    def __init__(self, motors: MotorTable, parameters: SeaSimulatorParameters) -> None:
        self.names = motors.names
        self._limits = motors.max_efforts
        self._command, self.applied = np.zeros((3, motors.m)), np.zeros(motors.m)
        self.age = 0.0
        self.saturated = 0
        self.set_gains(parameters)

    def check_gains(self, parameters: SeaSimulatorParameters) -> None:
        """Raise InputError unless there are 0, 1 or m gains of each kind."""
        self._gains('feedback.proportional', parameters.proportional)
        self._gains('feedback.derivative', parameters.derivative)

    def set_gains(self, parameters: SeaSimulatorParameters) -> None:
        """Set the gains; raise InputError as `check_gains`."""
        self.proportional = self._gains('feedback.proportional', parameters.proportional)
        self.derivative = self._gains('feedback.derivative', parameters.derivative)
        self.has_feedback = parameters.has_feedback

    def _gains(self, name: str, values: tuple[float, ...]) -> Array:
        m = len(self.names)
        if len(values) not in (0, 1, m):
            raise InputError(
                f'parameter {name!r}: expected no value, one, or {m} '
                f'({", ".join(self.names)}), got {len(values)}'
            )
        gains = np.zeros(m)
        gains[:] = values or (0.0,)
        return gains

    def command(
        self,
        effort: Array,
        position: Array | None = None,
        velocity: Array | None = None,
        age: float = 0.0,
    ) -> None:
        """
        Set the command: effort and, for the feedback, position and velocity (m,) of the motors.

        `age` is the time since the instant of the command [s]; negative if it is in the future.
        """
        self._command[0] = effort
        if position is not None and velocity is not None:
            self._command[1], self._command[2] = position, velocity
        self.age = age

    def clear(self) -> None:
        """Set the efforts to zero."""
        self._command[0] = self.applied[:] = 0.0

    def efforts(self) -> Array:
        """Return the efforts (m,) without feedback."""
        return self._apply(self._command[0])

    def efforts_at(self, position: Array, velocity: Array) -> Array:
        """Return the efforts (m,) with feedback of the motor position and velocity (m,)."""
        effort, theta, theta_rate = self._command
        behind = theta + self.age * theta_rate - position
        return self._apply(
            effort + self.proportional * behind + self.derivative * (theta_rate - velocity)
        )

    def _apply(self, efforts: Array) -> Array:
        np.clip(efforts, -self._limits, self._limits, out=self.applied)
        self.saturated += int((self.applied != efforts).any())
        return self.applied

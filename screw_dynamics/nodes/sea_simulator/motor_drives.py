# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Motor efforts of a simulated robot: commands of messages, feedback and limits."""

from collections import deque
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from screw_dynamics.common.arrays import Array, as_vector
from screw_dynamics.common.settings import one_or_each
from screw_dynamics.common.times import SECOND
from screw_dynamics.drives import MotorTable
from screw_dynamics.errors import InputError
from screw_dynamics.nodes.sea_simulator.parameters import SeaSimulatorParameters
from screw_dynamics.recordings.messages.feedforward import Course, motor_sample
from screw_dynamics.recordings.messages.joints import places

_FARTHEST_AHEAD = 2.0  # s: the longest lead_time plus a margin
_FARTHEST_BEHIND = 60.0  # s: in lock-step a sender that is this late can catch up
_FIELDS = ('motor_effort', 'motor_position', 'motor_velocity')


class MotorCommand(NamedTuple):
    """Commands to m motors, on the joint side of the gear."""

    effort: Array  # (m,) [N m or N]
    position: Array | None = None
    velocity: Array | None = None
    instant: int | None = None  # [ns]


def command_of_array(message: Any, names: Sequence[str]) -> MotorCommand:
    """Return the efforts of a Float64MultiArray, or raise InputError."""
    return MotorCommand(_row('data', message.data, names))


def command_of_feedforward(message: Any, names: Sequence[str]) -> MotorCommand | None:
    """Return a MotorFeedforward in the order of `names`, None for an end; raise InputError."""
    if message.state != Course.FOLLOWS:
        return None
    order = places('motor_names', message.motor_names, names)
    sample = motor_sample(message)
    effort, position, velocity = (
        as_vector(field, row[order], len(names))
        for field, row in zip(_FIELDS, (sample.efforts[0], *sample.jet[:2]), strict=True)
    )
    return MotorCommand(effort, position, velocity, sample.instant or None)


def command_age(command: MotorCommand, now: int) -> float:
    """Return the age of a command [s], negative in the future; InputError if clocks differ."""
    if command.instant is None:
        return 0.0
    age = (now - command.instant) / SECOND
    if not -_FARTHEST_AHEAD <= age <= _FARTHEST_BEHIND:
        raise InputError(
            f'header.stamp: expected an instant by the clock of this node, on which it is '
            f'{now / SECOND:.3f} s, got {command.instant / SECOND:.3f} s: is use_sim_time the '
            'same in the node that sends?'
        )
    return age


def _row(field: str, values: Any, names: Sequence[str]) -> Array:
    if len(values) != len(names):
        raise InputError(
            f'{field}: expected {len(names)} values ({", ".join(names)}), got {len(values)}'
        )
    return as_vector(field, np.array(values, dtype=np.float64), len(names))


class MotorDrives:
    """
    The latest commands of m motors, with feedback of the motor motion and saturation.

    ``tau_m = effort + k_p (theta_ref - theta) + k_d (theta_ref' - theta')``, all on the joint side
    of the gear.
    """

    def __init__(self, motors: MotorTable, parameters: SeaSimulatorParameters) -> None:
        self.names = motors.names
        self._limits = motors.max_efforts
        self._command, self.applied = np.zeros((3, motors.m)), np.zeros(motors.m)
        self.age = 0.0  # since the instant of the command [s]
        self._late = round(parameters.effort_delay * parameters.rate)  # steps
        self._waiting = deque[tuple[int, MotorCommand, float]]()
        self._period, self._step, self._following = 1.0 / parameters.rate, 0, False
        self.saturated = 0  # how often an effort was clipped
        self.set_gains(parameters)

    def gains(self, parameters: SeaSimulatorParameters) -> tuple[Array, Array]:
        """Return k_p and k_d (m,); raise InputError unless there are 0, 1 or m of each."""
        return (
            one_or_each('feedback.proportional', parameters.proportional, self.names),
            one_or_each('feedback.derivative', parameters.derivative, self.names),
        )

    def set_gains(self, parameters: SeaSimulatorParameters) -> None:
        """Set the gains; raise InputError as `gains`."""
        self.proportional, self.derivative = self.gains(parameters)
        self.has_feedback = parameters.has_feedback

    def command(self, command: MotorCommand, age: float = 0.0) -> None:
        """Follow a command of an age [s]; with a delay it waits, but for the first after rest."""
        if self._following and self._late:
            self._waiting.append((self._step + self._late, command, age))
            return
        self._following = True
        self._command[0] = command.effort
        if command.position is not None and command.velocity is not None:
            self._command[1], self._command[2] = command.position, command.velocity
        self.age = age

    def begin_step(self) -> None:
        """Take over the commands whose delay is over."""
        while self._waiting and self._waiting[0][0] <= self._step:
            _, command, age = self._waiting.popleft()
            self._following = False
            self.command(command, age + self._late * self._period)
        self._step += 1

    def clear(self) -> None:
        """Set the efforts to zero."""
        self._waiting.clear()
        self._following = False
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

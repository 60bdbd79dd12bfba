# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Guards that stop efforts and motor commands before the first sample beyond a limit."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from screw_dynamics.arrays import Array
from screw_dynamics.elastic import MotorFeedforward
from screw_dynamics.feasibility.quantities import motor_checks, motor_limits, unit_of
from screw_dynamics.kernels.commands.limits import passes_effort_limits, passes_motor_limits
from screw_dynamics.reference.reference import Source
from screw_dynamics.robot import Robot

_INSTANT = np.zeros(1)


class MotionGuard:
    """
    Stops an output at the first sample beyond a limit, until a new motion begins.

    The reference continues while the robot, without commands, does not: resuming commands within
    the motion would be a jump for the drives. They are resumed when a motion begins from a
    reference at rest and its first sample is within the limits; it begins at the measured state,
    see `Reference.driven`. `reason` is the violation, empty while commands are published; `warn`
    is called once per stop.
    """

    _what = ''  # is stopped
    resumption = 'when the next motion begins from rest within the limits'

    def __init__(self, robot: Robot, warn: Callable[[str], object], count: int = 0) -> None:
        self._warn = warn
        self._last = np.zeros(count)  # efforts that passed last; a new model does not change it
        self.set_robot(robot)
        self.forget()

    def set_robot(self, robot: Robot) -> None:
        """Continue with another model that has the same joints."""
        self.robot = robot

    def forget(self) -> None:
        """Reset: the next sample begins a motion."""
        self.reason = ''
        self._resting, self._begins = True, False
        self.pause()

    def pause(self) -> None:
        """Register that nothing is published: the next sample continues no other."""
        self._instant: int | None = None

    def shift(self, by: int) -> None:
        """Register that instants are later by a time [ns] from now on, but not the ticks."""
        if self._instant is not None:
            self._instant += by

    def follow(self, source: Source, continues: bool = False, first: bool = False) -> None:
        """
        Register the next sample of the reference, with or without commands.

        A motion that `continues` one that was stopped does not begin at the measured state. A
        motion whose `first` sample is its end is one position to hold.
        """
        holds = source is Source.HOLD
        self._begins = (first if holds else self._resting) and not continues
        self._resting = holds

    @property
    def stopped(self) -> bool:
        """True if the sample last passed to `follow` continues a stopped motion."""
        return bool(self.reason) and not self._begins

    def stop(self, reason: str) -> None:
        """Stop the commands of a motion for which they can no longer be computed."""
        self.reason = self.reason or reason

    def _step(self, instant: int) -> float:
        """Return the time since the sample before [s]; 0 if there is none."""
        return 0.0 if self._instant is None else 1e-9 * (instant - self._instant)

    def _stop_at_limit(self, violation: str) -> None:
        self.pause()
        self.reason = f'limit exceeded: {violation}; they resume {self.resumption}'
        self._warn(f'No {self._what} are published: {self.reason}')


class MotorGuard(MotionGuard):
    """Stops motor commands; rates of motor efforts are those of an `EffortGuard`."""

    _what = 'motor commands'

    def __init__(self, robot: Robot, warn: Callable[[str], object]) -> None:
        super().__init__(robot, warn, robot.motors.m)
        self._passes = passes_motor_limits.compile()

    def set_robot(self, robot: Robot) -> None:
        """Continue with another model that has the same joints."""
        super().set_robot(robot)
        limits = motor_limits(robot)
        self._bounds = (
            limits.effort_rates,
            limits.deflections,
            limits.motor_velocities,
            limits.motor_efforts,
            limits.motor_effort_rates,
        )

    def passes(self, motors: MotorFeedforward, instant: int) -> bool:
        """Return True if the commands of the sample last passed to `follow` are allowed."""
        if self.stopped:
            self.pause()
            return False
        step = self._step(instant)
        if self._passes(*guarded_jets(motors), self._last, step, *self._bounds):
            self._instant, self.reason = instant, ''
            return True
        self._stop_at_limit(self._violation(motors, step))
        return False

    def _violation(self, motors: MotorFeedforward, step: float) -> str:
        batch = replace(
            motors.as_batch(),
            effort_jet=_two_rows(motors.effort_jet),
            motor_effort_jet=_two_rows(motors.motor_effort_jet),
        )
        if step > 0.0:
            rates = batch.motor_effort_jet[0, 1]
            change = (motors.motor_effort - self._last) / step
            rates[:] = np.where(np.abs(change) > np.abs(rates), change, rates)
        checks = motor_checks(self.robot, _INSTANT, batch)
        worst = max(checks, key=lambda check: check.excess)
        return (
            f'{worst.joint}: {worst.quantity} {worst.worst:.9g} {worst.unit}, limit '
            f'{worst.limit:g} {worst.unit}'
        )


class EffortGuard(MotionGuard):
    """
    Stops efforts beyond their limits or with rates beyond theirs.

    A rate is the time derivative of the effort, and the change since the sample before, which a
    new speed, load or stiffness may cause.
    """

    _what = 'efforts'

    def __init__(self, robot: Robot, warn: Callable[[str], object]) -> None:
        super().__init__(robot, warn, robot.n)
        self._passes = passes_effort_limits.compile()

    def set_robot(self, robot: Robot) -> None:
        """Continue with another model that has the same joints."""
        super().set_robot(robot)
        self._limits = robot.model.limits.ignoring_zeros().effort
        self.rates = (
            np.full(robot.n, np.inf) if robot.drives is None else motor_limits(robot).effort_rates
        )

    @property
    def needs_rates(self) -> bool:
        """True if a limit of a rate is finite."""
        return bool(np.isfinite(self.rates).any())

    def passes(self, efforts: Array, instant: int) -> bool:
        """Return True if the efforts (rows, n) at an instant [ns] are allowed; see `follow`."""
        if self.stopped:
            self.pause()
            return False
        step = self._step(instant)
        if self._passes(efforts, self._last, step, self._limits, self.rates):
            self._instant, self.reason = instant, ''
            return True
        self._stop_at_limit(self._violation(efforts, step))
        return False

    def _violation(self, efforts: Array, step: float) -> str:
        rates = np.abs(efforts[1]) if len(efforts) > 1 else np.zeros(len(self.rates))
        if step > 0.0:
            rates = np.maximum(rates, np.abs(efforts[0] - self._last) / step)
        found = [
            (value / limit[j], j, quantity, value, limit[j])
            for quantity, values, limit in (
                ('effort', np.abs(efforts[0]), self._limits),
                ('effort rate', rates, self.rates),
            )
            for j, value in enumerate(values)
        ]
        _, j, quantity, value, bound = max(found)
        unit = unit_of(quantity, self.robot.model.coordinate_types[j])
        name = self.robot.joint_names[j]
        return f'{name}: {quantity} {value:.9g} {unit}, limit {bound:g} {unit}'


def _two_rows(jet: Array) -> Array:
    """Return a jet as a batch of one with value and rate, 0 if it is not known."""
    rows = np.zeros((1, 2, jet.shape[1]))
    rows[0, : len(jet)] = jet[:2]
    return rows


def guarded_jets(motors: MotorFeedforward) -> tuple[Array, Array, Array, Array]:
    """Return what has limits, in the order of the kernels."""
    return motors.effort_jet, motors.deflection_jet, motors.motor_jet, motors.motor_effort_jet


def compile_guards() -> None:
    """Compile the comparisons before the first control tick."""
    passes_motor_limits.compile()
    passes_effort_limits.compile()

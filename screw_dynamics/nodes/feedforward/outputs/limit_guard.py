# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`LimitGuard`: stop of motor commands that exceed a limit of the elastic joints."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from screw_dynamics.arrays import Array
from screw_dynamics.elastic import ElasticJoints, MotorFeedforward
from screw_dynamics.feasibility.quantities import motor_checks, motor_limits
from screw_dynamics.feasibility.report import SLACK
from screw_dynamics.jit import Kernel, read_only
from screw_dynamics.model import ScrewModel
from screw_dynamics.reference.reference import Source
from screw_dynamics.robot import Robot

_INSTANT = np.zeros(1)


class LimitGuard:
    """
    Stops motor commands at the first sample beyond a limit, until a new motion begins.

    The reference continues while the motors, without commands, do not: resuming commands within
    the motion would be a jump for the drives, and a motion along a limit would switch them on and
    off. They are therefore resumed only when a motion begins from a reference at rest (the hold
    after an end, or no reference) and its first sample is within the limits. Since the robot has
    left the reference, that motion begins at the measured state, see `Reference.driven`.

    `reason` is the violation (joint, quantity, value, limit) that stopped the commands; it is
    empty while they are published. `warn` is called once per stop.
    """

    def __init__(
        self, model: ScrewModel, elastic: ElasticJoints, warn: Callable[[str], object]
    ) -> None:
        self._robot, self._warn = Robot(model, elastic), warn
        limits = motor_limits(self._robot)
        self._bounds = (
            limits.effort_rates,
            limits.deflections,
            limits.motor_velocities,
            limits.motor_efforts,
        )
        self.forget()

    def forget(self) -> None:
        """Reset: the next sample begins a motion."""
        self.reason = ''
        self._resting, self._begins = True, False

    def follow(self, source: Source) -> None:
        """Register the next sample of the reference, with or without motor commands."""
        self._begins = self._resting and source is not Source.HOLD
        self._resting = source is Source.HOLD

    def stop(self, reason: str) -> None:
        """Stop the commands of a motion for which they can no longer be computed."""
        self.reason = self.reason or reason

    def passes(self, motors: MotorFeedforward) -> bool:
        """Return True if the motor commands of the sample last passed to `follow` are allowed."""
        if self.reason and not self._begins:
            return False
        if _keeps(
            motors.effort_jet,
            motors.deflection_jet,
            motors.motor_jet,
            motors.motor_effort_jet,
            *self._bounds,
        ):
            self.reason = ''
            return True
        self.reason = self._violation(motors)
        self._warn(f'No motor commands are published: {self.reason}')
        return False

    def _violation(self, motors: MotorFeedforward) -> str:
        known = motors.effort_jet[:2]
        efforts = np.zeros((1, 2, known.shape[1]))
        efforts[0, : len(known)] = known
        batch = replace(
            motors,
            effort_jet=efforts,
            deflection_jet=motors.deflection_jet[np.newaxis],
            motor_jet=motors.motor_jet[np.newaxis],
            motor_effort_jet=motors.motor_effort_jet[np.newaxis],
        )
        checks = motor_checks(self._robot, _INSTANT, batch)
        worst = max(checks, key=lambda check: check.excess)
        return (
            f'limit exceeded: {worst.joint}: {worst.quantity} {worst.worst:.9g} {worst.unit}, '
            f'limit {worst.limit:g} {worst.unit}; they come back when the next motion begins from '
            'rest within the limits'
        )


def compile_limit_guard() -> None:
    """Compile the comparison before the first control tick."""
    _keeps.compile()


def _keeps_limits(
    effort_jet: Array,
    deflection_jet: Array,
    motor_jet: Array,
    motor_effort_jet: Array,
    effort_rates: Array,
    deflections: Array,
    motor_velocities: Array,
    motor_efforts: Array,
) -> bool:
    """Return True if one sample is within the limits; effort rates only if they are known."""
    if effort_jet.shape[0] > 1:
        for j in range(len(effort_rates)):
            if abs(effort_jet[1, j]) - effort_rates[j] > SLACK * effort_rates[j]:
                return False
    for i in range(len(deflections)):
        if (
            abs(deflection_jet[0, i]) - deflections[i] > SLACK * deflections[i]
            or abs(motor_jet[1, i]) - motor_velocities[i] > SLACK * motor_velocities[i]
            or abs(motor_effort_jet[0, i]) - motor_efforts[i] > SLACK * motor_efforts[i]
        ):
            return False
    return True


_ROWS, _BOUNDS = ', '.join([read_only(2)] * 4), ', '.join([read_only(1)] * 4)
_keeps = Kernel(_keeps_limits, f'boolean({_ROWS}, {_BOUNDS})')

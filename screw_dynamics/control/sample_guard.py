# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`SampleGuard`: stops a motion before its first sample beyond a limit."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from screw_dynamics.common.arrays import Array
from screw_dynamics.control.outputs import EffortSample
from screw_dynamics.drives import MotorFeedforward
from screw_dynamics.drives.robot import Robot
from screw_dynamics.kernels.drives.limits import (
    passes_effort_limits,
    passes_motion_limits,
    passes_motor_limits,
)
from screw_dynamics.limits.quantities import checks_of, motor_checks, motor_limits
from screw_dynamics.limits.report import LimitCheck

# rad/s or m/s, of a motion that begins from rest: more than it reaches within some ticks
_RESTING = 0.02
_INSTANT = np.zeros(1)


class SampleGuard:
    """
    Stops a motion at a sample with efforts, rates, springs or motors beyond a limit.

    `reason` is then set until another motion begins from rest within the limits: the reference
    goes on while the robot does not, so that to resume within the motion would be a jump.
    """

    def __init__(self, robot: Robot) -> None:
        self.reason = ''
        self._passes_motion = passes_motion_limits.run
        self._passes_efforts = passes_effort_limits.run
        self._passes_motors = passes_motor_limits.run
        self._motion = self._refused = 0
        self.set_robot(robot)

    def set_robot(self, robot: Robot) -> None:
        """Continue with another model that has the same joints."""
        self._robot = robot
        limits_of_joints = robot.model.limits.ignoring_zeros()
        self._efforts, self._velocities = limits_of_joints.effort, limits_of_joints.velocity
        self._lower, self._upper = robot.model.limits.lower, robot.model.limits.upper
        self._rates = np.full(robot.n, np.inf)
        if robot.drives is not None:
            limits = motor_limits(robot)
            self._rates = limits.effort_rates
            self._bounds = (
                limits.effort_rates,
                limits.deflections,
                limits.motor_velocities,
                limits.motor_efforts,
                limits.motor_effort_rates,
            )

    def forget(self) -> None:
        """Let the next sample begin a motion."""
        self.reason = ''

    def stops(self, sample: EffortSample, jet: Array) -> bool:
        """Return True if a sample belongs to what was stopped, or does not begin from rest."""
        if not self.reason:
            return False
        if sample.motion in (self._motion, self._refused):
            return True
        rests = bool(np.abs(jet[1]).max() <= _RESTING)
        if not rests:
            self._refused = sample.motion
        return not rests

    def stop(self, motion: int, reason: str) -> None:
        """Stop a motion, by its number."""
        self._motion = self._refused = motion
        self.reason = reason

    def effort_violation(self, efforts: Array) -> str:
        """Return the worst violation by efforts (rows, n); '' if they are within their limits."""
        if self._passes_efforts(efforts, self._efforts, self._rates):
            return ''
        checks = self._checks('effort', efforts[:1], -self._efforts, self._efforts)
        return _worst(
            checks + self._checks('effort rate', efforts[1:2], -self._rates, self._rates)
        )

    def motion_violation(self, jet: Array) -> str:
        """Return the worst position or velocity of a joint jet beyond its limit; '' if none is."""
        speeds = self._velocities
        if self._passes_motion(jet, self._lower, self._upper, speeds):
            return ''
        checks = self._checks('position', jet[:1], self._lower, self._upper)
        return _worst(checks + self._checks('velocity', jet[1:2], -speeds, speeds))

    def motor_violation(self, motors: MotorFeedforward) -> str:
        """Return the worst violation by motor efforts and springs; '' if there is none."""
        effort, effort_of_motors = motors.effort_jet, motors.motor_effort_jet
        if self._passes_motors(
            effort, motors.deflection_jet, motors.motor_jet, effort_of_motors, *self._bounds
        ):
            return ''
        batch = replace(
            motors.as_batch(),
            effort_jet=_two_rows(effort),
            motor_effort_jet=_two_rows(effort_of_motors),
        )
        return _worst(motor_checks(self._robot, _INSTANT, batch))

    def _checks(self, quantity: str, row: Array, lower: Array, upper: Array) -> list[LimitCheck]:
        """Return the checks of a row (1, n); none of (0, n)."""
        return checks_of(self._robot, quantity, _INSTANT, row, lower, upper) if len(row) else []


def _worst(checks: list[LimitCheck]) -> str:
    worst = max(checks, key=lambda check: check.excess, default=None)
    if worst is None:
        return 'what has no limit is not a number'
    return (
        f'{worst.joint}: {worst.quantity} {worst.worst:.9g} {worst.unit}, limit '
        f'{worst.limit:g} {worst.unit}'
    )


def _two_rows(jet: Array) -> Array:
    """Return a jet as a batch of one with value and rate, 0 if it is not known."""
    rows = np.zeros((1, 2, jet.shape[1]))
    rows[0, : len(jet)] = jet[:2]
    return rows

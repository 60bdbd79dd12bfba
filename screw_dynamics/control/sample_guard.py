# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`SampleGuard`: stops a motion before its first sample beyond a limit."""

from __future__ import annotations

import numpy as np

from screw_dynamics.common.arrays import Array
from screw_dynamics.drives import MotorFeedforward
from screw_dynamics.drives.robot import Robot
from screw_dynamics.limits.table import LimitTable
from screw_dynamics.recordings.messages.feedforward import FeedforwardSample

# rad/s or m/s, of a motion that begins from rest: more than it reaches within some ticks
_RESTING = 0.02


class SampleGuard:
    """
    Stops a motion at a sample with efforts, rates, springs or motors beyond a limit.

    `reason` is then set until another motion begins from rest within the limits: the reference
    goes on while the robot does not, so that to resume within the motion would be a jump.
    """

    def __init__(self, robot: Robot) -> None:
        self.reason = ''
        self.motion = self._refused = 0  # that was stopped, and the newest that does not begin
        self.set_robot(robot)

    def set_robot(self, robot: Robot) -> None:
        """Continue with another model that has the same joints."""
        self.table = LimitTable.of(robot)
        self._derivatives = self.table.limited_derivatives()

    def forget(self) -> None:
        """Let the next sample begin a motion."""
        self.reason = ''

    def stops(self, sample: FeedforwardSample) -> bool:
        """Return True if a sample belongs to what was stopped, or does not begin from rest."""
        if not self.reason:
            return False
        if sample.motion in (self.motion, self._refused):
            return True
        rests = bool(np.abs(sample.jet[1]).max() <= _RESTING)
        if not rests:
            self._refused = sample.motion
        return not rests

    def stop(self, motion: int, reason: str) -> None:
        """Stop a motion, by its number."""
        self.motion = self._refused = motion
        self.reason = reason

    def effort_violation(self, efforts: Array) -> str:
        """Return which of efforts (rows, n) is beyond its limit; '' if none is."""
        rate = efforts[1] if len(efforts) > 1 else None
        return self.table.violation(('effort', efforts[0]), ('effort rate', rate))

    def violation(self, jet: Array, efforts: Array) -> str:
        """Return what of a jet (rows, n) or its efforts is beyond a limit; '' if nothing is."""
        return self.effort_violation(efforts) or self.table.violation(
            ('position', jet[0]),
            *((name, jet[d]) for d, name in self._derivatives if d < len(jet)),
        )

    def motor_violation(self, motors: MotorFeedforward) -> str:
        """Return what of motors and springs is beyond a limit; '' if nothing is."""
        efforts, transmitted = motors.motor_effort_jet, motors.effort_jet
        return self.table.violation(
            ('effort rate', transmitted[1] if len(transmitted) > 1 else None),
            ('deflection', motors.deflection_jet[0]),
            ('motor velocity', motors.motor_jet[1]),
            ('motor effort', efforts[0]),
            ('motor effort rate', efforts[1] if len(efforts) > 1 else None),
        )

# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`DriveTarget`: what a sample asks of the drives, and what of it is not the motion itself."""

from __future__ import annotations

import numpy as np

from screw_dynamics.common.arrays import Array
from screw_dynamics.control.drive_parameters import DriveCommandsParameters
from screw_dynamics.control.drive_records import FeedforwardSample, MotorSample
from screw_dynamics.control.last_guard import ABSURD, LastGuard

# velocities and accelerations of a reference that rests, as parts of the velocity limit [1, 1/s]
_REST = 1e-3, 1e-2
# The same of the first sample of a motion. A C4 motion from rest to the limit of the velocity
# within T has there, at t, 256 (t/T)^4 of it and 1024 (t/T)^3 / T of acceleration: after two ticks
# of 4 ms 1e-2 for T = 0.1 s, and 8e-3/s for T = 0.5 s. A turning point has more acceleration.
_FIRST = 2e-2, 5e-2
# s since the start of a trajectory, within which its accelerations are not looked at: cubic and
# linear curves begin with a jump of theirs
_FIRST_TIME = 0.05
# parts of a limit of the effort up to which a change counts as the motion's own, with rates of the
# efforts in the samples and without
_KNOWN, _UNKNOWN = 1e-3, 1e-2
_LEARNT = 0.25  # of a limit of the rate, by which a change alters the estimate of the rate
# of the velocity limit: changes of velocities, and of positions [s], that the motion explains
_VELOCITY, _POSITION = 2e-2, 1e-3
_TURN = 2.0 * np.pi


class DriveTarget:
    """
    The newest sample as the commands of m joints or motors, and changes since the one before.

    `motion` (2, m) are positions and velocities, `effort` (2, m) is the part of the efforts that
    is sent, with its rate, `added` (m,) what the robot adds to it. A measured robot is held where
    it is, at rest, so that drives damp. Continuous joints count on over whole turns, which a newer
    trajectory or an encoder may leave out.
    """

    def __init__(self, guard: LastGuard, joints: int, settings: DriveCommandsParameters) -> None:
        m = len(guard.names)
        self._content = settings.effort_content
        self.jet, self.full = np.zeros((3, m)), np.zeros(m)
        self.motion, self.effort = self.jet[:2], np.zeros((2, m))
        self.added, self.joint_jet = np.zeros(m), np.zeros((4, joints))
        self.rates: Array | None = None  # of the full efforts
        self.rates_sent = False  # whether the rates of `effort` are known
        self.deflection: Array | None = None
        self.ratios: Array | None = None
        self._before, self._slope = np.zeros((5, m)), np.zeros(m)
        self._work = np.zeros((2, m))
        self._knew = self.jerks_known = self._measured = False
        self._pace = self.jet[1:]  # velocities and accelerations of the sample
        self._places = np.zeros(joints)
        self.guard, self._turns = guard, bool(guard.turning.any())

    def set(self, sample: FeedforwardSample, motors: MotorSample | None) -> None:
        """Keep the sample before, and take over a sample."""
        self._before[:3], self._before[3:] = self.jet, self.effort
        self._knew = self.rates_sent
        source = sample if motors is None else motors
        self.jet[:], self._pace = source.jet[:3], source.jet[1:3]
        self._measured = sample.measured
        if self._measured:
            self.jet[1:] = 0.0
        self._places[:] = self.joint_jet[0]
        self.joint_jet[: len(sample.jet)] = sample.jet
        if self._turns:
            self._count_turns()
        self.jerks_known = len(sample.jet) > 3
        self.full[:], self.rates = source.effort, source.effort_dot
        if motors is not None:
            self.deflection, self.ratios = motors.deflection, motors.ratios
        sent, gravity = self.effort, sample.gravity
        sent[0], sent[1], self.added[:] = source.effort, 0.0, 0.0
        if self._content == 'full':
            if self.rates is not None:
                sent[1] = self.rates
        elif gravity is None:
            sent[0] = np.nan  # beyond every limit
        elif self._content == 'without_gravity':
            self.added[:] = gravity[self.guard.owner]
            sent[0] -= self.added
        else:
            sent[0] = gravity[self.guard.owner]
        self.rates_sent = self._content == 'full' and self.rates is not None

    def _count_turns(self) -> None:
        """Have continuous joints count on from the positions of the sample before."""
        away = np.where(self.guard.turning, self._places - self.joint_jet[0], 0.0)
        turned = _TURN * np.rint(np.where(np.isfinite(away), away, 0.0) / _TURN)
        self.joint_jet[0] += turned
        self.jet[0] += turned[self.guard.owner]

    def forget(self) -> None:
        """Drop what is known of efforts before."""
        self._slope[:] = 0.0

    def violation(self) -> str:
        """Return what of the sample is beyond a limit; '' if nothing is."""
        if self._content != 'full' and not np.isfinite(self.effort[0]).all():
            return f'gravity_effort: expected one per joint for {self._content}, got none'
        found = self.guard.violation(self.jet, self.full, self.rates, self.deflection)
        if not found and self._content == 'gravity_only':
            return self.guard.violation(self.jet, self.effort[0], None, None)
        return found

    def step_text(self, tolerance: float, time: float) -> str:
        """Return which position steps further than its joint moves within a time [s]."""
        return self.guard.step_text(
            self._before, self.jet, tolerance, time, measured=self._measured
        )

    def rests(self) -> bool:
        """Return True if the reference rests."""
        return self._slower(_FIRST[0], np.inf) if self._measured else self._slower(*_REST)

    def begins(self, since_start: float) -> bool:
        """Return True if this may be the first sample of a motion from rest."""
        return self._slower(_FIRST[0], np.inf if since_start <= _FIRST_TIME else _FIRST[1])

    def _slower(self, velocity: float, acceleration: float) -> bool:
        pace, (velocities, accelerations) = self.guard.pace, self._pace
        return bool(
            (np.abs(velocities) <= velocity * pace).all()
            and (np.abs(accelerations) <= acceleration * pace).all()
        )

    def effort_change(self, time: float) -> Array | None:
        """Return the part (m,) of the change of efforts that rates do not explain, if any."""
        change, before = self._work[0], self._before[3:]
        np.subtract(self.effort[0], before[0], out=change)
        scale = np.where(
            self.guard.efforts < ABSURD, self.guard.efforts, max(1.0, np.abs(self.full).max())
        )
        if self.rates_sent and self._knew:
            change -= (0.5 * time) * (before[1] + self.effort[1])
            allowed = _KNOWN * scale
            self._slope[:] = self.effort[1]
        else:
            change -= self._slope * time
            allowed = _UNKNOWN * scale
            learnt = np.minimum(allowed, _LEARNT * time * self.guard.rates)
            self._slope += np.clip(change, -learnt, learnt) / time
        foreign = np.abs(change) > allowed
        change *= foreign
        return change if foreign.any() else None

    def motion_change(self, time: float) -> Array | None:
        """Return the part (2, m) of a change of positions and velocities that is no motion."""
        before, jet, change = self._before, self.jet, self._work
        np.subtract(jet[:2], before[:2], out=change)
        change -= (0.5 * time) * (before[1:3] + jet[1:3])
        pace = self.guard.pace
        foreign = (np.abs(change[0]) > _POSITION * pace) | (np.abs(change[1]) > _VELOCITY * pace)
        if self._measured:
            foreign = np.abs(change[0]) > self.guard.speeds * time
        if not foreign.any():
            return None
        change[0] = jet[0] - before[0] - time * jet[1]  # at the end of the step
        change[1] = jet[1] - before[1]
        change *= foreign
        return change

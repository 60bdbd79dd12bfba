# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`DriveTarget`: what a sample asks of the drives, and how it differs from the one before."""

from __future__ import annotations

import numpy as np

from screw_dynamics.common.arrays import Array
from screw_dynamics.control.drive_parameters import DriveCommandsParameters
from screw_dynamics.control.last_guard import LastGuard
from screw_dynamics.recordings.messages.feedforward import FeedforwardSample, MotorSample
from screw_dynamics.trajectory.reference.reference import Source

# velocities and accelerations of a reference that rests, as parts of the velocity limit [1, 1/s]
_REST = 1e-3, 1e-2
# The same of the first sample of a motion. A C4 motion from rest to the limit of the velocity
# within T has there, at t, 256 (t/T)^4 of it and 1024 (t/T)^3 / T of acceleration: after two ticks
# of 4 ms 1e-2 for T = 0.1 s, and 8e-3/s for T = 0.5 s. A turning point has more acceleration.
_FIRST = 2e-2, 5e-2
# s since the start of a trajectory, within which its accelerations are not looked at: cubic and
# linear curves begin with a jump of theirs
_FIRST_TIME = 0.05
# of a limit of the effort: a step of efforts that nobody has certified, beside their rates, beyond
# which it counts as a jump though it is not marked as one
_LEAP = 0.25
_HELD = 0.05  # of a limit of the effort: more gravity than this lets an arm fall
_TURN = 2.0 * np.pi


class DriveTarget:
    """
    The newest sample as the commands of m joints or motors, and the one before.

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
        self.gravity: Array | None = None
        self.rates: Array | None = None  # of the full efforts
        self.rates_sent = False  # whether the rates of `effort` are known
        self.deflection: Array | None = None
        self.ratios: Array | None = None
        self._before, self._joints_before = np.zeros((5, m)), np.zeros((3, joints))
        self._work = np.zeros((2, m))
        self._knew = self.jerks_known = self.measured = self._certified = False
        self._smooth = 0
        self._pace = np.zeros((2, joints))  # velocities and accelerations of the sample
        self.guard, self._turns = guard, bool(guard.turning.any())

    def set(self, sample: FeedforwardSample, motors: MotorSample | None) -> None:
        """Keep the sample before, and take over a sample."""
        self._before[:3], self._before[3:] = self.jet, self.effort
        self._joints_before[:] = self.joint_jet[:3]
        self._knew, rows = self.rates_sent, min(len(sample.jet), 4)
        self.joint_jet[:rows], self.joint_jet[rows:] = sample.jet[:rows], 0.0
        self._pace[:] = self.joint_jet[1:3]
        self.measured = sample.source == Source.MEASURED
        self._certified = not (self.measured or sample.source == Source.STREAM)
        if self.measured:
            self.joint_jet[1:] = 0.0
        if motors is None:
            self.jet[:] = self.joint_jet[:3]
        else:
            self.jet[2] = 0.0
            self.jet[: len(motors.jet)] = motors.jet
        if self._turns:
            self._count_turns()
        self.jerks_known = rows > 3
        # a curve that is certified keeps its limits within its segments
        self._smooth = min(sample.continuity if self._certified else 2, 1 + self.jerks_known)
        efforts = sample.efforts if motors is None else motors.efforts
        self.full[:], self.rates = efforts[0], efforts[1] if len(efforts) > 1 else None
        if motors is not None:
            self.deflection, self.ratios = motors.deflection, motors.ratios
        self.gravity = sample.gravity
        sent, gravity = self.effort, sample.gravity
        sent[0], sent[1], self.added[:] = self.full, 0.0, 0.0
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
        away = self._joints_before[0] - self.joint_jet[0]
        away = np.where(self.guard.turning & np.isfinite(away), away, 0.0)
        turned = _TURN * np.rint(away / _TURN)
        self.joint_jet[0] += turned
        self.jet[0] += turned[self.guard.owner]

    def falls(self) -> bool:
        """Return True if gravity, where it is known, moves an arm that nothing holds."""
        limits = self.guard.table.rows['effort'].upper
        return self.gravity is not None and bool((np.abs(self.gravity) > _HELD * limits).any())

    def violation(self) -> str:
        """Return what of the sample is beyond a limit; '' if nothing is."""
        if self._content != 'full' and not np.isfinite(self.effort[0]).all():
            return f'gravity_effort: expected one per joint for {self._content}, got none'
        guard = self.guard
        found = guard.violation(self.joint_jet, self.jet, self.full, self.rates, self.deflection)
        if not found and self._content == 'gravity_only':
            return guard.violation(self.joint_jet, self.jet, self.effort[0], None, None)
        return found or guard.absurd_effort(self.added)

    def step_text(self, tolerance: float, time: float, *, jumps: bool) -> str:
        """Return which joint steps further than it moves, or jumps by more than a tolerance."""
        before, after = self._joints_before, self.joint_jet[:3]
        if jumps:
            return self.guard.far_text(before, after, tolerance, time)
        return self.guard.step_text(
            before, after, tolerance, time, measured=self.measured, smooth=self._smooth
        )

    def rests(self) -> bool:
        """Return True if the reference rests."""
        return self._slower(_FIRST[0], np.inf) if self.measured else self._slower(*_REST)

    def begins(self, since_start: float) -> bool:
        """Return True if this may be the first sample of a motion from rest."""
        return self._slower(_FIRST[0], np.inf if since_start <= _FIRST_TIME else _FIRST[1])

    def _slower(self, velocity: float, acceleration: float) -> bool:
        pace, (velocities, accelerations) = self.guard.pace, self._pace
        return bool(
            (np.abs(velocities) <= velocity * pace).all()
            and (np.abs(accelerations) <= acceleration * pace).all()
        )

    def leaps(self, time: float) -> bool:
        """Return True if efforts that nobody has certified step more than they should."""
        if self._certified:
            return False
        most = _LEAP * self.guard.efforts
        return bool((np.abs(self.effort_change(time)) > most).any())

    def effort_change(self, time: float) -> Array:
        """Return the part (m,) of the change of efforts that their rates do not explain."""
        change, before, after = self._work[0], self._before[3:], self.effort
        known = self._knew and self.rates_sent
        return _unexplained(before, after, 0.5 * time * known, change)

    def motion_change(self, time: float) -> Array:
        """
        Return the part (2, m) of the change that velocities and accelerations do not explain.

        That of the positions is beside the velocity that is kept.
        """
        (places, speeds), half = self._work, 0.5 * time
        _unexplained(self._before[1:3], self.jet[1:3], half, speeds)
        _unexplained(self._before[:2], self.jet[:2], half, places, speeds)
        return self._work


def _unexplained(
    before: Array, after: Array, half: float, out: Array, kept: Array | float = 0.0
) -> Array:
    """Write a change of values without that by their rates (2, m), at most that, to `out`."""
    np.subtract(after[0], before[0], out=out)
    size = np.abs(out)
    out -= half * (before[1] + after[1] - kept)
    return np.clip(out, -size, size, out=out)

# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`SentCommands`: what is sent to drives, a target plus blends within the limits."""

import numpy as np

from screw_dynamics.common.arrays import Array
from screw_dynamics.control.blends import STEEPEST, Blend, Transition
from screw_dynamics.control.drive_parameters import DriveCommandsParameters
from screw_dynamics.control.drive_target import DriveTarget
from screw_dynamics.control.last_guard import LastGuard

_SHARE = 0.5  # of a limit of a rate or velocity, for a blend
_LEARNT = 0.05  # of a difference, by which a sample alters the known period
_PERIODS = 2.0  # of samples, for whose time a command may change after a stall


class SentCommands:
    """
    Positions and velocities `motion` and efforts `effort` (2, m), without offsets of servos.

    Blends gain where commands begin, where a sample says that it jumps, and where a limit keeps a
    value; each decays over its own length. At the end efforts and velocities lead to 0, and
    positions follow the velocities.
    """

    def __init__(
        self, guard: LastGuard, target: DriveTarget, settings: DriveCommandsParameters
    ) -> None:
        m = len(guard.names)
        self.guard, self._target, self.settings = guard, target, settings
        self.motion, self.effort = np.zeros((2, m)), np.zeros((2, m))
        self.gains = Transition(settings.gains(m))
        self._motion_blend, self._effort_blend = Blend(m), Blend(m)
        self._out, self._rest = Transition(np.zeros(m)), np.zeros((2, m))  # efforts, and where
        self._ahead, self._blended = np.zeros((2, m)), np.zeros((2, m))
        self._turns, self._none, self._total = np.zeros(m), np.zeros(m), np.zeros(m)
        self._sent, self._period = 0, 0.0  # monotonic time of the last command [ns]; s

    @property
    def blends(self) -> int:
        """Number of the blends that decay."""
        return self._motion_blend.count + self._effort_blend.count

    def rest_at(self, turns: Array, distance: Array) -> None:
        """Rest at a distance (m,), whole turns beside it, from the target; efforts are 0."""
        target, self._turns[:] = self._target, turns
        np.add(target.motion[0], turns, out=self.motion[0])
        self.motion[1] = target.motion[1]
        if self.settings.moves:
            self.motion[0] += distance
            self.motion[1] = 0.0
        self.effort[0] = target.effort[0] if self.settings.servo_stiffness else 0.0

    def begin(self, turns: Array, steady: int) -> None:
        """Begin to lead from what is sent to the target at a monotonic time [ns]."""
        target, self._turns[:], self._period = self._target, turns, 0.0
        self._motion_blend.clear()
        self._effort_blend.clear()
        move = self.motion - target.motion
        move[0] -= self._turns
        if move.any():
            length = self._length(move[0], self.guard.speeds)
            self._motion_blend.add(move[0], move[1], length)
        change = self.effort[0] - target.effort[0]
        if change.any():
            length = self._length(change, self.guard.rates)
            self._effort_blend.add(change, self._none, length)
        self._set(0.0, steady)

    def follow(self, step: float, steady: int, *, jumps: bool) -> None:
        """Follow the target `step` s after the one before, from which it may have jumped."""
        for decaying in (self._motion_blend, self._effort_blend, self.gains):
            decaying.advance(step)
        if jumps:
            self._gain(step)
        self._period = self._period or step
        self._set(step, steady)
        self._period += _LEARNT * (min(step, 2.0 * self._period) - self._period)

    def _gain(self, step: float) -> None:
        """Have blends take up the part of a jump that the motion does not explain."""
        target, guard = self._target, self.guard
        change = target.effort_change(step)
        if change.any():
            self._effort_blend.add(-change, self._none, self._length(change, guard.rates))
        if self.settings.moves:
            shift = target.motion_change(step)
            if shift.any():
                self._motion_blend.add(-shift[0], -shift[1], self._length(shift[0], guard.speeds))

    def _length(self, change: Array, rates: Array) -> float:
        """Return the length of a blend of a change (m,) that keeps a part of rates (m,) [s]."""
        slowest = float(np.max(np.abs(change) / rates, initial=0.0))
        return max(self.settings.ramp_time, STEEPEST / _SHARE * slowest)

    def _set(self, step: float, steady: int) -> None:
        """Set what is sent, `step` s after the sample before, 0 for the first one."""
        target, guard, ahead = self._target, self.guard, self._ahead
        np.add(target.motion[0], self._turns, out=ahead[0])
        ahead[1] = target.motion[1]
        if self.settings.moves:
            self._motion_blend.write(ahead, self._blended)
            most = self._position_step(steady) if step else None
            guard.keep_motion(self._blended, self.motion, most, ahead)
            self._keep(self._motion_blend, guard.speeds)
        self.motion[:] = ahead
        ahead[:] = target.effort
        if self._effort_blend.moving or guard.limited:
            self._effort_blend.write(ahead, self._blended)
            # a jump of the clock is no time that passes
            time = min(step, _PERIODS * self._period)
            guard.keep_effort(self._blended, self._total, time, target.added, ahead)
            self._keep(self._effort_blend, guard.rates)
        self.effort[:] = ahead
        np.add(self.effort[0], target.added, out=self._total)
        self._sent = steady

    def _position_step(self, steady: int) -> Array:
        """Return by how much (m,) positions may change since the last command."""
        passed = min(1e-9 * max(steady - self._sent, 0), _PERIODS * self._period)
        steps: Array = self._fastest() * (passed * (1.0 + 1e-6)) + 1e-9
        return steps

    def _fastest(self) -> Array:
        """Return the velocities (m,) by which positions may change: limits, else the motion's."""
        guard = self.guard
        known = np.maximum(np.abs(self.motion[1]), np.abs(self._ahead[1]))
        free = np.maximum(guard.pace[guard.owner], 1.5 * known)
        return np.where(np.isfinite(guard.speeds), guard.speeds, free)

    def _keep(self, blend: Blend, rates: Array) -> None:
        """Have a blend take up what a limit keeps of `_blended`: `_ahead` is what may be sent."""
        np.subtract(self._ahead, self._blended, out=self._blended)
        if self._blended.any():
            length = self._length(self._blended[0], rates)
            blend.add(self._blended[0], self._blended[1], length)

    def end(self, velocities: Array, back: Array | None) -> None:
        """Begin to lead efforts and velocities (m,) to 0, and positions to rest, or `back`."""
        settings, guard = self.settings, self.guard
        rest = self.effort[0] if settings.servo_stiffness else self._none
        self._out.values[:] = self.effort[0]
        self._out.start(rest, self._length(self.effort[0] - rest, guard.rates))
        self.effort[1] = 0.0
        way = 0.5 * settings.ramp_time * velocities if back is None else back
        length = self._length(way, self._fastest()) if back is not None else settings.ramp_time
        np.add(self.motion[0], way, out=self._rest[0])
        self._motion_blend.clear()
        self._motion_blend.add(-way, velocities, length)

    def lead_out(self, elapsed: float) -> bool:
        """Lead on to rest within a time [s]; return False when all rests."""
        for leading in (self._out, self._motion_blend):
            leading.advance(elapsed)
        self.effort[0] = self._out.values
        self._motion_blend.write(self._rest, self.motion)
        np.clip(self.motion[0], self.guard.lower, self.guard.upper, out=self.motion[0])
        return self._out.moving or self._motion_blend.moving

# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`CommandRamp`, `MotionRamp`: commands that begin and end without a step."""

import math

import numpy as np

from screw_dynamics.arrays import Array

_STEEPEST = 1.875  # slope of the blend
_SHARE = 0.5  # of a limit of the rate, for the blend
_LEAST_CALLS = 20  # of a ramp, where they are further apart than ticks
_TICKS = 2  # that a ramp advances in a call at most, if that is further


class _Progress:
    """
    The time of a ramp, which a stall delays: in one call it would lead through all of the ramp.

    `duration` [s] applies to the next ramp, `period` [s], between ticks, at once.
    """

    def __init__(self, duration: float, period: float) -> None:
        self.duration, self.period = duration, period
        self._length = duration  # [s]
        self._last = self._passed = 0  # [ns]

    def _start(self, length: float, now: int) -> None:
        self._length, self._last, self._passed = length, now, 0

    def _advance_to(self, now: int) -> int:
        """Return the time by which the ramp advances [ns]."""
        longest = round(1e9 * max(_TICKS * self.period, self._length / _LEAST_CALLS))
        step = min(max(now - self._last, 0), longest)
        self._last = now
        self._passed += step
        return step

    @property
    def _share(self) -> float:
        """The part of the ramp that has passed."""
        return min(1e-9 * self._passed / self._length, 1.0) if self._length > 0.0 else 1.0


class CommandRamp(_Progress):
    """
    Blends commands from their value at rest to the efforts, and back where these end.

    A blend is a quintic, takes `duration` [s], and longer if it would otherwise use more than half
    of a rate in `rates` (m,), of the unit of the commands. It waits if blend and target together
    would exceed a rate that the target alone keeps, and where its calls stall. `values` (m,) is
    the present command.
    """

    def __init__(self, rest: Array, rates: Array, duration: float, period: float) -> None:
        super().__init__(duration, period)
        self.values = rest.copy()
        self._rest, self._rates = rest, rates
        self._from, self._move = rest.copy(), np.empty_like(rest)
        self._weight, self._limited = 0.0, bool(np.isfinite(rates).any())
        self._moved = np.empty_like(rest)
        self._following = self._moving = self._blends = False

    def reset(self) -> None:
        """Return to rest at once."""
        self.values[:] = self._rest
        self._following = self._moving = False

    def retarget(self) -> None:
        """Blend from the present command to the next target."""
        self._blends = True

    def follow(self, target: Array, now: int) -> None:
        """Advance the command on its way to a target (m,), at the time `now` [ns]."""
        if self._blends or not self._following:
            self._begin(target, now)
            self._following, self._blends = True, False
        self._advance(target, now)

    def release(self, now: int) -> bool:
        """Advance the command on its way to rest; return False if it is there or has no ramp."""
        if self._following:
            self._begin(self._rest, now)
            self._following = False
            self._moving = self.duration > 0.0
        if not self._moving:
            return False
        self._advance(self._rest, now)
        return True

    def _begin(self, target: Array, now: int) -> None:
        self._from[:] = self.values
        slowest = float(np.max(np.abs(target - self._from) / self._rates, initial=0.0))
        length = max(self.duration, _STEEPEST / _SHARE * slowest) if self.duration else 0.0
        self._start(length, now)
        self._moving, self._weight = True, 0.0

    def _advance(self, target: Array, now: int) -> None:
        if self._moving:
            step = self._advance_to(now)
            weight = _blend(self._share)
            np.subtract(target, self._from, out=self._move)
            if self._limited and self._length > 0.0:
                weight = self._allowed(weight, 1e-9 * step)
            self._weight = weight
            np.multiply(self._move, weight, out=self._move)
            np.add(self._from, self._move, out=self.values)
            self._moving = weight < 1.0
            if self._moving:
                return
        self.values[:] = target

    def _allowed(self, weight: float, step: float) -> float:
        """Return the largest weight up to `weight` that keeps the rates in a step [s]."""
        np.subtract(self.values, self._from, out=self._moved)
        for move, passed, rate in zip(
            self._move.tolist(), self._moved.tolist(), self._rates.tolist(), strict=True
        ):
            if move != 0.0:
                ahead = math.copysign(passed, move * passed) + rate * step
                weight = min(weight, ahead / abs(move))
        return max(weight, self._weight)


class MotionRamp(_Progress):
    """
    Leads positions and velocities from where the robot rests to a reference, and to rest again.

    In `values` (2, m), the present commands, the distance from the reference and its velocity at
    the beginning decay by a quintic within `duration` [s]. At the end the positions stay, and the
    velocities lead to 0 within this time.
    """

    def __init__(self, m: int, duration: float, period: float) -> None:
        super().__init__(duration, period)
        self.values = np.zeros((2, m))
        self._from, self._work = np.zeros((2, m)), np.empty(m)
        self._following = self._moving = False

    def begin(self, positions: Array, target: Array, now: int) -> None:
        """Begin at positions (m,), or at the present command unless that has ended and rests."""
        if not (self._following or self._moving):
            self.values[0] = positions
        np.subtract(self.values, target, out=self._from)
        self._start(self.duration, now)
        self._following = self._moving = True

    def follow(self, target: Array, now: int) -> None:
        """Advance the command on its way to a target (2, m), at the time `now` [ns]."""
        self.values[:] = target
        if not self._moving:
            return
        self._advance_to(now)
        s, duration = self._share, self._length
        self._moving = s < 1.0
        rest, left = s * s, (1.0 - s) * (1.0 - s)
        # the quintics with value 1 and with slope 1 at s = 0, 0 up to the second derivative at 1
        self._add(0, 1.0 - _blend(s), duration * s * left * (1.0 - s) * (1.0 + 3.0 * s))
        if self._moving:
            slope = -30.0 * rest * left / duration
            self._add(1, slope, 1.0 - rest * (18.0 - s * (32.0 - 15.0 * s)))

    def _add(self, row: int, distance: float, velocity: float) -> None:
        for part, weight in zip(self._from, (distance, velocity), strict=True):
            np.multiply(part, weight, out=self._work)
            np.add(self.values[row], self._work, out=self.values[row])

    def release(self, now: int) -> bool:
        """Advance the velocities on their way to 0; return False if they are there."""
        if self._following:
            self._from[1] = self.values[1]
            self._start(self.duration, now)
            self._following = False
            self._moving = bool(self.values[1].any())
        if not self._moving:
            return False
        self._advance_to(now)
        s = self._share
        np.multiply(self._from[1], 1.0 - _blend(s), out=self.values[1])
        self._moving = s < 1.0
        return True


def _blend(s: float) -> float:
    """Return the quintic from 0 to 1 that rests at both ends."""
    return s * s * s * (10.0 + s * (6.0 * s - 15.0))

# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`CommandRamp`: commands that begin and end without a step."""

import numpy as np

from screw_dynamics.arrays import Array

_STEEPEST = 1.875  # slope of the blend
_SHARE = 0.5  # of a limit of the rate, for the blend


class CommandRamp:
    """
    Blends commands from their value at rest to the efforts, and back where these end.

    A blend is a quintic, takes `duration` [s], and longer if it would otherwise use more than half
    of a rate in `rates` (m,), of the unit of the commands. `values` (m,) is the present command.
    """

    def __init__(self, rest: Array, rates: Array, duration: float) -> None:
        self.values = rest.copy()
        self._rest, self._rates, self.duration = rest, rates, duration
        self._from, self._move = rest.copy(), np.empty_like(rest)
        self._since, self._length = 0, 0.0  # [ns], [s]
        self._following = self._moving = False

    def continue_from(self, other: 'CommandRamp') -> None:
        """Continue another ramp of the same commands; `duration` is that of later blends."""
        self.values[:], self._from[:] = other.values, other._from
        self._since, self._length = other._since, other._length
        self._following, self._moving = other._following, other._moving

    def reset(self) -> None:
        """Return to rest at once."""
        self.values[:] = self._rest
        self._following = self._moving = False

    def retarget(self) -> None:
        """Blend from the present command to the next target."""
        self._following = False

    def follow(self, target: Array, now: int) -> None:
        """Advance the command on its way to a target (m,), at the time `now` [ns]."""
        if not self._following:
            self._begin(target, now)
            self._following = True
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
        self._length = max(self.duration, _STEEPEST / _SHARE * slowest) if self.duration else 0.0
        self._since, self._moving = now, True

    def _advance(self, target: Array, now: int) -> None:
        if self._moving:
            passed = 1e-9 * (now - self._since)
            s = min(max(passed / self._length, 0.0), 1.0) if self._length > 0.0 else 1.0
            weight = s * s * s * (10.0 + s * (6.0 * s - 15.0))
            np.subtract(target, self._from, out=self._move)
            np.multiply(self._move, weight, out=self._move)
            np.add(self._from, self._move, out=self.values)
            self._moving = s < 1.0
            if self._moving:
                return
        self.values[:] = target

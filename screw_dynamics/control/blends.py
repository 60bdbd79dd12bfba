# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`Blend`, `Transition`: changes of commands that are not the motion itself, without a step."""

import numpy as np

from screw_dynamics.common.arrays import Array

STEEPEST = 1.875  # slope of the quintic from 0 to 1 within a length of 1
_MOST = 9  # blends that overlap
_SHARE = 1.0 / 8.0  # of a blend, after which a further change begins a new one
_LONGER = 1.5  # times the length of the newest blend, if a further change takes longer
# in a call a blend advances by a part of its length, or by a time [s] that is no stall
_CALL, _NO_STALL = 1.0 / 20.0, 5e-3


def longest_step(length: float) -> float:
    """Return the time by which a blend of a length [s] advances in a call at most."""
    return max(_CALL * length, _NO_STALL)


class Blend:
    """
    Offsets of a value and its slope from a target, which decay by quintics without a step.

    Changes that follow each other closely overlap: each arrives after its length.
    """

    def __init__(self, m: int) -> None:
        self._offsets = np.zeros((2 * _MOST, m))  # of value and slope, by blend
        self._passed = [0.0] * _MOST  # [s]
        self._lengths = [0.0] * _MOST  # [s], 0 for those that are over
        self._weights = np.zeros((2, 2 * _MOST))
        self._newest = 0
        self._work = np.zeros((2, m))

    @property
    def moving(self) -> bool:
        """True if an offset is left."""
        return any(self._lengths)

    @property
    def count(self) -> int:
        """Number of the offsets that decay."""
        return sum(map(bool, self._lengths))

    def clear(self) -> None:
        """Drop all offsets."""
        self._offsets[:], self._weights[:] = 0.0, 0.0
        self._lengths[:] = [0.0] * _MOST

    def add(self, value: Array, slope: Array, length: float) -> None:
        """Add offsets (m,) that decay within a length [s]; none if that is 0."""
        if length <= 0.0:
            return
        k = self._newest
        newest = self._lengths[k]
        if not (newest >= length and self._passed[k] < _SHARE * newest):
            # lengths that grow little by little would take all places at once
            k = self._begin(max(length, _LONGER * newest) if length > newest else length)
        (a, b), (c, d) = self._weights[:, 2 * k : 2 * k + 2]
        determinant = a * d - b * c
        self._offsets[2 * k] += (d * value - b * slope) / determinant
        self._offsets[2 * k + 1] += (a * slope - c * value) / determinant

    def _begin(self, length: float) -> int:
        """Return the number of a new blend, into which all are drawn together if none is free."""
        if 0.0 in self._lengths:
            k = self._lengths.index(0.0)
        else:
            k, left = 0, self._weights @ self._offsets
            length = max(length, *self._lengths)
            self.clear()
            self._offsets[:2] = left
        self._passed[k], self._lengths[k], self._newest = 0.0, length, k
        self._weigh(k)
        return k

    def advance(self, step: float) -> None:
        """Advance by a time [s], after a stall by a part of it."""
        for k, length in enumerate(self._lengths):
            if not length:
                continue
            self._passed[k] += min(step, longest_step(length))
            if self._passed[k] >= length * (1.0 - 1e-12):
                self._lengths[k] = 0.0
                self._offsets[2 * k : 2 * k + 2] = 0.0
            self._weigh(k)

    def _weigh(self, k: int) -> None:
        """Set the weights: quintics with value or slope 1 at first, at rest at the end."""
        length = self._lengths[k]
        if not length:
            self._weights[:, 2 * k : 2 * k + 2] = 0.0
            return
        s = self._passed[k] / length
        left = (1.0 - s) * (1.0 - s)
        self._weights[0, 2 * k] = 1.0 - quintic(s)
        self._weights[0, 2 * k + 1] = length * s * left * (1.0 - s) * (1.0 + 3.0 * s)
        self._weights[1, 2 * k] = -30.0 * s * s * left / length
        self._weights[1, 2 * k + 1] = 1.0 - s * s * (18.0 - s * (32.0 - 15.0 * s))

    def write(self, target: Array, out: Array) -> None:
        """Write a target (2, m) with the offsets that are left to `out`."""
        if not self.moving:
            out[:] = target
            return
        np.matmul(self._weights, self._offsets, out=self._work)
        np.add(target, self._work, out=out)


class Transition:
    """Values (...) that lead from one state to another by a quintic."""

    def __init__(self, values: Array) -> None:
        self.values = values.copy()
        self._from, self._target = values.copy(), values.copy()
        self._passed, self._length = 0.0, 0.0

    @property
    def moving(self) -> bool:
        """True if the values are not there."""
        return self._length > 0.0

    def start(self, target: Array, length: float) -> None:
        """Begin to lead the values to a target within a length [s]; 0: at once."""
        self._from[:], self._passed, self._length = self.values, 0.0, length
        self._target[:] = target
        if length <= 0.0:
            self.values[:] = target

    def advance(self, step: float) -> None:
        """Advance by a time [s], after a stall by a part of it."""
        if not self._length:
            return
        self._passed += min(step, longest_step(self._length))
        s = self._passed / self._length
        if s >= 1.0 - 1e-12:
            self._length, self.values[:] = 0.0, self._target
            return
        np.subtract(self._target, self._from, out=self.values)
        np.multiply(self.values, quintic(s), out=self.values)
        np.add(self.values, self._from, out=self.values)


def quintic(s: float) -> float:
    """Return the quintic from 0 to 1 that rests at both ends."""
    return s * s * s * (10.0 + s * (6.0 * s - 15.0))

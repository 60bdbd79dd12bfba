# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`JointStateHistory`: the newest joint states, in memory of fixed size."""

from collections.abc import Sequence
from threading import Lock
from typing import Any

import numpy as np

from screw_dynamics.common.arrays import Array
from screw_dynamics.common.times import SECOND, instant_of
from screw_dynamics.recordings.messages.joints import state_row


class JointStateHistory:
    """The newest `most` samples of n joints since the last gap, for another thread to read."""

    def __init__(self, joints: int, most: int) -> None:
        self._joints = joints
        self._rows = np.empty((most, 1 + 2 * joints))
        self._count = 0
        self._lock = Lock()

    def add(self, time: float, position: Array, effort: Array) -> None:
        """Keep a sample (n,) at a time [s] after all others."""
        with self._lock:
            row, n = self._rows[self._count % len(self._rows)], self._joints
            row[0], row[1 : 1 + n], row[1 + n :] = time, position, effort
            self._count += 1

    def clear(self) -> None:
        """Drop all samples."""
        with self._lock:
            self._count = 0

    def latest(self, duration: float) -> tuple[Array, Array, Array]:
        """Return times (T,) [s], positions and efforts (T, n) of the last `duration` [s]."""
        with self._lock:
            next_row = self._count % len(self._rows)
            oldest = self._rows[next_row:] if self._count >= len(self._rows) else self._rows[:0]
            rows = np.concatenate((oldest, self._rows[:next_row]))
        if len(rows):
            rows = rows[rows[:, 0] >= rows[-1, 0] - duration]
        positions, efforts = np.split(rows[:, 1:], 2, axis=1)
        return rows[:, 0], positions, efforts


class MotorStateBuffer:
    """The newest states of all motors: `values` (2, m) at `instant` [ns], None at first."""

    def __init__(self, names: Sequence[str]) -> None:
        self._names = tuple(names)
        self.values = np.zeros((2, len(self._names)))
        self.instant: int | None = None

    def update(self, message: Any, now: int, timeout: float) -> None:
        """Store positions and velocities received at `now` [ns], or raise InputError."""
        instant = instant_of(message, now, timeout)
        values = [state_row(message, field, self._names) for field in ('position', 'velocity')]
        if self.instant is None or not 0 < self.instant - instant <= timeout * SECOND:
            self.values[:], self.instant = values, instant  # else a newer one was faster

    def fresh(self, now: int, timeout: float) -> bool:
        """Return True if the values are not older than `timeout` [s]."""
        # a time in the future is from before the clock was set back
        return self.instant is not None and abs(now - self.instant) <= timeout * SECOND

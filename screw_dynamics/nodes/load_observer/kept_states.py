# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`KeptStates`: the newest joint states, in memory of fixed size."""

from threading import Lock

import numpy as np

from screw_dynamics.arrays import Array


class KeptStates:
    """
    The newest `most` samples of n joints since the last gap.

    One thread may add samples while another reads them. Memory that no sample has needed yet is
    not occupied.
    """

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

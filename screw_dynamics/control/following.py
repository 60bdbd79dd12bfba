# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`FollowingWatch`: whether the robot is where it was commanded to be."""

from collections.abc import Sequence

import numpy as np

from screw_dynamics.common.arrays import Array
from screw_dynamics.common.times import SECOND
from screw_dynamics.control.measurements import JointStateBuffer
from screw_dynamics.limits.quantities import unit_of

_KEPT = 512  # places, of 0.5 s or more at 1 kHz
_AHEAD = 0.05  # s, by which a state may be later than the newest place
_LAG = 0.05  # s, of a loop that follows
_LASTS = SECOND // 10  # ns, until a joint that is away counts as one that does not follow
_FAR = 3.0  # tolerances, where it does at once
_TURN = 2.0 * np.pi


class FollowingWatch:
    """
    The places to which n joints were sent lately, and how far they are measured from there.

    A joint follows within a tolerance plus 0.05 s of its velocity plus what springs and servos may
    deflect. It does not if it is farther away for 0.1 s, or is more than three times as far.
    """

    def __init__(self, names: Sequence[str], kinds: Sequence[str]) -> None:
        n = len(names)
        self._names, self._kinds = tuple(names), tuple(kinds)
        self._turning = np.array([kind == 'continuous' for kind in kinds])
        self._instants = np.zeros(_KEPT, dtype=np.int64)
        self._places, self._speeds, self._rooms = (np.zeros((_KEPT, n)) for _ in range(3))
        self.away = np.zeros(n)  # from the newest places to those measured; 0 if not known
        self._beyond = np.zeros(n, dtype=np.int64)  # since when [ns]; 0: not at all
        self.forget()

    def forget(self) -> None:
        """Begin anew: the robot was not sent anywhere."""
        self._next = 0
        self._instants[:] = np.iinfo(np.int64).max
        self._beyond[:], self.away[:] = 0, 0.0

    def record(self, instant: int, place: Array, speed: Array, room: Array) -> None:
        """Register where the joints were sent for an instant [ns]; rows (n,)."""
        k = self._next = (self._next + 1) % _KEPT
        self._instants[k] = instant
        self._places[k], self._speeds[k], self._rooms[k] = place, speed, room

    def obstacle(self, measured: JointStateBuffer, tolerance: float, now: int, age: float) -> str:
        """Return which joint does not follow at `now` [ns], by states of an age; '' if all do."""
        positions, text, known, k = measured.positions(now, age), '', -1, -1
        states = zip(positions.tolist(), measured.stamps.tolist(), strict=True)
        for j, (place, stamp) in enumerate(states):
            if stamp != known:  # mostly all joints are measured at once
                known, k = stamp, self._newest(stamp)
            if k < 0 or not np.isfinite(place):
                self.away[j] = 0.0
                continue
            ahead, speed = min(1e-9 * (stamp - int(self._instants[k])), _AHEAD), self._speeds[k, j]
            expected = float(self._places[k, j] + ahead * speed)
            error = place - expected
            if self._turning[j]:
                error -= _TURN * round(error / _TURN)
            self.away[j] = expected + error - self._places[self._next, j]
            most = tolerance + _LAG * abs(speed) + self._rooms[k, j]
            if not abs(error) > most:
                self._beyond[j] = 0
                continue
            if not self._beyond[j]:
                self._beyond[j] = now
                self.away[j] = 0.0  # a state alone may be wrong: no robot is led there
            if not text and (now - self._beyond[j] >= _LASTS or abs(error) > _FAR * most):
                unit = unit_of('position', self._kinds[j])
                text = (
                    f'{self._names[j]} does not follow: expected within {most:.3g} {unit} of '
                    f'{place - error:.6g}, got {place:.6g}'
                )
        return text

    def _newest(self, instant: int) -> int:
        """Return the place in the arrays of the newest entry up to an instant, -1 if none is."""
        earlier = self._instants <= instant
        return int(np.argmax(np.where(earlier, self._instants, -1))) if earlier.any() else -1

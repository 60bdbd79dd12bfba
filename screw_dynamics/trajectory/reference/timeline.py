# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`Timeline`: the motions of a reference as pieces of constant speed, also those just passed."""

import math
import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count, zip_longest

import numpy as np

from screw_dynamics.common.arrays import Array
from screw_dynamics.common.times import SECOND
from screw_dynamics.trajectory import Waypoints
from screw_dynamics.trajectory.reference.interpolation import ActiveTrajectory
from screw_dynamics.trajectory.reference.reference import LONGEST_DURATION, Reference

# How long a piece that has passed is kept [ns]: readers whose clock is late still sample it.
_KEPT = SECOND // 10
LATEST = round(SECOND * LONGEST_DURATION)  # largest instant of a Time message [ns]


@dataclass(frozen=True)
class Piece:
    """A motion at one speed, from an instant until the next piece begins."""

    motion: ActiveTrajectory
    number: int  # of the motion; a change of the speed divides a motion into pieces
    begin: int  # [ns]
    speed: float
    ended: int | None  # instant from which the end of the motion is held [ns], if that is reached

    def time_at(self, instant: int) -> float:
        """Return the time on the axis of the curve [s] at an instant [ns]."""
        return self.motion.time_at(instant, self.speed) - self.motion.joined

    def polynomials(self, since: int, until: int | None) -> tuple[Array, Array, Array]:
        """
        Return breaks, coefficients and end of what applies within an interval of instants [ns].

        These are whole segments of the curve, bit for bit.
        """
        curve = self.motion.curve
        last = len(curve.coefficients)
        low = int(np.searchsorted(curve.breaks, self.time_at(max(since, self.begin)), 'right'))
        low, high = min(max(low - 1, 0), last), last
        if until is not None:
            high = int(np.searchsorted(curve.breaks, self.time_at(until), 'right'))
            high = min(max(high, low + 1), last)
        coefficients = curve.coefficients[low:high]
        end = curve.end if high == last else coefficients[-1].sum(axis=0)
        return curve.breaks[low : high + 1], coefficients, end


class Timeline:
    """
    Pieces of what a reference has followed lately, follows and will follow.

    A reference forgets how it was sampled before a change of its speed or before a motion that has
    begun; readers that sample it later, or at earlier instants, need both.
    """

    def __init__(self, reference: Reference) -> None:
        self._reference = reference
        self._pieces: list[Piece] = []
        self._numbers = count(time.time_ns())  # unlike those of a process before this one

    def update(self, since: int) -> None:
        """Read the reference, changed from an instant [ns] on; 0 if it has been cleared."""
        numbers = {id(piece.motion.waypoints): piece.number for piece in self._pieces}
        self._pieces = [piece for piece in self._pieces if piece.begin < since]
        for motion in self._reference.motions_from(since):
            number = numbers.get(id(motion.waypoints)) or next(self._numbers)
            begin, speed = max(motion.begin, since), self._reference.speed
            before = self._pieces[-1] if self._pieces else None
            self._pieces.append(
                Piece(motion, number, begin, speed, _ended(motion, begin, speed, before))
            )

    def pieces(self, now: int, stopped: Waypoints | None = None) -> list[Piece]:
        """
        Return the pieces that apply at an instant [ns] or later, or did shortly before.

        Without the motion of the points `stopped`, and those that continue it.
        """
        passed = sum(later.begin <= now - _KEPT for later in self._pieces[1:])
        del self._pieces[:passed]
        pieces = self._pieces
        halted = [i for i, piece in enumerate(pieces) if piece.motion.waypoints is stopped]
        if halted:
            pieces = pieces[halted[-1] + 1 :]
            while pieces and pieces[0].motion.continues:
                del pieces[0]
        return list(pieces)


def _ended(motion: ActiveTrajectory, begin: int, speed: float, before: Piece | None) -> int | None:
    """Return `Piece.ended` of a piece that begins after another one."""
    left = motion.end - motion.time_at(begin, speed)
    if left > 0.0:
        duration = left / speed * SECOND if speed > 0.0 else math.inf
        return begin + math.ceil(duration) if duration < LATEST - begin else None
    if before is None or before.motion.waypoints is not motion.waypoints or before.ended is None:
        return begin
    return min(before.ended, begin)


def intervals(pieces: list[Piece], now: int) -> Iterator[tuple[Piece, int, int | None]]:
    """Yield each piece with the interval of instants [ns] in which it is needed."""
    for piece, later in zip_longest(pieces, pieces[1:]):
        yield piece, now - _KEPT, None if later is None else later.begin

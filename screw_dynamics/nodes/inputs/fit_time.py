# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`FitTime`: an estimate of how long the fit of a trajectory takes."""

from __future__ import annotations

from screw_dynamics.nodes.conversions import SECOND

_MARGIN = 1.5
_MANY = 200  # points from which on a fit shows the time per point, below it the fixed part
_LEAST = 1e-3  # s of the fixed part
_FORGOTTEN = 0.5  # part by which a longer time of before counts less at each fit


class FitTime:
    """
    A fixed part and a time per point, from what the fits of before have taken.

    They are learned apart: where the machine holds up the fit of two points for half a second,
    that of a thousand points takes half a second more, not a hundred times as long.
    """

    def __init__(self) -> None:
        self._fixed, self._per_point = 0.02, 4e-4  # s

    def estimate(self, points: int) -> int:
        """Return how long a fit of that many points takes, with a margin [ns]."""
        return round(SECOND * _MARGIN * (self._fixed + self._per_point * points))

    def learn(self, points: int, seconds: float) -> None:
        """Note what a fit has taken; what has become slower counts at once."""
        if points < _MANY:
            fixed = _learned(self._fixed, seconds - self._per_point * points)
            self._fixed = max(fixed, _LEAST)
        else:
            self._per_point = _learned(self._per_point, (seconds - self._fixed) / points)


def _learned(before: float, measured: float) -> float:
    return max(measured, before + _FORGOTTEN * (max(measured, 0.0) - before))

# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`FitTime`: how long the fit of a trajectory will take."""

from __future__ import annotations

from screw_dynamics.nodes.conversions import SECOND

_FIXED = 50  # points whose time the rest of a fit takes
_MARGIN = 1.5
_FORGOTTEN = 0.5  # part by which a longer time of before counts less at each fit


class FitTime:
    """An estimate by the number of points, from what the fits of before have taken."""

    def __init__(self) -> None:
        self._per_point = 4e-4  # s

    def estimate(self, points: int) -> int:
        """Return how long a fit of that many points takes, with a margin [ns]."""
        return round(SECOND * _MARGIN * self._per_point * (points + _FIXED))

    def learn(self, points: int, seconds: float) -> None:
        """Note what a fit has taken; what has become slower counts at once."""
        measured = seconds / (points + _FIXED)
        kept = (1.0 - _FORGOTTEN) * self._per_point + _FORGOTTEN * measured
        self._per_point = max(measured, kept)

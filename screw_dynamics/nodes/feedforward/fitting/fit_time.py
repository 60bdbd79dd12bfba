# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`FitTime`: estimate of the duration of a fit."""

from __future__ import annotations

from screw_dynamics.messages.times import SECOND

_MARGIN = 1.5
_MANY = 200  # a fit of at least this many points updates the time per point, else the fixed part
_LEAST = 1e-3  # lower limit of the fixed part [s]
_FORGOTTEN = 0.5  # fraction by which a longer earlier time decays at each fit


class FitTime:
    """
    A fixed part and a time per point, learned from earlier fits.

    They are learned separately: if a fit of two points is delayed by half a second, a fit of a
    thousand points is expected to take half a second longer, not hundreds of times as long.
    """

    def __init__(self) -> None:
        self._fixed, self._per_point = 0.02, 4e-4  # s

    def estimate(self, points: int) -> int:
        """Return the expected duration of a fit, with a margin [ns]."""
        return round(SECOND * _MARGIN * (self._fixed + self._per_point * points))

    def learn(self, points: int, seconds: float) -> None:
        """Update the estimate with a measured duration; an increase applies at once."""
        if points < _MANY:
            fixed = _learned(self._fixed, seconds - self._per_point * points)
            self._fixed = max(fixed, _LEAST)
        else:
            self._per_point = _learned(self._per_point, (seconds - self._fixed) / points)


def _learned(before: float, measured: float) -> float:
    return max(measured, before + _FORGOTTEN * (max(measured, 0.0) - before))

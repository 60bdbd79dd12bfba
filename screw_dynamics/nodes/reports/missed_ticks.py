# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`MissedTicks`: warning if a node misses ticks for some time."""

from __future__ import annotations

from collections.abc import Callable

from screw_dynamics.nodes.running.tick_statistics import TickSummary

_MISSED_PART = 0.1  # fraction of the ticks
_LASTING = 2.9  # s for which the fraction must be exceeded
_PAUSE = 30.0  # s between warnings


class MissedTicks:
    """Accumulates tick summaries; calls `warn` with a text if too many ticks are missed."""

    def __init__(self, warn: Callable[[str], object]) -> None:
        self._warn = warn
        self._silent = 0.0
        self._begin()

    def _begin(self) -> None:
        self._seconds = self._busy = 0.0
        self._ticks = self._missed = 0

    def add(self, summary: TickSummary, period: int) -> None:
        """Add the next summary; `period` is the time between ticks [ns]."""
        seconds = 1e-9 * period * (summary.ticks + summary.missed)
        self._silent = max(0.0, self._silent - seconds)
        if not summary.ticks or summary.missed_part <= _MISSED_PART:
            self._begin()
            return
        self._seconds += seconds
        self._ticks += summary.ticks
        self._missed += summary.missed
        self._busy += summary.ticks * summary.mean_time
        if self._seconds >= _LASTING and not self._silent:
            self._silent = _PAUSE
            self._warn(
                f'{100.0 * self._missed / (self._ticks + self._missed):.0f} % of the ticks of the '
                f'last {self._seconds:.0f} s were missed: a tick takes '
                f'{1e3 * self._busy / self._ticks:.3g} ms of {1e-6 * period:.3g} ms at '
                f'{1e9 / period:.4g} Hz'
            )
            self._begin()

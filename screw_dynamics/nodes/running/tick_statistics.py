# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`TickStatistics`: achieved rate, missed ticks and compute time of a periodic callback."""

from __future__ import annotations

from typing import NamedTuple


class TickSummary(NamedTuple):
    """
    Statistics since the previous summary.

    `rate` is in Hz, 0 with less than two ticks. `missed` counts the periods without a tick.
    `mean_time` and `longest_time` are durations of the callback [s].
    """

    rate: float
    ticks: int
    missed: int
    mean_time: float
    longest_time: float

    @property
    def missed_part(self) -> float:
        """Fraction of the due ticks that was missed."""
        due = self.ticks + self.missed
        return self.missed / due if due else 0.0


class TickStatistics:
    """
    Counts ticks with a constant amount of memory.

    `period` is the time between ticks [ns].
    """

    def __init__(self, period: int) -> None:
        self.period = period
        self.ticks_total = 0
        self._missed_before = 0  # in runs ended by a pause
        self._missed_reported = 0
        self._run_first: int | None = None
        self._run_ticks = 0
        self._last: int | None = None
        self._start_window()

    def _start_window(self) -> None:
        self._first = self._last
        self._ticks = self._intervals = self._busy = self._longest = 0

    @property
    def missed_total(self) -> int:
        """Number of periods without a tick; a late tick does not count as missed."""
        if self._run_first is None or self._last is None:
            return self._missed_before
        due = (self._last - self._run_first + self.period // 2) // self.period + 1
        return self._missed_before + max(0, due - self._run_ticks)

    def record(self, time: int, duration: int) -> None:
        """
        Count one tick that took `duration` [ns].

        `time` is its beginning on the clock that drives the ticks [ns].
        """
        if self._run_first is None:
            self._run_first = time
        if self._first is None:
            self._first = time
        else:
            self._intervals += 1
        self._last = time
        self._run_ticks += 1
        self._ticks += 1
        self.ticks_total += 1
        self._busy += duration
        self._longest = max(self._longest, duration)

    def pause(self) -> None:
        """End the run: the time until the next tick does not count as missed."""
        self._missed_before = self.missed_total
        self._run_first = self._last = None
        self._run_ticks = 0
        self._start_window()

    def summary(self) -> TickSummary:
        """Return the statistics since the previous summary, and restart."""
        span = 0 if self._first is None or self._last is None else self._last - self._first
        missed = self.missed_total
        result = TickSummary(
            rate=self._intervals * 1e9 / span if span > 0 else 0.0,
            ticks=self._ticks,
            missed=max(0, missed - self._missed_reported),
            mean_time=self._busy * 1e-9 / self._ticks if self._ticks else 0.0,
            longest_time=self._longest * 1e-9,
        )
        self._missed_reported = max(missed, self._missed_reported)
        self._start_window()
        return result

# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`TickStatistics`: achieved rate, missed ticks and compute time of a periodic callback."""

from __future__ import annotations

from typing import NamedTuple


class TickSummary(NamedTuple):
    """
    Figures of the time since the previous summary.

    `mean_time`, `longest_time` [s].
    """

    rate: float
    ticks: int
    missed: int
    mean_time: float
    longest_time: float

    @property
    def missed_part(self) -> float:
        """Part of all ticks due that was missed."""
        due = self.ticks + self.missed
        return self.missed / due if due else 0.0


class TickStatistics:
    """
    Count ticks; integers only, so that nothing is kept per tick.

    `period` [ns].
    """

    def __init__(self, period: int) -> None:
        self.period = period
        self.ticks_total = 0
        self._missed_before = 0  # in runs that a pause has ended
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
        """Number of periods that passed without a tick; a late tick is not a missed one."""
        if self._run_first is None or self._last is None:
            return self._missed_before
        due = (self._last - self._run_first + self.period // 2) // self.period + 1
        return self._missed_before + max(0, due - self._run_ticks)

    def record(self, time: int, duration: int) -> None:
        """
        Count one tick.

        `time`, `duration` [ns].
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
        """Forget the last tick: the time until the next one counts as no loss."""
        self._missed_before = self.missed_total
        self._run_first = self._last = None
        self._run_ticks = 0
        self._start_window()

    def summary(self) -> TickSummary:
        """Return the figures since the previous summary and begin anew."""
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

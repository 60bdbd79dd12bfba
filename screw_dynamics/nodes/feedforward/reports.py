# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Diagnostic tasks of the node `feedforward`: model, trajectories, rate."""

from __future__ import annotations

import time
from collections.abc import Callable

from screw_dynamics.nodes.shared.diagnostics import ERROR, OK, WARN, Report, model_report
from screw_dynamics.nodes.shared.model_source import ModelSource
from screw_dynamics.nodes.shared.tick_timer import TickSummary, TickTimer

_MISSED_PART = 0.01  # fraction of missed ticks above which a warning is reported


class FeedforwardReports:
    """Counters of the node, and the tasks that report them."""

    def __init__(
        self, source: ModelSource, ticks: TickTimer, warn: Callable[[str], object]
    ) -> None:
        self._source, self._ticks = source, ticks
        self._missed = MissedTicks(warn)
        self._accepted = self._rejected = self._not_finite = 0
        self._last_accepted: float | None = None
        self._span = (0.0, 0.0)  # its start and end [s]
        self._last_rejection = ''
        self._not_finite_reported = 0
        self._last_not_finite = ''

    def count_accepted(self, start: float, end: float) -> None:
        """Count an accepted trajectory with its start and end on the clock of the node [s]."""
        self._accepted += 1
        self._last_accepted = time.monotonic()
        self._span = start, end

    def count_rejected(self, reason: str) -> None:
        """Count a rejected trajectory."""
        self._rejected += 1
        self._last_rejection = reason

    def count_not_finite(self, reason: str) -> None:
        """Count a tick without output because a sample was not finite."""
        self._not_finite += 1
        self._last_not_finite = reason

    def tasks(self) -> dict[str, Callable[[], Report]]:
        """Return the diagnostic tasks by name."""
        return {
            'model': lambda: model_report(self._source),
            'trajectory': self._trajectory,
            'rate': self._rate,
        }

    def _trajectory(self) -> Report:
        age = (
            'never' if self._last_accepted is None
            else f'{time.monotonic() - self._last_accepted:.3f}'
        )  # fmt: skip
        message = f'last rejection: {self._last_rejection}' if self._rejected else 'ok'
        values = {'accepted': self._accepted, 'rejected': self._rejected, 'age [s]': age}
        if self._last_accepted is not None:
            start, end = self._span
            values |= {'start [s]': f'{start:.3f}', 'end [s]': f'{end:.3f}'}
        return Report(OK, message, values)

    def _rate(self) -> Report:
        statistics = self._ticks.statistics
        summary = statistics.summary()
        values = {
            'rate [Hz]': f'{summary.rate:.1f}',
            'wanted rate [Hz]': f'{1e9 / statistics.period:.1f}',
            'missed ticks': summary.missed,
            'missed ticks in all': statistics.missed_total,
            'ticks in all': statistics.ticks_total,
            'mean compute time [us]': f'{1e6 * summary.mean_time:.1f}',
            'longest compute time [us]': f'{1e6 * summary.longest_time:.1f}',
            'samples not finite': self._not_finite,
        }
        if self._not_finite > self._not_finite_reported:
            self._not_finite_reported = self._not_finite
            return Report(ERROR, self._last_not_finite, values)
        self._missed.add(summary, statistics.period)
        if not summary.ticks:
            return Report(OK, 'not active', values)
        if summary.missed_part > _MISSED_PART:
            return Report(WARN, f'{100.0 * summary.missed_part:.1f} % of the ticks missed', values)
        return Report(OK, 'ok', values)


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

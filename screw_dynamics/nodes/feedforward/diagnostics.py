# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Diagnostic tasks of the shell of the node `feedforward`."""

import time
from collections.abc import Callable

from screw_dynamics.control.report import OK, WARN, Counts, Report
from screw_dynamics.nodes.shared.tick_timer import TickTimer

_REPORTED_PART = 0.01  # fraction of missed ticks above which a warning is reported
_LOGGED_PART = 0.1  # above which it is logged, if it lasts
_LASTING, _PAUSE = 3, 30  # reports until a warning, and between warnings


class FeedforwardReports:
    """Counters of the node, and the tasks that report them."""

    def __init__(self, ticks: TickTimer, warn: Callable[[str], object]) -> None:
        self._ticks = ticks
        self._warn = warn
        self._bad = 0  # reports in a row with too many missed ticks
        self.counts = Counts()
        self._last_accepted: float | None = None
        self._span = (0.0, 0.0)  # its start and end [s]

    def count_accepted(self, start: float, end: float) -> None:
        """Count an accepted trajectory with its start and end on the clock of the node [s]."""
        self.counts.accepted += 1
        self._last_accepted = time.monotonic()
        self._span = start, end

    def tasks(self) -> dict[str, Callable[[], Report]]:
        """Return the diagnostic tasks by name."""
        return {'trajectory': self._trajectory, 'rate': self._rate}

    def _trajectory(self) -> Report:
        age = (
            'never' if self._last_accepted is None
            else f'{time.monotonic() - self._last_accepted:.3f}'
        )  # fmt: skip
        counts = self.counts
        values = {'accepted': counts.accepted, 'rejected': counts.rejected, 'age [s]': age}
        if self._last_accepted is not None:
            start, end = self._span
            values |= {'start [s]': f'{start:.3f}', 'end [s]': f'{end:.3f}'}
        return Report(OK, counts.rejection or 'ok', values)

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
        }
        part = summary.missed_part
        self._bad = self._bad + 1 if part > _LOGGED_PART else 0
        if self._bad % _PAUSE == _LASTING:
            self._warn(
                f'{100.0 * part:.0f} % of the ticks are missed: a tick takes '
                f'{1e3 * summary.mean_time:.3g} ms of {1e-6 * statistics.period:.3g} ms at '
                f'{1e9 / statistics.period:.4g} Hz'
            )
        if not summary.ticks:
            return Report(OK, 'not active', values)
        if part > _REPORTED_PART:
            return Report(WARN, f'{100.0 * part:.1f} % of the ticks missed', values)
        return Report(OK, 'ok', values)

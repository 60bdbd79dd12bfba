# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`TickTimer`: periodic callback with statistics; `RateReport` on these."""

import time
from collections.abc import Callable, Sequence
from typing import NamedTuple

from rclpy.clock import Clock, ClockType
from rclpy.node import Node
from rclpy.parameter import Parameter
from rclpy.timer import Timer

from screw_dynamics.control.report import OK, WARN, Report


class TickSummary(NamedTuple):
    """Statistics since the previous summary."""

    rate: float  # [Hz], 0 with less than two ticks
    ticks: int
    missed: int  # periods without a tick
    mean_time: float  # of the callback [s]
    longest_time: float

    @property
    def missed_part(self) -> float:
        """Fraction of the due ticks that was missed."""
        due = self.ticks + self.missed
        return self.missed / due if due else 0.0


class TickStatistics:
    """Counts ticks with a constant amount of memory; `period` is the time between them [ns]."""

    def __init__(self, period: int) -> None:
        self.period = period
        self.ticks_total = self.missed_total = 0
        self.pause()

    def pause(self) -> None:
        """Leave out the time until the next tick."""
        self._last: int | None = None
        self._start_window()

    def _start_window(self) -> None:
        self._first = self._last
        self._ticks = self._intervals = self._busy = self._longest = 0

    def record(self, time: int, duration: int) -> None:
        """Count a tick that began at `time`, on the clock of the ticks, for `duration` [ns]."""
        if self._first is None:
            self._first = time
        else:
            self._intervals += 1
        self._last = time
        self._ticks += 1
        self.ticks_total += 1
        self._busy += duration
        self._longest = max(self._longest, duration)

    def summary(self) -> TickSummary:
        """Return the statistics since the previous summary, and restart; late is not missed."""
        span = 0 if self._first is None or self._last is None else self._last - self._first
        missed = max(0, (span + self.period // 2) // self.period - self._intervals)
        self.missed_total += missed
        result = TickSummary(
            rate=self._intervals * 1e9 / span if span > 0 else 0.0,
            ticks=self._ticks,
            missed=missed,
            mean_time=self._busy * 1e-9 / self._ticks if self._ticks else 0.0,
            longest_time=self._longest * 1e-9,
        )
        self._start_window()
        return result


_TIME_PARAMETER = 'use_sim_time'


class TickTimer:
    """
    A timer on the steady clock, or on /clock if use_sim_time is set.

    `on_tick` is called with the time of the node [ns], `on_jump` with the reason when earlier
    time stamps become invalid. On the system clock it would stall when that is set back.
    """

    def __init__(
        self, node: Node, on_tick: Callable[[int], object], on_jump: Callable[[str], object]
    ) -> None:
        self._node, self._clock = node, node.get_clock()
        self._on_tick, self._on_jump = on_tick, on_jump
        self._steady = Clock(clock_type=ClockType.STEADY_TIME)
        self._timer: Timer | None = None
        self._last = 0
        self.statistics = TickStatistics(1)
        node.add_post_set_parameters_callback(self._on_parameters)

    def start(self, rate: float) -> None:
        """Start ticking at a rate [Hz]."""
        self.stop()
        self._rate = rate
        simulated = self._node.get_parameter(_TIME_PARAMETER).value
        self.times_by_node = bool(simulated)
        self.statistics = TickStatistics(round(1e9 / rate))
        self._timer = self._node.create_timer(
            1.0 / rate, self._tick, clock=self._clock if simulated else self._steady
        )

    def stop(self) -> None:
        """Stop ticking."""
        if self._timer is not None:
            self._node.destroy_timer(self._timer)
            self._timer = None

    def _on_parameters(self, parameters: Sequence[Parameter]) -> None:
        """Restart on the other clock if use_sim_time has changed; the node uses it already."""
        changed = [item.value for item in parameters if item.name == _TIME_PARAMETER]
        if self._timer is None or not changed or bool(changed[-1]) == self.times_by_node:
            return
        self._on_jump(f'{_TIME_PARAMETER} has changed')
        self._last = 0
        self.start(self._rate)

    def _tick(self) -> None:
        if self._timer is None:
            return  # stopped while this call was in the queue of the events executor
        begun = time.monotonic_ns()
        # without use_sim_time the clock of the node is that of the system
        now = self._clock.now().nanoseconds if self.times_by_node else time.time_ns()
        if now == self._last:
            return  # simulated time has not advanced
        if now < self._last:
            self._on_jump('Moved backwards in time')
            self.statistics.pause()
        self._last = now
        self._on_tick(now)
        self.statistics.record(now if self.times_by_node else begun, time.monotonic_ns() - begun)


_REPORTED_PART = 0.01  # fraction of missed ticks above which a warning is reported
_LOGGED_PART = 0.1  # above which it is logged, if it lasts
_LASTING, _PAUSE = 3, 30  # reports until a warning, and between warnings


class RateReport:
    """Report on the rate of ticks for /diagnostics; too many missed ticks are logged, too."""

    def __init__(self, ticks: TickTimer, warn: Callable[[str], object]) -> None:
        self._ticks, self._warn = ticks, warn
        self._bad = 0  # reports in a row with too many missed ticks

    def __call__(self) -> Report:
        """Return the report since the last one."""
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
            slow = summary.mean_time > 0.5e-9 * statistics.period
            self._warn(
                f'{100.0 * part:.0f} % of the ticks are missed: a tick takes '
                f'{1e3 * summary.mean_time:.3g} ms of {1e-6 * statistics.period:.3g} ms at '
                f'{1e9 / statistics.period:.4g} Hz'
                + ('' if slow else ': the machine is busy with other work')
            )
        if not summary.ticks:
            return Report(OK, 'not active', values)
        if part > _REPORTED_PART:
            return Report(WARN, f'{100.0 * part:.1f} % of the ticks missed', values)
        return Report(OK, 'ok', values)

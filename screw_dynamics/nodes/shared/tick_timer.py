# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`TickTimer`: periodic callback; `TickStatistics`, the report on its rate."""

import time
from collections.abc import Callable, Sequence

from rclpy.clock import Clock, ClockType
from rclpy.node import Node
from rclpy.parameter import Parameter
from rclpy.timer import Timer

from screw_dynamics.control.report import OK, WARN, Report

_REPORTED_PART = 0.01  # fraction of missed ticks above which a warning is reported
_LOGGED_PART = 0.1  # above which it is logged, if it lasts
_LASTING, _PAUSE = 3, 30  # reports until a warning, and between warnings


class TickStatistics:
    """Counts ticks with a constant amount of memory; `period` is the time between them [ns]."""

    def __init__(self, period: int) -> None:
        self.period = period
        self._ticks_total = self._missed_total = 0
        self._bad = 0  # reports in a row with too many missed ticks
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
        self._ticks_total += 1
        self._busy += duration
        self._longest = max(self._longest, duration)

    def report(self, warn: Callable[[str], object]) -> Report:
        """Return the report since the last one; many missed ticks, not late ones, are logged."""
        ticks, period = self._ticks, self.period
        span = 0 if self._first is None or self._last is None else self._last - self._first
        missed = max(0, (span + period // 2) // period - self._intervals)
        self._missed_total += missed
        part, mean = missed / max(ticks + missed, 1), self._busy / max(ticks, 1)
        values = {
            'rate [Hz]': f'{self._intervals * 1e9 / max(span, 1):.1f}',
            'wanted rate [Hz]': f'{1e9 / period:.1f}',
            'missed ticks': missed,
            'missed ticks in all': self._missed_total,
            'ticks in all': self._ticks_total,
            'mean compute time [us]': f'{1e-3 * mean:.1f}',
            'longest compute time [us]': f'{1e-3 * self._longest:.1f}',
        }
        self._start_window()
        self._bad = self._bad + 1 if part > _LOGGED_PART else 0
        if self._bad % _PAUSE == _LASTING:
            warn(
                f'{100.0 * part:.0f} % of the ticks are missed: a tick takes {1e-6 * mean:.3g} ms '
                f'of {1e-6 * period:.3g} ms at {1e9 / period:.4g} Hz'
                + ('' if mean > 0.5 * period else ': the machine is busy with other work')
            )
        if not ticks:
            return Report(OK, 'not active', values)
        if part > _REPORTED_PART:
            return Report(WARN, f'{100.0 * part:.1f} % of the ticks missed', values)
        return Report(OK, 'ok', values)


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

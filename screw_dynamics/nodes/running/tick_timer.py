# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`TickTimer`: periodic callback with the time of the node, and detection of clock jumps."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from rclpy.clock import Clock, ClockType
from rclpy.node import Node
from rclpy.parameter import Parameter
from rclpy.timer import Timer

from screw_dynamics.nodes.running.tick_statistics import TickStatistics

_TIME_PARAMETER = 'use_sim_time'


class TickTimer:
    """
    A timer on the steady clock, or on /clock if use_sim_time is set.

    A timer on the system clock would stall when that clock is set back. `on_tick` is called with
    the time of the node [ns]; results must depend on it alone, not on the number of ticks.
    `on_jump` is called with the reason when earlier time stamps become invalid: the time has
    decreased, or use_sim_time has changed.
    """

    def __init__(
        self, node: Node, on_tick: Callable[[int], None], on_jump: Callable[[str], None]
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
        self._times_by_node = bool(simulated)
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
        if self._timer is None or not changed or bool(changed[-1]) == self._times_by_node:
            return
        self._on_jump(f'{_TIME_PARAMETER} has changed')
        self._last = 0
        self.start(self._rate)

    def _tick(self) -> None:
        begun = time.monotonic_ns()
        now = self._clock.now().nanoseconds
        if now == self._last:
            return  # simulated time has not advanced
        if now < self._last:
            self._on_jump('Moved backwards in time')
            self.statistics.pause()
        self._last = now
        self._on_tick(now)
        self.statistics.record(now if self._times_by_node else begun, time.monotonic_ns() - begun)

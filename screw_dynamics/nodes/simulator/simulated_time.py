# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""When a simulation takes its steps: as the time of the node passes, or in lock-step."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Protocol

from rclpy.clock import Clock, ClockType
from rclpy.node import Node
from rosgraph_msgs.msg import Clock as ClockMessage

from screw_dynamics.nodes.conversions import SECOND, set_stamp
from screw_dynamics.nodes.endpoints import make_publisher
from screw_dynamics.nodes.parameters.sea_simulator_parameters import SeaSimulatorParameters
from screw_dynamics.nodes.running.tick_timer import TickTimer

_LONGEST_LAG = 0.1  # s that are caught up with; what is more is left out
_SHORTEST_LOOK = 0.0005  # s between looks at the steady clock


class SimulatedTime(Protocol):
    """
    The time of a simulation.

    `time` [ns].
    """

    time: int
    skipped: int
    waited: int

    def cover(self, instant: int | None) -> None:
        """
        Take note of motor efforts.

        `instant` [ns].
        """

    def stop(self) -> None:
        """Take no more steps."""


class RealTime:
    """
    Steps of fixed length, as many as the time of the node has advanced.

    `rate` [Hz]; `step` [ns].
    """

    def __init__(
        self,
        node: Node,
        rate: float,
        step: Callable[[int], None],
        publish: Callable[[int], None],
    ) -> None:
        self._step, self._publish = step, publish
        self._period = round(SECOND / rate)
        self.time = self.skipped = self.waited = 0
        self._ticks = TickTimer(node, self._tick, self._on_jump)
        self._ticks.start(rate)

    def cover(self, instant: int | None) -> None:
        """Do nothing: time does not wait; see `SimulatedTime`."""

    def stop(self) -> None:
        """Take no more steps."""
        self._ticks.stop()

    def _on_jump(self, reason: str) -> None:
        self.time = 0

    def _tick(self, now: int) -> None:
        if not self.time:
            self.time = now
            self._publish(now)
            return
        due = (now - self.time) // self._period
        late = due - max(1, round(_LONGEST_LAG * SECOND / self._period))
        if late > 0:
            self.skipped += late
            self.time += late * self._period
            due -= late
        for _ in range(due):
            self.time += self._period
            self._step(self.time)
        if due:
            self._publish(self.time)


class LockStep:
    """
    The source of /clock: each step waits for the motor efforts of its beginning.

    It does so where others have come since the step before, and no longer than lock_step_timeout;
    so the same commands give the same motion, however busy the computer is. Time begins at the
    length of a step: 0 would say that there is no time yet.
    """

    def __init__(
        self,
        node: Node,
        parameters: Callable[[], SeaSimulatorParameters],
        step: Callable[[int], None],
        publish: Callable[[int], None],
    ) -> None:
        self._node, self._parameters = node, parameters
        self._step, self._publish = step, publish
        self._period = round(SECOND / parameters().rate)
        self.time, self.skipped, self.waited = self._period, 0, 0
        self._covered = self._expecting = False
        self._due = self._give_up = time.monotonic()
        self._message = ClockMessage()
        self._publisher = make_publisher(node, ClockMessage, '/clock')
        self._timer = node.create_timer(
            max(_SHORTEST_LOOK, 0.5e-9 * self._period),
            self._look,
            clock=Clock(clock_type=ClockType.STEADY_TIME),
        )
        self._tell()

    def cover(self, instant: int | None) -> None:
        """Go on if the efforts belong to the step that waits; see `SimulatedTime`."""
        if instant is None or instant >= self.time:
            self._covered = True
            self._look()
        elif not self._expecting:  # who is late has yet to answer to the present time
            self._expecting = True
            self._give_up = time.monotonic() + self._parameters().lock_step_timeout

    def stop(self) -> None:
        """Take no more steps."""
        self._node.destroy_timer(self._timer)
        self._node.destroy_publisher(self._publisher)

    def _look(self) -> None:
        now = time.monotonic()
        if now < self._due:
            return
        if self._expecting and not self._covered:
            if now < self._give_up:
                return
            self.waited += 1
        self._expecting, self._covered = self._covered, False
        factor = self._parameters().real_time_factor
        if factor > 0.0:
            # a little time lost is made up for, more is not
            self._due = max(self._due, now - _LONGEST_LAG) + 1e-9 * self._period / factor
        self.time += self._period
        self._step(self.time)
        self._tell()
        self._give_up = now + self._parameters().lock_step_timeout

    def _tell(self) -> None:
        """Publish the state before its time: who hears of the time may have the state already."""
        self._publish(self.time)
        set_stamp(self._message.clock, self.time)
        self._publisher.publish(self._message)

# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Time of a simulation, in real time or lock-step with the motor efforts, and its diagnostics."""

import time
from collections.abc import Callable

from rclpy.node import Node
from rosgraph_msgs.msg import Clock as ClockMessage

from screw_dynamics.common.times import SECOND, set_stamp
from screw_dynamics.control.report import ERROR, OK, WARN, Counts, Report
from screw_dynamics.nodes.sea_simulator.parameters import SeaSimulatorParameters
from screw_dynamics.nodes.sea_simulator.simulated_robot import SimulatedRobot
from screw_dynamics.nodes.shared.endpoints import make_publisher, steady_timer
from screw_dynamics.nodes.shared.parameters import NodeParameters
from screw_dynamics.nodes.shared.tick_timer import TickTimer

_LONGEST_LAG = 0.1  # s of delay that are made up for; steps beyond it are skipped
_SHORTEST_LOOK = 0.0005  # s between polls of the steady clock
_REPETITION = 0.1  # s, of a time whose efforts do not come: clients take /clock as best effort


# Called before the first step of a tick with its instant and the time left out before it [ns]
Begin = Callable[[int, int], None]


class SimulatedTime:
    """The time of a simulation; `begin` and `publish` surround the steps of a tick."""

    def __init__(
        self,
        node: Node,
        settings: NodeParameters[SeaSimulatorParameters],
        begin: Begin,
        step: Callable[[], None],
        publish: Callable[[int], None],
    ) -> None:
        self._node, self._settings = node, settings
        self._begin, self._step, self._publish = begin, step, publish
        self._period = round(SECOND / settings.values.rate)
        self.time = 0  # instant of the last published state [ns]; 0: none
        self.skipped = 0  # steps left out because the computer is too slow
        self.waited = 0  # steps without the expected motor efforts
        self._start()

    def _start(self) -> None:
        """Start stepping."""

    def cover(self, instant: int | None) -> None:
        """Register motor efforts for an instant [ns]; None if it is not known."""

    def stop(self) -> None:
        """Stop stepping."""


class RealTime(SimulatedTime):
    """Steps at a fixed rate that follow the time of the node."""

    def _start(self) -> None:
        self._ticks = TickTimer(self._node, self._tick, self._on_jump)
        self._ticks.start(self._settings.values.rate)

    def stop(self) -> None:
        """Stop stepping."""
        self._ticks.stop()

    def _on_jump(self, reason: str) -> None:
        self.time = 0

    def _tick(self, now: int) -> None:
        if not self.time:
            self.time = now
            self._publish(now)
            return
        due = (now - self.time) // self._period
        if due <= 0:
            return
        late = max(0, due - max(1, round(_LONGEST_LAG * SECOND / self._period)))
        self.skipped += late
        self.time += late * self._period
        self._begin(self.time + self._period, late * self._period)
        for _ in range(due - late):
            self.time += self._period
            self._step()
        self._publish(self.time)


class LockStep(SimulatedTime):
    """
    The source of /clock: each step waits for the motor efforts of its beginning.

    It waits only if efforts have arrived since the step before, and at most lock_step_timeout; so
    the same commands result in the same motion, however busy the computer is. Efforts without an
    instant count for the step that waits when they arrive. Time 0 would mean that there is none.
    """

    def _start(self) -> None:
        self.time = self._period
        self._covered = self._expecting = self._last_look = False
        self._due = self._give_up = time.monotonic()
        self._message = ClockMessage()
        self._publisher = make_publisher(self._node, ClockMessage, '/clock')
        look_period = max(_SHORTEST_LOOK, 0.5e-9 * self._period)
        self._timer = steady_timer(self._node, look_period, self._look)
        self._publish_time()

    def cover(self, instant: int | None) -> None:
        """Continue if the efforts belong to the waiting step."""
        if instant is None or instant >= self.time:
            self._covered = True
            self._look()
        elif not self._expecting:  # a late sender will still respond to the present time
            self._expecting = True
            self._give_up = time.monotonic() + self._settings.values.lock_step_timeout

    def stop(self) -> None:
        """Stop stepping."""
        self._node.destroy_timer(self._timer)
        self._node.destroy_publisher(self._publisher)

    def _look(self) -> None:
        now = time.monotonic()
        if now < self._due:
            return
        if self._expecting and not self._covered:
            if now < self._give_up:
                if now >= self._repeated + _REPETITION:
                    self._send_time()
                return
            if not self._last_look:  # timers come before the efforts that arrived meanwhile
                self._last_look = True
                return
            self.waited += 1
        self._expecting, self._covered, self._last_look = self._covered, False, False
        factor = self._settings.values.real_time_factor
        if factor > 0.0:
            # only a short delay is made up for
            self._due = max(self._due, now - _LONGEST_LAG) + 1e-9 * self._period / factor
        self.time += self._period
        self._begin(self.time, 0)
        self._step()
        self._publish_time()
        self._give_up = now + self._settings.values.lock_step_timeout

    def _publish_time(self) -> None:
        """Publish the state, then its time, so that receivers of the time may have the state."""
        self._publish(self.time)
        set_stamp(self._message.clock, self.time)
        self._send_time()

    def _send_time(self) -> None:
        self._publisher.publish(self._message)
        self._repeated = time.monotonic()


class SimulationReport:
    """Counters of the simulation, and the task that reports them."""

    def __init__(self) -> None:
        self.counts = Counts()  # of motor efforts
        self._reported = (0, 0, 0)

    def task(
        self, robot: SimulatedRobot | None, time: SimulatedTime | None, rate: float
    ) -> Report:
        """Return the report on a simulation at a rate [Hz]; WARN is about news since the last."""
        if robot is None or time is None:
            return Report(OK, 'not begun')
        values: dict[str, object] = {
            'simulated time [s]': f'{1e-9 * time.time:.3f}',
            'brakes': 'on' if robot.braked else 'off',
            'integration steps per state': robot.substeps,
            'motor efforts accepted': self.counts.accepted,
            'motor efforts rejected': self.counts.rejected,
            'motor efforts cut': robot.drives.saturated,
            'states left out': time.skipped,
            'states without motor efforts': time.waited,
        }
        counters = (robot.drives.saturated, time.skipped, time.waited)
        cut, skipped, waited = (a > b for a, b in zip(counters, self._reported, strict=True))
        self._reported = counters
        if robot.failure:
            return Report(ERROR, robot.failure, values)
        if skipped:
            return Report(WARN, 'too slow for real time: states are left out', values)
        if waited:
            return Report(
                WARN,
                'no motor efforts within lock_step_timeout: is their rate '
                f'{rate:g} Hz, that of this node?',
                values,
            )
        if cut:
            return Report(WARN, 'motor efforts beyond the limit of a motor are cut', values)
        return Report(OK, self.counts.rejection or 'ok', values)

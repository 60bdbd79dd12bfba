# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`ExecutionWatch`: output beside a controller that does not execute the motion."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pytest
from oracles.controller_trajectory import ControllerTrajectory

from screw_dynamics.nodes.feedforward.inputs.execution_watch import ControllerState, ExecutionWatch
from screw_dynamics.nodes.feedforward.parameters import FeedforwardParameters
from screw_dynamics.reference.interpolation import CONTROLLER_SPLINE
from screw_dynamics.reference.reference import Reference
from screw_dynamics.trajectory import waypoints_from_points

MS = 10**6
START = 1_000 * 1000 * MS
PERIOD = 4  # of ticks and states [ms]
TIMES = [0.0, 1.0, 2.0, 3.0]
POINTS = [[0.0, 0.0], [0.6, 0.5], [1.2, 0.2], [0.9, 0.0]]


@dataclass
class Beside:
    """A node that follows a trajectory, and a controller; times in ms from START."""

    watch: ExecutionWatch = field(default_factory=ExecutionWatch)
    parameters: FeedforwardParameters = field(default_factory=FeedforwardParameters)
    now: int = 0
    reporting: bool = True
    delay: int = 1  # of a state [ms]
    published: list[tuple[int, float]] = field(default_factory=list)  # time, position

    def __post_init__(self):
        self.reference = Reference(1, CONTROLLER_SPLINE)
        self.hold(0.0)

    def hold(self, position, time=30.0):
        """Let the controller hold a position; its trajectory time goes on from another."""
        self.controller = ControllerTrajectory()
        self.controller.receive(self.seconds - time, 0.0, [0.0], [[position]], [position, 0.0])
        self.began = self.seconds - time

    @property
    def seconds(self):
        return 1000.0 + 1e-3 * self.now

    def send(self, times=TIMES, points=POINTS, late=0, fit=0):
        """Send a trajectory; the controller receives it late, or never; the node fits it."""
        waypoints = waypoints_from_points(
            ['a'], [(t, *([x] for x in p)) for t, p in zip(times, points, strict=True)], ['a']
        )
        instant = START + self.now * MS
        if not late:
            self._receive(times, points, late)
            self.run(fit)
        jet, now = np.zeros((5, 1)), START + self.now * MS
        self.reference.add(waypoints, instant, now, jet, received=instant)
        if late:
            self.run(late)
            self._receive(times, points, late)

    def _receive(self, times, points, late):
        """Let the controller start a trajectory from its state, unless it never gets it."""
        if late is not None:
            state = self.controller.sample(self.seconds)[:2]
            self.began = self.seconds
            self.controller.receive(self.seconds, 0.0, times, points, list(state))

    def run(self, duration):
        """Tick and report."""
        for _ in range(0, duration, PERIOD):
            self.now += PERIOD
            position = self.controller.sample(self.seconds)[0]
            if self.reporting:
                instant = START + self.now * MS
                state = ControllerState(
                    instant,
                    self.seconds - self.began,
                    np.array([0]),
                    np.array([False]),
                    np.array([position]),
                )
                taken = self.watch.take(
                    self.reference, state, instant + self.delay * MS, self.parameters
                )
                if taken:
                    self.reference.set_speed(1.0, instant)
            now = START + (self.now + 2) * MS
            self.watch.follow(self.reference.motion_at(now), now)
            jet = np.empty((5, 1))
            withheld = self.watch.lapsed(now, self.parameters.sync_timeout)
            self.reference.executed = not withheld
            if not withheld:
                if self.reference.sample(now, jet) is not None:
                    self.published.append((self.now + 2, jet[0, 0]))

    @property
    def silent(self):
        return not self.published or self.published[-1][0] < self.now

    def forget(self):
        self.published.clear()


def off_the_controller(beside):
    """Return how far published positions are from the controller's present trajectory."""
    return max(
        abs(position - beside.controller.sample(1000.0 + 1e-3 * time)[0])
        for time, position in beside.published
    )


def test_a_trajectory_that_both_follow():
    beside = Beside()
    beside.run(100)
    assert beside.published == []
    assert not beside.watch.withheld
    for late, duration in ((0, 4000), (20, 1500), (20, 4000)):
        beside.send(late=late)
        beside.run(40)
        beside.forget()  # until the controller's time is known
        beside.run(duration)
        assert len(beside.published) == duration // PERIOD
        assert off_the_controller(beside) < 1e-9
        assert not beside.watch.reason


@pytest.mark.parametrize('timeout', [0.2, 0.05])
def test_a_trajectory_that_the_controller_rejects(timeout):
    beside = Beside(parameters=FeedforwardParameters(sync_timeout=timeout))
    beside.run(100)
    begun = beside.now
    beside.send(late=None)
    beside.run(5000)
    last = beside.published[-1][0]
    assert 1000 * timeout - 8 <= last - begun <= 1000 * timeout + 8
    assert 'its trajectory time is 30.' in beside.watch.reason
    assert 'parameter sync_tolerance' in beside.watch.reason
    # the next one is executed by both, from the robot's position
    beside.forget()
    beside.send([0.5, 1.5], [[0.4, 0.1], [0.2, 0.0]])
    beside.run(4000)
    assert len(beside.published) == 1000
    assert off_the_controller(beside) < 1e-9


def test_a_short_trajectory_that_the_controller_rejects():
    """It ends before its time: its end is not kept for long."""
    beside = Beside()
    beside.run(100)
    beside.send([0.0, 0.1], [[0.0, 0.0], [0.3, 0.0]], late=None)
    beside.run(1000)
    assert beside.published[-1][0] <= 100 + 208
    assert beside.silent


@pytest.mark.parametrize('after', [40, 400, 1000])
def test_a_controller_that_aborts(after):
    """It holds its position, with a time that starts again."""
    beside = Beside()
    beside.run(100)
    beside.send()
    beside.run(after)
    aborted, position = beside.now, beside.controller.sample(beside.seconds)[0]
    beside.hold(position, 0.0)
    beside.run(5000)
    assert beside.silent
    last = beside.published[-1][0]
    assert last - aborted <= 208


@pytest.mark.parametrize('gap', [20, 60, 96])
@pytest.mark.parametrize('fit', [0, 32])
def test_a_trajectory_soon_after_another(gap, fit):
    """Its states are not taken for those of the motion that it replaces, nor the reverse."""
    beside = Beside()
    beside.run(100)
    beside.send()
    beside.run(gap)
    beside.send([0.5, 2.0], [[-0.5, 0.0], [0.5, 0.0]], fit=fit)
    beside.forget()
    beside.run(2500)
    assert len(beside.published) == 2500 // PERIOD
    assert off_the_controller(beside) < 1e-9


@pytest.mark.parametrize('gap', [20, 60, 96])
def test_a_controller_that_is_late_for_a_trajectory_soon_after_another(gap):
    beside = Beside()
    beside.run(100)
    beside.send()
    beside.run(gap)
    beside.send([0.5, 2.0], [[-0.5, 0.0], [0.5, 0.0]], late=12)
    beside.run(40)
    beside.forget()
    beside.run(2500)
    assert off_the_controller(beside) < 1e-2
    assert len(beside.published) == 2500 // PERIOD


def test_a_controller_that_falls_silent():
    beside = Beside()
    beside.run(100)
    beside.send()
    beside.run(500)
    stopped = beside.now
    beside.reporting = False
    beside.run(1000)
    assert beside.silent
    assert beside.published[-1][0] - stopped <= 208
    assert beside.watch.reason == 'no state for 0.2 s (parameter sync_timeout)'
    # it is back, and holds the position of the stop
    beside.forget()
    beside.hold(0.4, 0.0)
    beside.reporting = True
    beside.run(5000)
    assert beside.published == []
    assert beside.watch.withheld
    beside.send()
    beside.run(1000)
    assert not beside.silent


def test_a_controller_that_was_not_heard_for_some_time():
    beside = Beside()
    beside.run(100)
    beside.send()
    beside.run(500)
    beside.reporting = False
    beside.run(700)
    assert beside.silent
    beside.forget()
    beside.reporting = True
    beside.run(1000)
    assert len(beside.published) > 230
    assert off_the_controller(beside) < 1e-9


def test_a_controller_that_has_never_been_heard():
    beside = Beside(reporting=False)
    beside.run(500)
    beside.send()
    beside.run(500)
    assert beside.published == []
    assert beside.watch.reason == 'no state for 0.2 s (parameter sync_timeout)'
    beside.reporting = True
    beside.run(500)
    assert len(beside.published) > 110
    assert off_the_controller(beside) < 1e-9


def test_what_was_seen_before_is_no_evidence():
    """After the output has stopped again five states along the motion are needed again."""
    beside = Beside()
    beside.run(100)
    beside.send()
    for _ in range(2):
        beside.run(300)
        beside.reporting = False
        beside.run(300)
        beside.forget()
        beside.reporting = True
        beside.run(4 * PERIOD)
        assert beside.published == []
        beside.run(PERIOD)
        assert len(beside.published) == 1


@pytest.mark.parametrize('late', [152, 452, 1500])
def test_a_controller_that_is_late(late):
    """Beyond the tolerance, at first: once it moves its time counts."""
    beside = Beside()
    beside.run(100)
    beside.send(late=late)
    beside.run(max(0, 208 - late))
    beside.forget()
    beside.run(3500)
    assert off_the_controller(beside) < 1e-9
    assert len(beside.published) > 800
    assert not beside.silent
    assert not beside.watch.reason


def test_a_held_end():
    """It needs no states, but positions that differ stop it."""
    beside = Beside()
    beside.run(100)
    beside.send()
    beside.run(4000)
    beside.reporting = False
    beside.run(2000)
    assert not beside.silent
    beside.reporting = True
    beside.hold(0.9, 0.0)  # as after the success of a goal
    beside.run(1000)
    assert not beside.silent
    beside.hold(0.0, 0.0)
    beside.run(1000)
    assert beside.silent
    assert beside.watch.reason.startswith('its trajectory time is')
    beside.hold(0.9, 5.0)
    beside.run(100)
    assert not beside.silent
    assert beside.published[-1][1] == pytest.approx(0.9)


@pytest.mark.parametrize('fit', [4, 40])
def test_a_trajectory_after_a_rest_that_the_controller_begins_first(fit):
    beside = Beside()
    beside.run(100)
    for target in (0.3, 0.7, -0.2):
        # its first states are near the end of the motion before, which the node still follows
        beside.send([1.0], [[target, 0.0]], fit=fit)
        beside.forget()
        beside.run(1500)
        assert len(beside.published) == 1500 // PERIOD
        assert off_the_controller(beside) < 1e-9
        assert not beside.watch.reason


def test_turns_of_a_joint_without_limits():
    watch, parameters, jet = ExecutionWatch(), FeedforwardParameters(), np.zeros((5, 1))
    reference = Reference(1, CONTROLLER_SPLINE)
    waypoints = waypoints_from_points(['a'], [(0.0, [0.0]), (1.0, [1.0])], ['a'])
    reference.add(waypoints, START, START, jet)
    watch.follow(reference.motion_at(START), START)
    for turning in (True, False):
        state = ControllerState(
            START + 500 * MS,
            0.5,
            np.array([0]),
            np.array([turning]),
            np.array([0.5 - 4.0 * np.pi]),
        )
        assert watch.take(reference, state, START + 500 * MS, parameters) is turning
    assert watch.reason == (
        'its reference of joint a is -12.07, expected 0.5 within 0.1 '
        '(parameter sync_position_tolerance)'
    )

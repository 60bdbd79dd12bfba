# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Steps of sea_simulator: their times, waiting, and reports."""

from __future__ import annotations

import time
from types import SimpleNamespace

import pytest

from screw_dynamics.common.times import nanoseconds
from screw_dynamics.control.report import ERROR, OK, WARN
from screw_dynamics.nodes.sea_simulator import simulated_time
from screw_dynamics.nodes.sea_simulator.parameters import SeaSimulatorParameters
from screw_dynamics.nodes.sea_simulator.simulated_time import LockStep, RealTime, SimulationReport

SECOND = 10**9
RATE = 100.0
PERIOD = SECOND // 100
START = 1_700_000_000 * SECOND
SETTINGS = SimpleNamespace(values=SeaSimulatorParameters(rate=RATE))


@pytest.fixture
def calls():
    """Return what the time calls: instant and time left out of each begin, steps since then."""
    calls = SimpleNamespace(begun=[], steps=[], published=[])
    calls.begin = lambda *call: (calls.begun.append(call), calls.steps.append(0))
    calls.step = lambda: calls.steps.append(calls.steps.pop() + 1)
    return calls


@pytest.fixture
def lock_step(ros, calls):
    """Return a function that makes the source of /clock with some parameters."""
    made = []

    def lock_step(**values):
        settings = SimpleNamespace(values=SeaSimulatorParameters(rate=RATE, **values))
        made.append(LockStep(ros.node, settings, calls.begin, calls.step, calls.published.append))
        return made[-1]

    yield lock_step
    for each in made:
        each.stop()


def test_real_time_takes_as_many_steps_as_time_has_passed(ros, calls):
    real = RealTime(ros.node, SETTINGS, calls.begin, calls.step, calls.published.append)
    real.stop()  # its ticks are made here
    real._tick(START)
    assert (calls.begun, calls.steps, calls.published) == ([], [], [START])
    real._tick(START + PERIOD - 1)
    assert len(calls.published) == 1 and not calls.begun
    real._tick(START + 3 * PERIOD + 1)
    assert (calls.begun, calls.steps) == ([(START + PERIOD, 0)], [3])
    assert calls.published == [START, START + 3 * PERIOD]
    # a tenth of a second is caught up with, what is more is left out
    real._tick(START + 100 * PERIOD)
    assert calls.begun[1:] == [(START + 91 * PERIOD, 87 * PERIOD)]
    assert calls.steps == [3, 10]
    assert calls.published[2:] == [START + 100 * PERIOD]
    assert real.skipped == 87


def test_a_step_waits_for_the_efforts_of_its_beginning(calls, lock_step):
    clock = lock_step(real_time_factor=0.0, lock_step_timeout=60.0)
    assert (clock.time, calls.published) == (PERIOD, [PERIOD])
    clock.cover(clock.time)
    assert (calls.begun, calls.steps) == ([(2 * PERIOD, 0)], [1])
    clock._look()  # others came at the step before: these are waited for
    for _ in range(3):  # late ones, of a sender that catches up: each is in force until the next
        clock.cover(PERIOD)
        clock._look()
    assert clock.time == 2 * PERIOD
    clock.cover(clock.time)
    assert clock.time == 3 * PERIOD
    clock.cover(None)  # of an instant that is not known
    assert clock.time == 4 * PERIOD
    assert calls.published == [k * PERIOD for k in (1, 2, 3, 4)]
    assert clock.waited == 0


def test_a_time_that_was_lost_comes_again(monkeypatch, calls, lock_step):
    monkeypatch.setattr(simulated_time, '_REPETITION', 0.0)
    clock, sent = lock_step(real_time_factor=0.0, lock_step_timeout=60.0), []
    clock.cover(clock.time)
    monkeypatch.setattr(
        clock,
        '_publisher',
        SimpleNamespace(publish=lambda time: sent.append(nanoseconds(time.clock))),
    )
    clock._look()
    clock._look()
    assert (sent, calls.published) == ([2 * PERIOD] * 2, [PERIOD, 2 * PERIOD])
    clock.cover(clock.time)
    assert sent == [2 * PERIOD] * 2 + [3 * PERIOD]
    monkeypatch.setattr(simulated_time, '_REPETITION', 60.0)
    clock._look()
    assert len(sent) == 3
    monkeypatch.undo()  # the publisher ends with the clock


def test_it_does_not_wait_for_ever(calls, lock_step):
    clock = lock_step(real_time_factor=0.0, lock_step_timeout=0.0)
    clock.cover(clock.time)
    clock._look()
    assert (clock.time, clock.waited) == (2 * PERIOD, 0)
    clock._look()
    assert (clock.time, clock.waited) == (3 * PERIOD, 1)
    clock._look()  # nobody is expected any more
    assert (clock.time, clock.waited) == (4 * PERIOD, 1)


def test_efforts_that_wait_in_the_queue_at_the_end_of_the_wait_count(calls, lock_step):
    """Timers come before subscriptions: the look at the end of the wait does not know of them."""
    clock = lock_step(real_time_factor=0.0, lock_step_timeout=0.0)
    clock.cover(clock.time)
    for k in (3, 4):
        clock._look()
        clock.cover(clock.time)
        assert (clock.time, clock.waited) == (k * PERIOD, 0)
    clock._look()
    assert clock.waited == 0  # each wait has a last look of its own
    clock._look()
    assert (clock.time, clock.waited) == (5 * PERIOD, 1)
    assert calls.steps == [1] * 4


def test_only_a_little_time_lost_is_made_up_for(calls, lock_step):
    clock = lock_step(real_time_factor=1.0)
    time.sleep(0.5)
    begun = time.monotonic()
    for _ in range(1000):
        clock._look()
    due = (0.1 + time.monotonic() - begun) * RATE
    assert 5 < len(calls.steps) <= due + 2


def report_of(**changes):
    """Return the report on a simulation after a change."""
    drives = SimpleNamespace(saturated=0)
    robot = SimpleNamespace(braked=False, failure='', substeps=4, drives=drives)
    clock = SimpleNamespace(time=SECOND, skipped=0, waited=0)
    report = SimulationReport()
    state = robot, clock, SeaSimulatorParameters().rate
    assert report.task(*state)[:2] == (OK, 'ok')
    for name, value in changes.items():
        (owner,) = (each for each in (drives, robot, clock) if hasattr(each, name))
        setattr(owner, name, value)
    first = report.task(*state)
    # everything is reported once, a failure until it is over
    assert report.task(*state).level == (ERROR if robot.failure else OK)
    return first


@pytest.mark.parametrize(
    'changes, level, message',
    [
        ({'saturated': 3}, WARN, 'motor efforts beyond the limit of a motor are cut'),
        ({'skipped': 2}, WARN, 'too slow for real time: states are left out'),
        ({'waited': 1, 'saturated': 1}, WARN, 'no motor efforts within lock_step_timeout: is '),
        ({'failure': 'not finite', 'skipped': 1}, ERROR, 'not finite'),
    ],
)
def test_reports(changes, level, message):
    found = report_of(**changes)
    assert found.level == level
    assert found.message.startswith(message)

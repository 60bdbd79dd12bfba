# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The process that fits trajectories answers every task, also if it ends."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time

import pytest
from helpers.node_processes import trajectory
from helpers.patience import patience
from rclpy.serialization import serialize_message

from screw_dynamics import read_urdf
from screw_dynamics.nodes.feedforward.fitting.fit_process import FitProcess
from screw_dynamics.nodes.feedforward.fitting.tasks import (
    Fit,
    FitRobot,
    Fitting,
    Outline,
    Reading,
    Refusal,
)
from screw_dynamics.nodes.feedforward.parameters import FeedforwardParameters
from screw_dynamics.reference.interpolation import Join
from screw_dynamics.robot import Robot

NAMES = ('joint_1', 'joint_2')
FITTING = Fitting(
    Join(0, 0, 0.0, None, False), False, None, FeedforwardParameters(check_limits='off'), 1.0, 0
)


def reading(count=2):
    points = [[0.1 * k, 0.0] for k in range(count)]
    return Reading(serialize_message(trajectory(NAMES, *points)), 1000)


class NotReadable:
    """Can be sent, but raises on arrival."""

    def __reduce__(self):
        return int, ('nose',)


@pytest.fixture
def fits(planar):
    process = FitProcess()
    process.use(FitRobot(Robot(read_urdf(planar)), {}, ()))
    yield process
    process.close()


def answer(fits):
    end = time.monotonic() + patience()
    while (found := fits.answer()) is None:
        assert time.monotonic() < end, 'no answer'
        time.sleep(0.01)
    return found


def done(fits, task):
    fits.submit(task)
    return answer(fits)


def kill(fits):
    """End the process, which is idle, and return when it has ended."""
    os.kill(fits._process.pid, signal.SIGKILL)
    os.waitid(os.P_PID, fits._process.pid, os.WEXITED | os.WNOWAIT)


def test_ticks_have_precedence(fits):
    """Its priority is lower, and in the same session, between which Linux may share first."""
    assert done(fits, reading()).points == 2
    own = os.getpriority(os.PRIO_PROCESS, 0)
    assert os.getpriority(os.PRIO_PROCESS, fits._process.pid) == min(own + 5, 19)
    assert os.getpgid(fits._process.pid) == fits._process.pid
    if sys.version_info >= (3, 11):
        assert os.getsid(fits._process.pid) == os.getsid(0)


@pytest.mark.parametrize(
    ('task', 'reason'),
    [(lambda: None, 'pickle'), (NotReadable(), 'has ended (code 1)')],
    ids=['sender', 'receiver'],
)
def test_a_task_that_cannot_be_sent_is_refused_and_the_next_one_done(fits, task, reason):
    refusal = done(fits, task)
    assert isinstance(refusal, Refusal) and reason in refusal.reason
    assert isinstance(done(fits, reading()), Outline)
    assert isinstance(done(fits, FITTING), Fit)


def test_one_that_died_while_idle_costs_no_trajectory(fits):
    assert done(fits, reading()).points == 2
    kill(fits)
    assert done(fits, reading(3)).points == 3
    kill(fits)
    fit = done(fits, FITTING)
    assert isinstance(fit, Fit) and len(fit.waypoints.times) == 3


def test_what_is_forgotten_is_not_answered(fits):
    assert done(fits, reading()).points == 2
    fits.submit(reading(3))
    fits.submit(reading(4))
    end = time.monotonic() + patience()
    while not fits._answers:
        assert time.monotonic() < end
        time.sleep(0.01)
    fits.forget()
    assert done(fits, reading(5)).points == 5
    assert fits.answer() is None


@pytest.mark.parametrize('closed', [True, False])
def test_warming_up_ends(fits, planar, closed):
    robot = FitRobot(Robot(read_urdf(planar)), {}, ()) if closed else lambda: None
    if closed:
        fits.close()
    thread = threading.Thread(target=fits.warm_up, args=(robot,), daemon=True)
    thread.start()
    thread.join(patience())
    assert not thread.is_alive()

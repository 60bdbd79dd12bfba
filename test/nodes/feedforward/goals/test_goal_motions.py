# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Goals and the reference, event by event: what is sent is what the node follows."""

from __future__ import annotations

import numpy as np
import pytest
from helpers.receiving_node import MS

from screw_dynamics.messages.times import nanoseconds
from screw_dynamics.nodes.feedforward.fitting.tasks import Refusal

REPLACED = 'its motion was replaced or dropped before it was sent'
DISPLACED = {
    'a stream': lambda arm: arm.streamed.add_positions(np.array([0.3, 0.3]), arm.now, arm.now),
    'a trajectory': lambda arm: arm.follow([0.1, 0.1], times=[1.0]),
    'clear': lambda arm: arm.clear(),
}


@pytest.mark.parametrize('tick', [False, True])
@pytest.mark.parametrize('name', DISPLACED)
def test_a_goal_that_waits_and_is_displaced_is_not_sent(arm, name, tick):
    goal = arm.accept([0.0, 0.0], [1.0, -1.0], times=[0.0, 2.0])
    task = arm.followed(goal)
    assert goal.waits
    DISPLACED[name](arm)
    if tick:
        arm.tick_for(5)
    arm.send(goal, task)
    assert arm.ends == [('abort', REPLACED)] and not arm.sent


@pytest.mark.parametrize('name', DISPLACED)
def test_a_goal_that_joins_a_motion_and_is_displaced_is_not_sent(moving_arm, name):
    arm = moving_arm
    goal = arm.accept([0.5, -0.5], [0.0, 0.0], times=[1.0, 2.0])
    task = arm.followed(goal)
    assert not goal.waits
    DISPLACED[name](arm)
    arm.tick_for(100)
    arm.send(goal, task)
    assert arm.ends == [('abort', REPLACED)] and not arm.sent


@pytest.mark.parametrize('forwarded', [10, 40, 300])
@pytest.mark.parametrize('speed', [1.0, 0.5])
@pytest.mark.parametrize('left', [10, 70])
def test_a_goal_that_is_planned_at_the_end_of_a_motion(arm, left, speed, forwarded):
    """Whether it rests when the goal joins and is sent, not when that was planned."""
    arm.follow([0.0, 0.0], [1.0, -1.0], times=[0.0, 2.0])
    arm.reference.set_speed(speed, arm.now)
    arm.tick_for(round(2000 / speed) - left)
    goal = arm.accept([1.0, -1.0], [2.0, -1.0], times=[0.0, 1.0])
    arm.plan(30 * MS)
    arm.tick_for(20)
    assert arm.join(0)
    task = arm.forwarding(goal)
    arm.tick_for(forwarded)
    arm.send(goal, task)
    (sent,) = arm.sent
    arm.tick_for(round(1300 / speed))
    arm.require_no_step()
    assert arm.positions[-1] == pytest.approx(2.0, abs=1e-9)
    # the controller executes what the node follows
    stamp = nanoseconds(sent.header.stamp)
    for point in sent.points[::7] if speed == 1.0 else ():
        time = stamp + nanoseconds(point.time_from_start)
        if time >= arm.reference.newest.begin:
            expected = arm.jet(time)[0]
            np.testing.assert_allclose(point.positions, expected, rtol=0.0, atol=1e-6)


@pytest.mark.parametrize('took', [20, 230])
@pytest.mark.parametrize('forwarded', [None, 40, 300])
def test_after_a_stream_that_has_ended(make, took, forwarded):
    """By a trajectory of the topic or a goal: nothing of the path is skipped."""
    arm = make(max_reference_age=0.1)
    arm.tick_for(300, [0.0, 0.0])
    arm.tick_for(500)
    arm.measure(0.0, 0.0)
    arm.positions.clear()
    if forwarded is None:
        arm.receive([0.0, 0.0], [1.0, -1.0], times=[0.0, 1.0])
    else:
        goal = arm.accept([0.0, 0.0], [1.0, -1.0], times=[0.0, 1.0])
    arm.plan(30 * MS)
    arm.tick_for(took)
    assert arm.join(0)
    if forwarded is not None:
        task = arm.forwarding(goal)
        arm.tick_for(forwarded)
        arm.send(goal, task)
        assert len(arm.sent) == 1
    arm.tick_for(1300)
    arm.require_no_step()
    first = np.flatnonzero(np.isfinite(arm.positions))[0]
    assert arm.positions[first] == pytest.approx(0.0, abs=1e-9)
    assert arm.positions[-1] == pytest.approx(1.0, abs=1e-9)


@pytest.mark.parametrize('took', [20, 150])
def test_a_stream_at_rest_is_continued_by_a_goal(arm, took):
    arm.tick_for(300, [0.0, 0.0])
    goal = arm.accept([0.0, 0.0], [1.0, -1.0], times=[0.0, 1.0])
    arm.plan(30 * MS)
    arm.tick_for(took, [0.0, 0.0])
    assert arm.join(0)
    task = arm.forwarding(goal)
    arm.tick_for(300)
    arm.send(goal, task)
    arm.tick_for(1300)
    arm.require_no_step()


def test_a_goal_that_was_planned_from_rest_and_joins_in_motion(arm):
    """The one before it is released during its fit, and the speed has changed too often."""
    first = arm.accept([0.0, 0.0], [1.0, -1.0], times=[0.0, 0.6])
    task = arm.followed(first, took=5)
    message = arm.message
    arm.tick_for(20)
    second = arm.accept([0.0, 0.0], [-1.0, 1.0], times=[0.0, 0.6])
    for k in range(4):
        arm.plan(30 * MS)
        assert arm.planned.floating
        if k == 3:
            own, arm.message = arm.message, message
            arm.send(first, task)
            arm.message = own
        speed = 0.9 - 0.1 * k
        arm.reference.set_speed(speed, arm.now + MS)
        arm.arrival.follow_speed(speed, arm.reference.speed_since)
        arm.tick_for(200 if k == 3 else 5)
        assert arm.join(0) == (k == 3)
    task = arm.forwarding(second)
    assert not second.waits
    arm.tick_for(60)
    arm.send(second, task)
    arm.tick_for(1500)
    arm.require_no_step()
    assert arm.positions[-1] == pytest.approx(-1.0, abs=1e-9)


def test_the_motion_before_a_goal_that_is_refused_continues(arm):
    arm.follow([0.0, 0.0], [1.0, -1.0], times=[0.0, 2.0])
    arm.tick_for(3000)
    goal = arm.accept([1.0, -1.0], [0.0, 0.0], times=[0.0, 2.0])
    task = arm.followed(goal)
    goal.forward(Refusal('too many'), task)
    assert arm.ends == [('abort', 'too many')]
    arm.tick_for(300)
    arm.require_no_step()
    assert arm.positions[-1] == 1.0


def test_a_motion_goes_on_if_the_goal_that_follows_it_is_refused(moving_arm):
    arm = moving_arm
    goal = arm.accept([0.5, -0.5], [0.0, 0.0], times=[1.0, 2.0])
    task = arm.followed(goal)
    goal.forward(Refusal('too many'), task)
    arm.tick_for(1500)
    arm.require_no_step()
    assert arm.positions[-1] == 1.0


@pytest.mark.parametrize('took', [120, 150, 200])
def test_a_stream_that_ends_during_the_fit(make, took):
    arm = make(max_reference_age=0.1)
    arm.tick_for(300, [0.0, 0.0])
    arm.tick_for(60)
    arm.measure(0.0, 0.0)
    arm.receive([0.0, 0.0], [1.0, -1.0], times=[0.0, 1.0])
    arm.plan(30 * MS)
    arm.tick_for(took)
    assert not arm.join(0)
    arm.plan(30 * MS)
    arm.positions.clear()
    assert arm.join(0)
    arm.tick_for(1300)
    arm.require_no_step()
    assert arm.positions[0] == pytest.approx(0.0, abs=1e-9)

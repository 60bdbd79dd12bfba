# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Goals that are stopped, canceled or preempted: what becomes of the motion and of other goals."""

from __future__ import annotations

import time
from types import SimpleNamespace

import numpy as np
import pytest
from action_msgs.msg import GoalStatus
from helpers.goal_runs import CONTROLLER
from helpers.receiving_node import MS

from screw_dynamics.nodes.feedforward.fitting.forwarding import with_efforts
from screw_dynamics.nodes.feedforward.fitting.tasks import Refusal
from screw_dynamics.nodes.feedforward.inputs.controller_hold import ControllerHold
from screw_dynamics.nodes.feedforward.inputs.forwarded_goal import ForwardedGoal


@pytest.mark.parametrize(
    'status', [GoalStatus.STATUS_CANCELED, GoalStatus.STATUS_ABORTED], ids=['cancel', 'violation']
)
def test_a_goal_that_continues_one_that_has_been_stopped_is_fitted_anew(arm, status):
    """It would lead the controller along the path on which that has stopped."""
    first = arm.accept([0.0, 0.0], [1.0, -1.0], times=[0.0, 2.0])
    arm.send(first, arm.followed(first))
    arm.tick_for(800)
    second = arm.accept([0.5, -0.5], [0.0, 0.0], times=[1.0, 2.0])
    first.canceling = status == GoalStatus.STATUS_CANCELED
    task = arm.followed(second)
    arm.result(first, status, 0 if first.canceling else -4)
    assert arm.ends == [('canceled' if first.canceling else 'abort', '')]
    assert arm.reference.empty and arm.waiting == [second]
    # the answer that is still on its way is ignored
    second.forward(Refusal('too many'), task)
    arm.inputs.build(second, task, with_efforts(arm.robot.robot.model, task))
    assert len(arm.ends) == len(arm.sent) == 1
    arm.measure(0.3, -0.3)
    arm.send(second, arm.followed(second))
    assert len(arm.sent) == 2 and second.waits
    np.testing.assert_allclose(arm.sent[1].points[0].positions, [0.3, -0.3], atol=1e-12)
    arm.positions.clear()
    arm.tick_for(3000)
    arm.require_no_step()


def sent_goal(arm):
    """Return a goal that the controller and the node execute, after 0.8 of 2 s."""
    goal = arm.accept([0.0, 0.0], [1.0, -1.0], times=[0.0, 2.0])
    arm.send(goal, arm.followed(goal))
    arm.tick_for(800)
    return goal


def joined_goal(arm, took=5):
    """Return a goal that continues the one before, and its forwarding."""
    goal = arm.accept([0.8, -0.8], [0.0, 0.0], times=[1.0, 2.0])
    return goal, arm.followed(goal, took)


@pytest.mark.parametrize('by', ['a goal', 'a trajectory'])
def test_a_goal_that_is_preempted_at_the_controller_ends_nothing_else(arm, by):
    """Neither the motion that the controller has gone on to nor what follows that."""
    first = sent_goal(arm)
    if by == 'a goal':
        second, task = joined_goal(arm)
        arm.send(second, task)
    else:
        arm.receive([0.8, -0.8], [0.0, 0.0], times=[1.0, 2.0])
        arm.plan(70 * MS)
        assert arm.join(0)
    third, _ = joined_goal(arm, took=15)
    motions = arm.reference._motions
    assert len(motions) == 3
    arm.result(first, GoalStatus.STATUS_ABORTED)
    assert arm.reference._motions == motions and not arm.waiting and not third.ended
    arm.tick_for(2500)
    arm.require_no_step()


def test_of_two_goals_that_continue_a_stopped_one_the_newer_is_fitted_anew(arm):
    first = sent_goal(arm)
    joined_goal(arm)
    third, _ = joined_goal(arm, took=15)
    arm.result(first, GoalStatus.STATUS_ABORTED, -4)
    assert arm.waiting == [third]
    preempted = 'abort', 'preempted by a newer trajectory before it was sent'
    assert arm.ends == [preempted, ('abort', '')]


def test_a_goal_is_fitted_anew_if_its_motion_has_begun(arm):
    first = sent_goal(arm)
    second, _ = joined_goal(arm)
    arm.tick_for(150)
    assert not arm.reference.follows(first.motion)
    arm.result(first, GoalStatus.STATUS_ABORTED, -4)
    assert arm.reference.empty and arm.waiting == [second]


def test_a_goal_that_is_canceled_ends_those_before_it(arm):
    """None of them is fitted anew."""
    first = arm.accept([0.0, 0.0], [1.0, -1.0], times=[0.0, 2.0])
    arm.followed(first)
    second = arm.accept([0.0, 0.0], [-1.0, 1.0], times=[0.0, 2.0])
    arm.followed(second)
    second.canceling = second.handle.is_cancel_requested = True
    arm.inputs._withdraw(second)
    assert [event for event, _ in arm.ends] == ['canceled', 'abort']
    assert first.ended and not arm.waiting and arm.reference.empty


def test_a_stop_leaves_no_goal_in_the_queue(arm):
    """Also if a later one, not sent yet, has begun."""
    sent_goal(arm)
    joined_goal(arm)
    joined_goal(arm, took=15)
    arm.tick_for(150)
    arm.inputs._cancel = lambda goal: None
    arm.inputs.stop('stopped')
    assert arm.ends == [('abort', 'stopped')] * 3
    assert not arm.waiting


@pytest.mark.parametrize('took', [20, 60, 90, 150])
def test_a_motion_that_ends_during_the_fit_of_its_follower(arm, took):
    """Which is made anew: its first segment is not cut off."""
    first = sent_goal(arm)
    second = arm.accept([0.5, -0.5], [0.0, 0.0], times=[1.0, 2.0])
    arm.plan(30 * MS)
    arm.tick_for(10)
    first.canceling = True
    arm.result(first, GoalStatus.STATUS_CANCELED)
    arm.measure(0.3, -0.3)
    arm.tick_for(took - 10)
    assert not arm.join(0)
    arm.send(second, arm.followed(second))
    np.testing.assert_allclose(arm.sent[1].points[0].positions, [0.3, -0.3], atol=1e-12)
    np.testing.assert_allclose(arm.sent[1].points[0].velocities, 0.0, atol=1e-12)


def test_all_goals_stop_and_none_is_fitted_anew(arm):
    first = arm.accept([0.0, 0.0], [1.0, -1.0], times=[0.0, 2.0])
    arm.send(first, arm.followed(first))
    arm.tick_for(800)
    arm.followed(arm.accept([0.5, -0.5], [0.0, 0.0], times=[1.0, 2.0]))
    arm.inputs._cancel = lambda goal: None
    arm.inputs.stop('the node is not active any more')
    assert arm.ends == [('abort', 'the node is not active any more')] * 2
    assert not arm.waiting


def test_the_end_of_a_goal_that_the_node_has_ended_begins_no_hold(arm, ros):
    """Its result may come while the action is destroyed, after a shutdown in motion."""
    hold = ControllerHold(
        arm.inputs._context, arm.inputs._type, arm.inputs._client, CONTROLLER, lambda: True
    )
    arm.inputs._hold = hold
    goal = ForwardedGoal(arm.inputs, SimpleNamespace(request=None), arm.now)
    goal.canceling, goal.ended, goal.asked = True, True, True
    hold.destroy()
    arm.result(goal, GoalStatus.STATUS_CANCELED)
    assert not arm.ends and not hold._since


def test_a_goal_without_an_answer_is_aborted_by_the_number_of_looks(arm, monkeypatch):
    """Of a node that was stalled the timer is called before the answer that waits is taken."""
    canceled = []
    arm.inputs._cancel = canceled.append
    goal = sent_goal(arm)
    now = time.monotonic()
    with monkeypatch.context() as stall:
        stall.setattr(time, 'monotonic', lambda: now + 1000.0)
        for _ in range(50):
            arm.inputs._watch()
    assert not arm.ends and not canceled
    arm.inputs._watch()
    assert arm.ends == [('abort', f'no answer from {CONTROLLER} within 5 s')]
    assert canceled == [goal]


def test_looks_for_an_answer_count_from_the_sending(arm):
    """And no more once the controller has accepted."""
    arm.inputs._cancel = lambda goal: None
    sent_goal(arm).sent = object()
    second, task = joined_goal(arm)
    for _ in range(60):
        arm.inputs._watch()
    arm.send(second, task)
    for _ in range(50):
        arm.inputs._watch()
    assert not arm.ends


def test_the_rest_of_a_controller_is_given_up_by_the_number_of_looks(arm):
    """Its timer may be due before the states that wait in a node that was stalled."""
    hold = ControllerHold(
        arm.inputs._context, arm.inputs._type, arm.inputs._client, CONTROLLER, lambda: True
    )
    for _ in range(2):  # each stop anew
        hold.begin()
        for _ in range(9):
            hold._timer.callback()
        assert hold._since
    hold._timer.callback()
    assert not hold._since
    hold.destroy()

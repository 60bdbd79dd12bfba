# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Goals and the reference, event by event: what is sent is what the node follows."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from action_msgs.msg import GoalStatus
from helpers.goal_runs import CONTROLLER
from helpers.receiving_node import MS, NAMES, Node
from sensor_msgs.msg import JointState

from screw_dynamics.messages.times import nanoseconds
from screw_dynamics.nodes.feedforward.fitting.fit import outline
from screw_dynamics.nodes.feedforward.fitting.forwarding import (
    forwarding,
    message_without_points,
    points_of,
    with_efforts,
)
from screw_dynamics.nodes.feedforward.fitting.tasks import Refusal
from screw_dynamics.nodes.feedforward.inputs.controller_hold import ControllerHold
from screw_dynamics.nodes.feedforward.inputs.forwarded_goal import ForwardedGoal
from screw_dynamics.nodes.feedforward.inputs.goal_inputs import GoalInputs

LARGEST_CHANGE = 2e-4  # rad, of the step between ticks of 1 ms: at most 200 rad/s^2 here
REPLACED = 'its motion was replaced or dropped before it was sent'


class Arm(Node):
    """A node with goals whose trajectories are planned, fitted, joined and sent one by one."""

    def __init__(self, urdf, ros_node, **parameters):
        super().__init__(urdf, follow_joint_trajectory=CONTROLLER, **parameters)
        self.sent, self.ends, self.waiting, self.positions = [], [], [], []
        followed = SimpleNamespace(sampled=lambda now: now)
        self.pipeline = SimpleNamespace(
            reference=self.reference, streamed=self.streamed, followed=followed, clear=self.clear
        )
        context = SimpleNamespace(
            node=ros_node,
            parameters=self.parameters,
            now=lambda: self.now,
            configured=self.pipeline,
            pipeline=self.pipeline,
        )
        queue = SimpleNamespace(drop=self._drop, repeat=self._repeat)
        self.inputs = GoalInputs(context, queue, None)
        self._entities = self.inputs._client, self.inputs._server
        self.inputs._client = SimpleNamespace(
            server_is_ready=lambda: True, send_goal_async=self._on_send
        )
        self.inputs._server = SimpleNamespace(
            end=lambda handle, event, result: self.ends.append((event, result.error_string))
        )

    def destroy(self):
        for entity in self._entities:
            entity.destroy()

    def clear(self):
        self.reference.clear()
        self.streamed.supersede()

    def _drop(self, reason, goal):
        if goal not in self.waiting:
            return 0
        self.waiting.remove(goal)
        goal.refused(reason)
        return 1

    def _repeat(self, data, now, goal):
        if self.waiting:
            return False
        self.waiting.append(goal)
        return True

    def result(self, goal, status, code=0):
        """Let the controller end a goal."""
        result = self.inputs._type.Result(error_code=code)
        response = SimpleNamespace(status=status, result=result)
        self.inputs._on_result(goal, SimpleNamespace(result=lambda: response))

    def _on_send(self, request, feedback, goal_uuid):
        self.sent.append(request.trajectory)
        return SimpleNamespace(add_done_callback=lambda callback: None)

    def measure(self, *positions):
        state = JointState(name=list(NAMES), position=list(positions))
        self.measured.update(state, self.now)

    def tick_until(self, time, stream=None):
        """Let a tick per millisecond record the first position, NaN where there is no output."""
        while self.now < time:
            self.now += MS
            jet = np.full((5, len(NAMES)), np.nan)
            if stream is not None:
                self.streamed.add_positions(np.array(stream), self.now, self.now)
            if self.streamed.followed is None:
                self.reference.sample(self.now, jet)
            else:
                self.streamed.sample(self.now, self.now, jet)
            self.positions.append(jet[0, 0])

    def tick_for(self, milliseconds, stream=None):
        self.tick_until(self.now + milliseconds * MS, stream)

    def accept(self, *points, times):
        """Receive the trajectory of a goal, which takes 50 ms to its controller."""
        self.receive(*points, times=times)
        handle = SimpleNamespace(
            request=SimpleNamespace(trajectory=self.message), goal_id=1, is_cancel_requested=False
        )
        goal = ForwardedGoal(self.inputs, handle, self.now)
        self.inputs._goals.append(goal)
        self.arrival.goal, self.arrival.ahead = goal, 50 * MS
        return goal

    def followed(self, goal, took=20):
        """Plan the join of the trajectory received last, and join it; return its forwarding."""
        self.plan(30 * MS)
        self.tick_for(took)
        assert self.join(0)
        return self.forwarding(goal)

    def forwarding(self, goal):
        newest = self.reference.newest
        task = forwarding(
            self.reference, outline(self.message), self.parameters, self.now, serialised=False
        )
        goal.followed(newest, self.reference.holds_back(newest))
        return task

    def send(self, goal, task):
        samples = with_efforts(self.robot.robot.model, task)
        goal.handle.request.trajectory = message_without_points(samples)
        goal.handle.request.trajectory.points = points_of(samples)
        self.inputs._send(goal, task)

    def require_no_step(self):
        """Require that the output goes on once it has begun, without a step."""
        begun = np.flatnonzero(np.isfinite(self.positions))[0]
        changes = np.abs(np.diff(self.positions[begun:], 2))
        assert changes.max() < LARGEST_CHANGE  # False for NaN


@pytest.fixture
def make(planar, ros):
    """Return a function that makes an arm at rest at 0."""
    arms = []

    def make(**parameters):
        arms.append(Arm(planar, ros.node, **parameters))
        arms[-1].measure(0.0, 0.0)
        return arms[-1]

    yield make
    for arm in arms:
        arm.destroy()


@pytest.fixture
def arm(make):
    return make()


@pytest.fixture
def moving_arm(arm):
    """An arm in the middle of a motion of two seconds, which no goal asked for."""
    arm.follow([0.0, 0.0], [1.0, -1.0], times=[0.0, 2.0])
    arm.tick_for(800)
    return arm


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
    goal.canceling, goal.ended, goal.asked = True, True, 1.0
    hold.destroy()
    arm.result(goal, GoalStatus.STATUS_CANCELED)
    assert not arm.ends and not hold._since

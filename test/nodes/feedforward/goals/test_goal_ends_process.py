# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""~/follow_joint_trajectory over DDS: goals that the controller, the node or a signal ends."""

from __future__ import annotations

import re
import signal
import time
from types import SimpleNamespace

import numpy as np
import pytest
from helpers.action_controller import DEACTIVATED, PREEMPTED, ActionController
from helpers.goal_client import NAMES, GoalClient, goal_of
from helpers.goal_runs import CONTROLLER, FAR, INVALID, LONG, begin, run
from helpers.node_processes import altered_command
from lifecycle_msgs.msg import Transition
from rclpy.impl.implementation_singleton import rclpy_implementation as _rclpy

from screw_dynamics.messages.times import set_stamp
from screw_dynamics.nodes.feedforward import managed_node

SECOND = 10**9


def without_times(goal):
    for point in goal.trajectory.points:
        set_stamp(point.time_from_start, 0)


def ending_in_the_past(goal):
    set_stamp(goal.trajectory.header.stamp, 1000 * SECOND)


def set_field(name, value):
    return lambda goal: setattr(goal.trajectory, name, value)


def set_of_last(name, value):
    return lambda goal: setattr(goal.trajectory.points[-1], name, value)


REJECTED = {
    'no joints': (
        set_field('joint_names', []),
        'joint_names: expected joint_1, joint_2, got none',
    ),
    'another joint': (set_field('joint_names', ['joint_1', 'x']), "joint_names: .* got 'x'"),
    'a joint missing': (set_field('joint_names', ['joint_1']), 'joint_names: .* got joint_1'),
    'no points': (set_field('points', []), 'points: expected at least one, got none'),
    'times': (without_times, r'points\[1\].time_from_start: expected more'),
    'past': (ending_in_the_past, 'header.stamp: it ends in the past'),
    'end': (
        set_of_last('velocities', [0.0, 0.1]),
        r'points\[1\].velocities: .* at the end, got 0.1',
    ),
    'positions': (
        set_of_last('positions', []),
        r'points\[1\].positions: expected 2 values, got 0',
    ),
    'sizes': (set_of_last('accelerations', [0.0]), r'accelerations: expected 2 values, got 1'),
}


def test_rejected_and_aborted_as_by_the_controller(ros, start, client, controller):
    """The controller alone gives the same codes."""
    node = start()
    direct = GoalClient(ros.node, CONTROLLER)
    for change, text in REJECTED.values():
        goal = goal_of([0.1, 0.1], FAR, times=[0.1, 0.2])
        change(goal)
        outcomes = [run(ros, node, one, goal).outcome for one in (direct, client)]
        assert outcomes == [('rejected', None)] * 2
        ros.wait_for(text, lambda text=text: re.search(text, node.log), node)
    controller.offset = 0.01
    for seconds, tolerances, code in (
        (60.0, {'path': 0.001}, -4),  # it is looked at on the way
        (3.0, {'end': 0.001, 'end_time': 0.05}, -5),
    ):
        goal = goal_of([0.1, 0.1], FAR, times=[seconds - 0.1, seconds], **tolerances)
        outcomes = [run(ros, node, one, goal).outcome for one in (direct, client)]
        assert outcomes == [('aborted', code)] * 2
    controller.active = False
    sent = run(ros, node, client, goal_of(FAR, times=[1.0]))
    assert sent.outcome == ('aborted', INVALID)
    assert 'has rejected the goal (its log says why' in sent.result.error_string
    controller.active = True
    sent = begin(ros, node, client, goal_of(FAR, times=[60.0]))
    controller.deactivate()
    ros.wait_for('the end', lambda: sent.end, node)
    assert (sent.outcome, sent.result.error_string) == (('aborted', INVALID), DEACTIVATED)
    controller.active = True
    # values are read when the goal has been accepted
    sent = run(ros, node, client, goal_of([np.nan, 0.0], times=[0.3]))
    assert sent.outcome == ('aborted', INVALID)
    assert 'at point #0: expected a finite number, got nan' in sent.result.error_string
    assert node.interrupt() == 0, node.log


def test_a_goal_that_the_node_refuses_leaves_the_one_before(ros, start, client, controller):
    """By a rule that the controller does not have."""
    node = start(max_trajectory_points=1)
    first = begin(ros, node, client, goal_of([0.1, 0.1], times=[4.0]))
    second = run(ros, node, client, goal_of([0.1, 0.0], [0.2, 0.0], times=[1.0, 2.0]))
    assert second.outcome == ('aborted', INVALID)
    assert 'expected at most 1 points' in second.result.error_string
    ros.wait_for('the end of the first', lambda: first.end, node)
    assert first.outcome == ('succeeded', 0)
    assert node.interrupt() == 0, node.log


def test_a_controller_that_is_not_there(ros, start, client):
    node = start()
    ros.wait_for('the action', client.client.server_is_ready, node)
    ros.wait_until_heard()
    sent = client.send(goal_of(FAR, times=[1.0]))
    ros.wait_for('the end', lambda: sent.over, node)
    assert sent.outcome == ('aborted', INVALID)
    assert sent.result.error_string == (
        'no server of the action /arm/follow_joint_trajectory (parameter '
        "'follow_joint_trajectory')"
    )
    # one that comes and goes
    arm = ros.add_node('arm')
    controller = ActionController(arm, NAMES)
    sent = begin(ros, node, client, goal_of(FAR, times=[60.0]))
    controller.destroy()
    ros.remove_node(arm)
    ros.wait_for('the end', lambda: sent.over, node)
    assert sent.outcome == ('aborted', INVALID)
    assert 'no server of the action' in sent.result.error_string
    assert node.interrupt() == 0, node.log


def has_request(controller):
    """Return whether a goal waits for a controller that does not spin."""
    server = controller._server
    n = server.get_num_entities()
    with controller.node.context.handle:
        waits = _rclpy.WaitSet(
            n.num_subscriptions,
            n.num_guard_conditions,
            n.num_timers,
            n.num_clients,
            n.num_services,
            n.num_events,
            controller.node.context.handle,
        )
        waits.clear_entities()
        server.add_to_wait_set(waits)
        waits.wait(0)
        server.is_ready(waits)
    return server._is_goal_request_ready


@pytest.mark.parametrize('ended', [False, True], ids=['late', 'ended by the node'])
def test_a_goal_without_an_answer_is_canceled_at_the_controller(ros, start, client, ended):
    node = start()
    arm = ros.add_node('arm')
    controller = ActionController(arm, NAMES)
    sent = begin(ros, node, client, goal_of([0.1, 0.1], times=[3.0]))
    ros.wait_for('the end', lambda: sent.over, node)
    assert sent.outcome == ('succeeded', 0)
    ros.pause_node(arm)  # as if its process hung
    sent = client.send(goal_of(FAR, times=[LONG]))
    ros.wait_for('the acceptance', lambda: sent.accepted, node)
    reason = f'no answer from {CONTROLLER} within 5 s'
    if ended:
        ros.wait_for('the request', lambda: has_request(controller), node)
        reason = 'the node is not active any more'
        assert ros.change_state('/feedforward', Transition.TRANSITION_DEACTIVATE)
    ros.wait_for('the end', lambda: sent.over, node)
    assert sent.outcome == ('aborted', INVALID)
    assert sent.result.error_string == reason
    received = len(controller.received)
    ros.resume_node(arm)
    ros.wait_for('the goal', lambda: len(controller.received) > received, node)
    ros.wait_for('its end', lambda: controller._goal is None, node)
    assert np.abs(controller.command - 0.1).max() < 0.05
    controller.destroy()
    ros.remove_node(arm)
    assert node.interrupt() == 0, node.log


def wait_for_stop(ros, controller, node=None):
    """Wait until the controller has left its goal; require that it did so on its way."""
    ros.wait_for('the stop of the controller', lambda: controller._goal is None, node)
    assert np.abs(controller.command - FAR).max() > 0.1


@pytest.mark.filterwarnings('ignore:failed to send response:RuntimeWarning')  # to the node
@pytest.mark.parametrize(
    'transitions', [['DEACTIVATE', 'CLEANUP'], ['ACTIVE_SHUTDOWN']], ids=lambda names: names[0]
)
def test_a_transition_ends_goals(ros, node, client, controller, transitions):
    sent = begin(ros, node, client, goal_of(FAR, times=[LONG]))
    for name in transitions:
        number = getattr(Transition, f'TRANSITION_{name}')
        assert ros.change_state('/feedforward', number)
    ros.wait_for('the end', lambda: sent.over, node)
    assert sent.outcome == ('aborted', INVALID)
    assert sent.result.error_string == 'the node is not active any more'
    wait_for_stop(ros, controller, node)
    if transitions[0] == 'DEACTIVATE':
        ros.wait_for('the end of the action', lambda: not client.client.server_is_ready(), node)
        for name in ('CONFIGURE', 'ACTIVATE'):
            assert ros.change_state('/feedforward', getattr(Transition, f'TRANSITION_{name}'))
        assert run(ros, node, client, goal_of([0.1, 0.1], times=[3.0])).outcome == ('succeeded', 0)


@pytest.mark.filterwarnings('ignore:failed to send response:RuntimeWarning')  # to the node
@pytest.mark.parametrize('number', [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize('events', [False, True])
def test_a_signal_ends_goals(ros, start, client, controller, number, events):
    node = start(use_events_executor=events)
    sent = begin(ros, node, client, goal_of(FAR, times=[LONG]))
    node.send(number)
    ros.wait_for('the end', lambda: sent.over and not node.running)
    assert node.wait() == 0, node.log
    assert sent.outcome == ('aborted', INVALID)
    wait_for_stop(ros, controller)


PATIENT = """
from screw_dynamics.nodes.feedforward import managed_node
managed_node._LAST_ANSWER = 600.0
"""
LINGERING = """
from screw_dynamics.nodes.feedforward import managed_node
managed_node._LAST_RESULT = 5.0
"""


@pytest.mark.filterwarnings('ignore:failed to send response:RuntimeWarning')  # to the node
@pytest.mark.parametrize('events', [False, True])
def test_a_signal_stops_a_controller_that_is_late(ros, planar, client, controller, events):
    """The node does not end before its request has arrived, here as long as that may take."""
    node = ros.start_command(
        altered_command('feedforward', before=PATIENT),
        urdf_path=planar,
        follow_joint_trajectory=CONTROLLER,
        use_events_executor=events,
    )
    ros.wait_until_active(node)
    sent = begin(ros, node, client, goal_of(FAR, times=[LONG]))
    assert not sent.end, sent.outcome
    ros.pause_node(controller.node)
    node.send(signal.SIGINT)
    ros.wait_for('the end', lambda: sent.over, node)
    assert sent.outcome == ('aborted', INVALID)
    ros.spin(1.5)
    assert node.running, node.log
    ros.resume_node(controller.node)
    wait_for_stop(ros, controller)
    assert node.wait() == 0, node.log
    assert 'Traceback' not in node.log


class OtherClient:
    """Stands in for an ActionClient of an rclpy with other private names."""

    def __init__(self, **names):
        vars(self).update(names)

    def server_is_ready(self):
        return True


WAITING = SimpleNamespace(done=lambda: False)


@pytest.mark.parametrize(
    'names, unanswered',
    [
        ({}, set()),
        ({'_pending_cancel_requests': {7: WAITING}}, {7}),
        # whose answers are taken in another way
        ({'_pending_cancel_requests': {7: WAITING}, '_client_handle': object()}, {7}),
    ],
    ids=['no requests', 'no handle', 'another handle'],
)
def test_another_rclpy_only_ends_later(monkeypatch, names, unanswered):
    monkeypatch.setattr(managed_node, 'ActionClient', OtherClient)
    monkeypatch.setattr(managed_node, '_LAST_ANSWER', 0.2)
    client = OtherClient(**names)
    assert managed_node._unanswered(client) == unanswered
    ending = SimpleNamespace(context=SimpleNamespace(ok=lambda: True), _retired=[client])
    begun = time.monotonic()
    managed_node.ManagedNode._await_receivers(ending)
    assert time.monotonic() - begun > (0.2 if unanswered else 0.1)


def test_a_retired_server_does_not_wait_for_a_controller(monkeypatch):
    """Beside its successor it would refuse goals that this one takes."""
    monkeypatch.setattr(managed_node, 'ActionClient', OtherClient)
    client = OtherClient(
        _pending_cancel_requests={7: WAITING}, destroy=lambda: gone.append(client)
    )
    server = SimpleNamespace(destroy=lambda: gone.append(server))
    gone = []

    class Retiring(managed_node.ManagedNode):
        def __init__(self):
            self._retired, self._retired_at = [server, client], time.monotonic()
            self._retirement = SimpleNamespace(cancel=lambda: gone.append('timer'))

    node = Retiring()
    node._on_retirement()
    assert gone == [server]
    node._on_retirement()
    assert gone == [server]
    node._retired_at -= managed_node._LAST_ANSWER + 1.0
    node._on_retirement()
    assert gone == [server, 'timer', client]


def test_a_signal_leaves_time_for_a_result(ros, planar, client, controller):
    """Nobody acknowledges it: the node stays though the controller has answered."""
    node = ros.start_command(
        altered_command('feedforward', before=LINGERING),
        urdf_path=planar,
        follow_joint_trajectory=CONTROLLER,
    )
    ros.wait_until_active(node)
    assert not begin(ros, node, client, goal_of(FAR, times=[LONG])).end
    signaled = time.monotonic()
    node.send(signal.SIGINT)
    ros.wait_for('the end', lambda: not node.running)
    assert node.wait() == 0, node.log
    assert time.monotonic() - signaled > 5.0


def test_a_goal_that_is_canceled_by_others(ros, node, client, controller):
    sent = begin(ros, node, client, goal_of(FAR, times=[60.0]))
    other = GoalClient(ros.node, CONTROLLER)
    preempting = run(ros, node, other, goal_of(FAR, times=[3.0]))
    ros.wait_for('the end', lambda: sent.end, node)
    assert preempting.outcome == ('succeeded', 0)
    assert (sent.outcome, sent.result.error_string) == (('aborted', INVALID), PREEMPTED)

# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""~/follow_joint_trajectory over DDS: goals in front of a controller end as they end there."""

from __future__ import annotations

import os
import re
import signal
from pathlib import Path

import numpy as np
import pytest
from control_msgs.action import FollowJointTrajectory
from helpers.action_controller import DEACTIVATED, PREEMPTED, ActionController
from helpers.goal_client import NAMES, GoalClient, goal_of
from helpers.node_processes import altered_command, trajectory
from lifecycle_msgs.msg import Transition
from trajectory_msgs.msg import MultiDOFJointTrajectory

from screw_dynamics import inverse_dynamics, read_urdf
from screw_dynamics.messages.times import nanoseconds, set_stamp
from screw_dynamics_interfaces.msg import FeedforwardTorque

SECOND = 10**9
OWN = '/feedforward/follow_joint_trajectory'
INVALID = FollowJointTrajectory.Result.INVALID_GOAL
FAR = [0.8, -0.6]


@pytest.fixture
def controller(ros):
    node = ros.add_node('arm')
    controller = ActionController(node, NAMES)
    yield controller
    controller.destroy()
    ros.remove_node(node)


@pytest.fixture
def start(ros, planar):
    """Return a function that starts a node in front of the controller."""
    processes = []

    def start(**parameters):
        action = '/arm/follow_joint_trajectory'
        processes.append(
            ros.start(
                'feedforward',
                urdf_path=planar,
                publish_rate=100.0,
                follow_joint_trajectory=action,
                **parameters,
            )
        )
        ros.wait_until_active(processes[-1])
        return processes[-1]

    yield start
    for process in processes:
        process.end()


@pytest.fixture(params=[False, True], ids=['standard', 'events'])
def node(request, controller, start):
    process = start(use_events_executor=request.param)
    yield process
    assert process.interrupt() == 0, process.log
    assert 'Traceback' not in process.log


@pytest.fixture
def client(ros):
    client = GoalClient(ros.node, OWN)
    yield client
    client.client.destroy()


def run(ros, process, client, goal):
    """Send a goal, when the node has found the controller, and return its record at its end."""
    sent = begin(ros, process, client, goal)
    ros.wait_for('the end of the goal', lambda: sent.over, process)
    return sent


def begin(ros, process, client, goal):
    """Send a goal that is accepted or rejected; again while controller or state are unknown."""
    unknown = 'no server of the action', 'no state to start from is known'

    def answered():
        nonlocal sent
        if sent.end and any(text in sent.result.error_string for text in unknown):
            sent = client.send(goal)
        return sent.accepted is False or sent.feedback or sent.over

    ros.wait_for('the action', client.client.server_is_ready, process)
    sent = client.send(goal)
    ros.wait_for('the first feedback or the end', answered, process)
    return sent


def samples_of(ros):
    return ros.listen(FeedforwardTorque, '/feedforward/feedforward')


def require_one_motion(samples, trajectory):
    """Compare the samples that the node has published with the trajectory of the controller."""
    points, start = trajectory.points, nanoseconds(trajectory.header.stamp)
    times = np.array([1e-9 * nanoseconds(p.time_from_start) for p in points])
    positions = np.array([p.positions for p in points])
    largest = max(max(np.abs(p.accelerations)) for p in points)
    motion = [s for s in samples if s.source == FeedforwardTorque.SOURCE_TRAJECTORY]
    for sample in motion:
        elapsed = 1e-9 * (nanoseconds(sample.header.stamp) - start)
        # linear between points 0.01 s apart: off by at most max|q''| h^2 / 8
        expected = [np.interp(elapsed, times, column) for column in positions.T]
        np.testing.assert_allclose(
            sample.reference.positions, expected, rtol=0.0, atol=largest * 0.01**2 / 8 + 1e-9
        )
    assert len(motion) > 20


def test_a_goal_with_efforts(ros, node, client, controller, planar):
    """All fields are handed through; the controller and the node execute one motion."""
    samples = samples_of(ros)
    goal = goal_of(
        [0.0, 0.0], [0.3, 0.2], FAR, times=[0.0, 0.3, 0.8], path=9.0, end=0.1, end_time=2
    )
    goal.multi_dof_trajectory = MultiDOFJointTrajectory(joint_names=['base'])
    sent = run(ros, node, client, goal)
    assert sent.outcome == ('succeeded', 0)
    assert sent.result.error_string == 'Goal successfully reached!'
    (got,) = controller.received
    for name in (
        'path_tolerance',
        'goal_tolerance',
        'goal_time_tolerance',
        'multi_dof_trajectory',
    ):
        assert getattr(got, name) == getattr(goal, name)
    points = got.trajectory.points
    rows = np.array([[p.positions, p.velocities, p.accelerations] for p in points])
    efforts = inverse_dynamics(read_urdf(planar), rows)[:, 0]
    np.testing.assert_allclose([p.effort for p in points], efforts, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(rows[-1, 0], FAR, rtol=0.0, atol=1e-12)
    assert nanoseconds(points[0].time_from_start) == 0
    require_one_motion(samples, got.trajectory)
    # the result may overtake the last feedback
    last = sent.feedback[-1]
    assert list(last.joint_names) == NAMES
    assert 0.7 <= 1e-9 * nanoseconds(last.desired.time_from_start) < 2.0
    np.testing.assert_allclose(last.desired.positions, FAR, atol=0.02)
    # the next one, from rest where this one has ended
    samples.clear()
    sent = run(ros, node, client, goal_of(FAR, [0.1, 0.1], times=[0.0, 0.7]))
    assert sent.outcome == ('succeeded', 0)
    require_one_motion(samples, controller.received[-1].trajectory)


def test_cancel_in_motion(ros, node, client, controller):
    samples = samples_of(ros)
    sent = begin(ros, node, client, goal_of(FAR, times=[60.0]))
    sent.cancel()
    ros.wait_for('the end', lambda: sent.end, node)
    assert sent.outcome == ('canceled', 0) and sent.canceled == 0
    # the node has left the motion too
    ros.wait_for('the end of the output', lambda: stopped(ros, samples), node)
    # and follows the next one, from where the robot is
    assert run(ros, node, client, goal_of(FAR, times=[0.3])).outcome == ('succeeded', 0)
    sent.cancel()
    ros.wait_for('the answer', lambda: sent.canceled, node)  # not 0: it has ended


def stopped(ros, samples):
    """Return True if a while of 20 ticks has brought nothing."""
    before = len(samples)
    ros.spin(0.2)
    return len(samples) == before


def test_cancel_before_it_is_sent(ros, node, client, controller):
    """The fit of so many points takes longer than the request."""
    first = begin(ros, node, client, goal_of(FAR, times=[60.0]))
    assert not first.end
    times = np.linspace(0.0, 100.0, 20_000)[1:]
    path = np.stack([0.3 * np.sin(times), 0.2 * np.cos(times)], axis=1)
    sent = client.send(goal_of(*path, times=times))
    ros.wait_for('the acceptance', lambda: sent.accepted, node)
    sent.cancel()
    ros.wait_for('the ends', lambda: sent.end and first.end, node)
    assert sent.outcome == ('canceled', 0)
    assert sent.result.error_string == 'canceled before it was sent to the controller'
    # the controller alone would have left the first goal for the second one
    assert first.outcome == ('aborted', INVALID)
    assert first.result.error_string == 'preempted by a newer goal, which was canceled'
    assert len(controller.received) == 1
    assert run(ros, node, client, goal_of(FAR, times=[0.2])).outcome == ('succeeded', 0)


@pytest.mark.parametrize('stamp', [False, True])
def test_preemption_in_motion(ros, node, client, controller, stamp):
    first = begin(ros, node, client, goal_of(FAR, times=[5.0]))
    ros.wait_for('motion', lambda: abs(controller.command[0]) > 0.05, node)
    goal = goal_of([0.2, 0.1], [0.0, 0.0], times=[0.5, 1.0])
    if stamp:
        set_stamp(goal.trajectory.header.stamp, controller.now + SECOND // 2)
    second = client.send(goal)
    ros.wait_for('the ends', lambda: first.end and second.end, node)
    assert first.outcome == ('aborted', INVALID)
    assert first.result.error_string == PREEMPTED
    assert second.outcome == ('succeeded', 0)
    # the points before the join are those of the first motion, and count as times before 0
    got = controller.received[1].trajectory
    times = [nanoseconds(point.time_from_start) for point in got.points]
    reached = times[-1] - SECOND
    assert reached >= 0 and (stamp or reached > 0)
    desired = [feedback.desired for feedback in second.feedback]
    assert nanoseconds(desired[0].time_from_start) < SECOND // 2
    rows = np.array([point.positions for point in got.points])
    for point in desired:  # the times of the client, at the points of the controller
        passed = nanoseconds(point.time_from_start) + reached
        if passed >= times[0]:
            expected = [np.interp(passed, times, column) for column in rows.T]
            np.testing.assert_allclose(point.positions, expected, rtol=0, atol=1e-6)


def test_a_goal_that_is_preempted_before_it_is_sent(ros, node, client, controller):
    begin(ros, node, client, goal_of([0.0, 0.0], times=[0.1]))
    times = np.linspace(0.0, 100.0, 4000)[1:]
    path = np.stack([0.3 * np.sin(times), 0.2 * np.cos(times)], axis=1)
    first = client.send(goal_of(*path, times=times))
    ros.wait_for('the acceptance', lambda: first.accepted, node)
    second = run(ros, node, client, goal_of(FAR, times=[0.2]))
    ros.wait_for('both ends', lambda: first.end, node)
    assert first.outcome == ('aborted', INVALID)
    assert first.result.error_string == 'preempted by a newer goal before it was sent'
    assert second.outcome == ('succeeded', 0)


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
    direct = GoalClient(ros.node, '/arm/follow_joint_trajectory')
    for change, text in REJECTED.values():
        goal = goal_of([0.1, 0.1], FAR, times=[0.1, 0.2])
        change(goal)
        outcomes = [run(ros, node, one, goal).outcome for one in (direct, client)]
        assert outcomes == [('rejected', None)] * 2
        ros.wait_for(text, lambda text=text: re.search(text, node.log), node)
    controller.offset = 0.01
    for tolerances, code in (({'path': 0.001}, -4), ({'end': 0.001, 'end_time': 0.05}, -5)):
        goal = goal_of([0.1, 0.1], FAR, times=[0.3, 0.4], **tolerances)
        outcomes = [run(ros, node, one, goal).outcome for one in (direct, client)]
        assert outcomes == [('aborted', code)] * 2
    controller.active = False
    sent = run(ros, node, client, goal_of(FAR, times=[0.3]))
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
    first = begin(ros, node, client, goal_of([0.1, 0.1], times=[2.0]))
    second = run(ros, node, client, goal_of([0.1, 0.0], [0.2, 0.0], times=[1.0, 2.0]))
    assert second.outcome == ('aborted', INVALID)
    assert 'expected at most 1 points' in second.result.error_string
    ros.wait_for('the end of the first', lambda: first.end, node)
    assert first.outcome == ('succeeded', 0)
    assert node.interrupt() == 0, node.log


def test_a_controller_that_is_not_there(ros, start, client):
    node = start()
    ros.wait_for('the action', client.client.server_is_ready, node)
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


@pytest.mark.parametrize(
    'transitions', [['DEACTIVATE', 'CLEANUP'], ['ACTIVE_SHUTDOWN']], ids=lambda names: names[0]
)
def test_a_transition_ends_goals(ros, node, client, controller, transitions):
    sent = begin(ros, node, client, goal_of(FAR, times=[60.0]))
    for name in transitions:
        number = getattr(Transition, f'TRANSITION_{name}')
        assert ros.change_state('/feedforward', number)
    ros.wait_for('the end', lambda: sent.over, node)
    assert sent.outcome == ('aborted', INVALID)
    assert sent.result.error_string == 'the node is not active any more'
    ros.wait_for('the stop of the controller', lambda: controller._goal is None, node)
    if transitions[0] == 'DEACTIVATE':
        ros.wait_for('the end of the action', lambda: not client.client.server_is_ready(), node)
        for name in ('CONFIGURE', 'ACTIVATE'):
            assert ros.change_state('/feedforward', getattr(Transition, f'TRANSITION_{name}'))
        assert run(ros, node, client, goal_of([0.1, 0.1], times=[0.3])).outcome == ('succeeded', 0)


@pytest.mark.filterwarnings('ignore:failed to send response:RuntimeWarning')  # to the node
@pytest.mark.parametrize('number', [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize('events', [False, True])
def test_a_signal_ends_goals(ros, start, client, controller, number, events):
    node = start(use_events_executor=events)
    sent = begin(ros, node, client, goal_of(FAR, times=[60.0]))
    assert node.interrupt(number) == 0, node.log
    ros.wait_for('the end', lambda: sent.over)
    assert sent.outcome == ('aborted', INVALID)
    ros.wait_for('the stop of the controller', lambda: controller._goal is None)


def test_beside_trajectories_of_the_topic(ros, node, client, controller):
    """A trajectory replaces the motion of the node and leaves the goal to the controller."""
    samples = samples_of(ros)
    sent = begin(ros, node, client, goal_of(FAR, times=[1.0]))
    ros.publish(trajectory(NAMES, [0.1, 0.1], times=[5.0]), '/feedforward/joint_trajectory')
    ros.wait_for('the end', lambda: sent.end, node)
    assert sent.outcome == ('succeeded', 0)
    ros.wait_for(
        'the trajectory', lambda: np.allclose(samples[-1].reference.positions, [0.1, 0.1]), node
    )


def test_a_goal_that_is_canceled_by_others(ros, node, client, controller):
    sent = begin(ros, node, client, goal_of(FAR, times=[60.0]))
    other = GoalClient(ros.node, '/arm/follow_joint_trajectory')
    preempting = run(ros, node, other, goal_of(FAR, times=[0.2]))
    ros.wait_for('the end', lambda: sent.end, node)
    assert preempting.outcome == ('succeeded', 0)
    assert (sent.outcome, sent.result.error_string) == (('aborted', INVALID), PREEMPTED)


def test_waiting_for_the_controller_costs_nothing(ros, node, client, controller):
    """A coroutine that waits for a future keeps some executors busy all the time."""
    sent = begin(ros, node, client, goal_of(FAR, times=[600.0]))
    before, began = processor_time(node.pid), ros.node.get_clock().now()
    ros.spin(3.0)
    passed = 1e-9 * (ros.node.get_clock().now() - began).nanoseconds
    # 100 ticks per second take some per cent
    assert processor_time(node.pid) - before < 0.4 * passed
    sent.cancel()
    ros.wait_for('the end', lambda: sent.end, node)


def processor_time(pid):
    fields = Path(f'/proc/{pid}/stat').read_text().rpartition(')')[2].split()
    return sum(map(int, fields[11:13])) / os.sysconf('SC_CLK_TCK')


@pytest.mark.parametrize(
    ('parameters', 'text'),
    [
        (
            {'follow_joint_trajectory': '/a', 'interpolation': 'jtc'},
            "'interpolation': expected smooth",
        ),
        ({'follow_joint_trajectory': OWN}, 'the own one of the node'),
        ({'hold_after_stop': True}, "'hold_after_stop': expected false without follow_joint_tr"),
    ],
)
def test_parameters_that_cannot_work(ros, planar, parameters, text):
    process = ros.start('feedforward', urdf_path=planar, **parameters)
    assert process.wait() == 1
    assert text in process.log and 'Traceback' not in process.log


def test_without_control_msgs(ros, planar):
    command = altered_command('feedforward', before="sys.modules['control_msgs'] = None")
    process = ros.start_command(command, urdf_path=planar, follow_joint_trajectory='/a')
    assert process.wait() == 1
    assert (
        "parameter 'follow_joint_trajectory': '/a' needs the package control_msgs" in process.log
    )
    assert 'Traceback' not in process.log

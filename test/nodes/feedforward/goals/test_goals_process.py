# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""~/follow_joint_trajectory over DDS: goals in front of a controller end as they end there."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
from helpers.action_controller import PREEMPTED
from helpers.fit_processes import without_fits
from helpers.goal_client import NAMES, goal_of
from helpers.goal_runs import CONTROLLER, FAR, INVALID, LONG, OWN, begin, run
from helpers.node_processes import altered_command, trajectory
from trajectory_msgs.msg import MultiDOFJointTrajectory

from screw_dynamics import inverse_dynamics, read_urdf
from screw_dynamics.messages.times import nanoseconds, set_stamp
from screw_dynamics_interfaces.msg import FeedforwardTorque

SECOND = 10**9


def samples_of(ros):
    return ros.listen(FeedforwardTorque, '/feedforward/feedforward')


def require_one_motion(ros, node, samples, trajectory, after=0):
    """Compare the samples with stamps later than one [ns] with the trajectory."""
    points, start = trajectory.points, nanoseconds(trajectory.header.stamp)
    times = np.array([1e-9 * nanoseconds(p.time_from_start) for p in points])
    positions = np.array([p.positions for p in points])
    largest = max(max(np.abs(p.accelerations)) for p in points)

    def motion():
        return [
            s
            for s in samples
            if s.source == s.SOURCE_TRAJECTORY and nanoseconds(s.header.stamp) > after
        ]

    # the result may overtake samples
    ros.wait_for('samples of the motion', lambda: len(motion()) > 20, node)
    for sample in motion():
        elapsed = 1e-9 * (nanoseconds(sample.header.stamp) - start)
        # linear between points 0.01 s apart: off by at most max|q''| h^2 / 8
        expected = [np.interp(elapsed, times, column) for column in positions.T]
        np.testing.assert_allclose(
            sample.reference.positions, expected, rtol=0.0, atol=largest * 0.01**2 / 8 + 1e-9
        )


def after_start(feedback):
    """Return the time of a feedback on the client's trajectory [s]."""
    return 1e-9 * nanoseconds(feedback.desired.time_from_start)


def end_of(trajectory):
    """Return the time of the last point [ns]."""
    last = nanoseconds(trajectory.points[-1].time_from_start)
    return nanoseconds(trajectory.header.stamp) + last


def test_a_goal_with_efforts(ros, node, client, controller, planar):
    """All fields are handed through; the controller and the node execute one motion."""
    samples = samples_of(ros)
    goal = goal_of(
        [0.0, 0.0], [0.3, 0.2], FAR, times=[0.0, 4.0, 10.0], path=9.0, end=0.1, end_time=600
    )
    goal.multi_dof_trajectory = MultiDOFJointTrajectory(joint_names=['base'])
    # the end is held until its feedback was heard: at the result the node drops what waits
    sent = begin(ros, node, client, goal, controller)
    controller.offset = 0.2
    ros.wait_for(
        'feedback at the end', lambda: sent.end or after_start(sent.feedback[-1]) >= 10.0, node
    )
    controller.offset = 0.0
    ros.wait_for('the end', lambda: sent.end, node)
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
    require_one_motion(ros, node, samples, got.trajectory)
    times = [1e-9 * nanoseconds(p.time_from_start) for p in points]
    for feedback in sent.feedback:
        assert list(feedback.joint_names) == NAMES
        expected = [np.interp(after_start(feedback), times, column) for column in rows[:, 0].T]
        np.testing.assert_allclose(feedback.desired.positions, expected, rtol=0, atol=1e-6)
    assert after_start(sent.feedback[-1]) >= 10.0
    # the next one, from rest where this one has ended
    sent = run(ros, node, client, goal_of(FAR, [0.1, 0.1], times=[0.0, 10.0]))
    assert sent.outcome == ('succeeded', 0)
    following = controller.received[-1].trajectory
    require_one_motion(ros, node, samples, following, after=end_of(got.trajectory))


def test_cancel_in_motion(ros, node, client, controller):
    samples = samples_of(ros)
    sent = begin(ros, node, client, goal_of(FAR, times=[60.0]))
    sent.cancel()
    # the result may arrive before the answer
    ros.wait_for('end and answer', lambda: sent.end and sent.canceled is not None, node)
    assert sent.outcome == ('canceled', 0) and sent.canceled == 0
    # the node has left the motion too
    ros.wait_for('the end of the output', lambda: stopped(ros, samples), node)
    # and follows the next one, from where the robot is
    assert run(ros, node, client, goal_of(FAR, times=[3.0])).outcome == ('succeeded', 0)
    sent.cancel()
    ros.wait_for('the answer', lambda: sent.canceled, node)  # not 0: it has ended


def stopped(ros, samples):
    """Return True if a while of 20 ticks has brought nothing."""
    before = len(samples)
    ros.spin(0.2)
    return len(samples) == before


def test_cancel_before_it_is_sent(ros, node, client, controller):
    first = begin(ros, node, client, goal_of(FAR, times=[60.0]), controller)
    assert not first.end
    with without_fits(node):
        sent = client.send(goal_of([0.0, 0.0], times=[100.0]))
        ros.wait_for('the acceptance', lambda: sent.accepted, node)
        sent.cancel()
        ros.wait_for('the ends', lambda: sent.end and first.end, node)
    assert sent.outcome == ('canceled', 0), sent.result.error_string
    assert sent.result.error_string == 'canceled before it was sent to the controller'
    # the controller alone would have left the first goal for the second one
    assert first.outcome == ('aborted', INVALID)
    assert first.result.error_string == 'preempted by a newer goal, which was canceled'
    assert len(controller.received) == 1
    assert run(ros, node, client, goal_of(FAR, times=[3.0])).outcome == ('succeeded', 0)


@pytest.mark.parametrize('stamp', [False, True])
def test_preemption_in_motion(ros, node, client, controller, stamp):
    for _ in range(5):  # a busy machine may leave out most feedback of a motion
        first = begin(ros, node, client, goal_of(FAR, times=[20.0]), controller)
        ros.wait_for('motion', lambda: abs(controller.command[0]) > 0.05, node)
        goal = goal_of([0.2, 0.1], [0.0, 0.0], times=[1.5, 3.0])
        if stamp:
            set_stamp(goal.trajectory.header.stamp, controller.now + SECOND // 2)
        second = client.send(goal)
        ros.wait_for('the ends', lambda a=first, b=second: a.end and b.end, node)
        assert first.outcome == ('aborted', INVALID)
        assert first.result.error_string == PREEMPTED
        assert second.outcome == ('succeeded', 0)
        if second.feedback and after_start(second.feedback[0]) < 3.0:
            break
    # the points before the join are those of the first motion, and count as times before 0
    got = controller.received[1].trajectory
    times = [nanoseconds(point.time_from_start) for point in got.points]
    reached = times[-1] - 3 * SECOND
    assert reached >= 0 and (stamp or reached > 0)
    # in motion: the first of them may be lost before the client knows of the acceptance
    assert after_start(second.feedback[0]) < 3.0
    desired = [feedback.desired for feedback in second.feedback]
    rows = np.array([point.positions for point in got.points])
    for point in desired:  # the times of the client, at the points of the controller
        passed = nanoseconds(point.time_from_start) + reached
        if passed >= times[0]:
            expected = [np.interp(passed, times, column) for column in rows.T]
            np.testing.assert_allclose(point.positions, expected, rtol=0, atol=1e-6)


def test_a_goal_that_is_preempted_before_it_is_sent(ros, node, client, controller):
    begin(ros, node, client, goal_of([0.0, 0.0], times=[3.0]))
    with without_fits(node):
        first = client.send(goal_of([0.3, 0.2], times=[100.0]))
        ros.wait_for('the acceptance', lambda: first.accepted, node)
        second = client.send(goal_of(FAR, times=[3.0]))
        ros.wait_for('the end of the first', lambda: first.end, node)
    ros.wait_for('both ends', lambda: second.over, node)
    assert first.outcome == ('aborted', INVALID)
    assert first.result.error_string == 'preempted by a newer goal before it was sent'
    assert second.outcome == ('succeeded', 0)


GATED = """
from pathlib import Path
from screw_dynamics.nodes.feedforward.inputs.goal_messages import GoalMessages
make = GoalMessages._make
GoalMessages._make = lambda self: make(self) if Path({!r}).exists() else None
"""


def test_a_trajectory_takes_the_place_of_a_goal_that_is_not_sent_yet(
    ros, client, controller, planar, tmp_path
):
    """The message of so many points is made part by part between the ticks, here if a file is."""
    gate = tmp_path / 'gate'
    gate.touch()
    command = altered_command('feedforward', before=GATED.format(str(gate)))
    node = ros.start_command(command, urdf_path=planar, follow_joint_trajectory=CONTROLLER)
    ros.wait_until_active(node)
    samples = samples_of(ros)
    begin(ros, node, client, goal_of([0.0, 0.0], times=[3.0]), controller)
    ros.wait_for('rest', lambda: samples and samples[-1].source == samples[-1].SOURCE_HOLD, node)
    known = node.log.count('Following a trajectory')
    gate.unlink()
    times = np.linspace(0.0, 80.0, 8_000)[1:]
    path = np.stack([0.3 * np.sin(times), 0.2 * np.sin(times)], axis=1)
    sent = client.send(goal_of(*path, times=times))
    ros.wait_for('the fit', lambda: node.log.count('Following a trajectory') > known, node)
    ros.publish(trajectory(NAMES, [0.1, 0.1], times=[5.0]), '/feedforward/joint_trajectory')
    ros.wait_for('its fit', lambda: node.log.count('Following a trajectory') > known + 1, node)
    assert not sent.end
    gate.touch()
    ros.wait_for('the end', lambda: sent.end, node)
    assert sent.outcome == ('aborted', INVALID), sent.result.error_string
    assert sent.result.error_string == 'its motion was replaced or dropped before it was sent'
    assert len(controller.received) == 1
    ros.wait_for(
        'the trajectory', lambda: np.allclose(samples[-1].reference.positions, [0.1, 0.1]), node
    )
    # nothing of the path was followed
    assert max(max(sample.reference.positions) for sample in samples) < 0.1 + 1e-3
    assert node.interrupt() == 0, node.log


def test_beside_trajectories_of_the_topic(ros, node, client, controller):
    """A trajectory replaces the motion of the node and leaves the goal to the controller."""
    samples = samples_of(ros)
    sent = begin(ros, node, client, goal_of(FAR, times=[3.0]))
    ros.publish(trajectory(NAMES, [0.1, 0.1], times=[5.0]), '/feedforward/joint_trajectory')
    ros.wait_for('the end', lambda: sent.end, node)
    assert sent.outcome == ('succeeded', 0)
    ros.wait_for(
        'the trajectory',
        lambda: samples and np.allclose(samples[-1].reference.positions, [0.1, 0.1]),
        node,
    )


def test_waiting_for_the_controller_costs_nothing(ros, node, client, controller):
    """A coroutine that waits for a future keeps some executors busy all the time."""
    sent = begin(ros, node, client, goal_of(FAR, times=[LONG]))
    before, began = processor_time(node.pid), ros.node.get_clock().now()
    ros.spin(3.0)
    passed = 1e-9 * (ros.node.get_clock().now() - began).nanoseconds
    # 100 ticks per second take some per cent
    assert processor_time(node.pid) - before < 0.4 * passed
    assert sent.accepted and not sent.end, sent.outcome
    sent.cancel()
    ros.wait_for('the end', lambda: sent.end, node)
    assert sent.outcome == ('canceled', 0)


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

# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`hold_after_stop`: the effort of the position at which a controller has stopped."""

from __future__ import annotations

import numpy as np
import pytest
from helpers.action_controller import ActionController
from helpers.fit_processes import without_fits
from helpers.goal_client import NAMES, GoalClient, goal_of
from helpers.goal_runs import CONTROLLER, FAR, OWN, begin

from screw_dynamics import gravity_forces, read_urdf
from screw_dynamics.messages.times import nanoseconds

HELD = '/arm/follow_joint_trajectory gets the effort of the position at which it has stopped'


@pytest.fixture(scope='module')
def controller(ros):
    return ActionController(ros.add_node('arm'), NAMES)


@pytest.fixture(scope='module')
def node(ros, planar, controller):
    process = ros.start(
        'feedforward',
        urdf_path=planar,
        publish_rate=100.0,
        follow_joint_trajectory=CONTROLLER,
        hold_after_stop=True,
        effort_sign=[1.0, -1.0],
    )
    ros.wait_until_active(process)
    yield process
    assert process.interrupt() == 0, process.log
    assert 'Traceback' not in process.log


@pytest.fixture
def client(ros, node, controller):
    client = GoalClient(ros.node, OWN)
    ros.wait_for('the action', client.client.server_is_ready, node)
    ros.wait_until_heard()
    found = client.send(goal_of(controller.command, times=[1.0]))
    ros.wait_for('the end', lambda: found.over, node)
    while found.outcome != ('succeeded', 0):  # the node looks for the controller
        found = client.send(goal_of(controller.command, times=[1.0]))
        ros.wait_for('the end', lambda sent=found: sent.over, node)
    controller.received.clear()
    yield client
    client.client.destroy()


def moving(ros, node, controller, client, **tolerances):
    """Send a goal and return its record when the controller is on its way."""
    start = controller.command.copy()
    goal = goal_of(FAR if start[0] < 0.4 else [0.0, 0.0], times=[30.0], **tolerances)
    sent = begin(ros, node, client, goal, controller)
    ros.wait_for(
        'motion', lambda: sent.over or np.abs(controller.command - start).max() > 1e-3, node
    )
    return sent


def require_held(ros, node, controller, planar):
    """Require that the controller gets the goal that holds its position."""
    ros.wait_for('the hold', lambda: len(controller.received) == 2, node)
    stopped = controller.command.copy()
    held = controller.received[1]
    (point,) = held.trajectory.points
    assert list(held.trajectory.joint_names) == NAMES
    np.testing.assert_array_equal(point.positions, stopped)
    assert not np.any(point.velocities)
    weight = gravity_forces(read_urdf(planar), stopped)
    assert np.abs(weight).max() > 1.0
    np.testing.assert_allclose(point.effort, weight * [1.0, -1.0], rtol=1e-12)
    assert nanoseconds(held.trajectory.header.stamp) == 0
    for tolerances in (held.path_tolerance, held.goal_tolerance):
        assert [(one.name, one.position) for one in tolerances] == [(n, -1.0) for n in NAMES]
    ros.wait_for('the message', lambda: HELD in node.log, node)
    ros.spin(0.6)
    np.testing.assert_allclose(controller.command, stopped, rtol=0, atol=1e-15)
    assert len(controller.received) == 2


def test_after_a_cancel(ros, node, controller, client, planar):
    sent = moving(ros, node, controller, client)
    sent.cancel()
    ros.wait_for('the end', lambda: sent.end, node)
    assert sent.outcome == ('canceled', 0)
    require_held(ros, node, controller, planar)


def test_after_a_violated_tolerance(ros, node, controller, client, planar):
    sent = moving(ros, node, controller, client, path=0.05)
    controller.offset = 0.1
    try:
        ros.wait_for('the end', lambda: sent.end, node)
        assert sent.outcome == ('aborted', -4)
        require_held(ros, node, controller, planar)
    finally:
        controller.offset = 0.0


def test_after_a_cancel_of_a_goal_that_was_not_sent(ros, node, controller, client, planar):
    """The motion that it would have preempted is stopped."""
    first = moving(ros, node, controller, client)
    with without_fits(node):
        second = client.send(goal_of(FAR, times=[30.0]))
        ros.wait_for('the second', lambda: second.accepted, node)
        second.cancel()
        ros.wait_for('both ends', lambda: first.end and second.end, node)
    assert (first.end, second.end) == ('aborted', 'canceled')
    require_held(ros, node, controller, planar)


def test_not_where_something_else_moves_the_arm(ros, node, controller, client):
    # another client of the controller
    sent = moving(ros, node, controller, client)
    other = GoalClient(ros.node, CONTROLLER)
    ros.wait_for('the action', other.client.server_is_ready, node)
    taken = other.send(goal_of([0.2, 0.2], times=[3.0]))
    ros.wait_for('both ends', lambda: sent.end and taken.end, node)
    assert (sent.end, taken.outcome) == ('aborted', ('succeeded', 0))
    # a goal that follows the canceled one
    sent = moving(ros, node, controller, client)
    sent.cancel()
    following = client.send(goal_of([0.1, 0.1], times=[3.0]))
    ros.wait_for('both ends', lambda: sent.end and following.end, node)
    assert following.outcome == ('succeeded', 0)
    ros.spin(0.3)
    np.testing.assert_allclose(controller.command, [0.1, 0.1], atol=1e-9)
    last = controller.received[-1].trajectory.points[-1]
    np.testing.assert_allclose(last.positions, [0.1, 0.1], atol=1e-9)
    other.client.destroy()


def test_a_controller_that_reports_nothing(ros, node, controller, client):
    controller.silent = True
    try:
        sent = moving(ros, node, controller, client)
        sent.cancel()
        text = 'no reference at rest on /arm/controller_state within 5 s'
        ros.wait_for('the warning', lambda: text in node.log, node)
        assert len(controller.received) == 1
    finally:
        controller.silent = False

# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The set-ups of docs/guides.md as printed, with the controllers of ros2_control and an iiwa."""

from __future__ import annotations

import importlib.util
import time

import numpy as np
import pytest

if not (importlib.util.find_spec('controller_manager') and importlib.util.find_spec('launch')):
    pytest.skip('needs controller_manager of ros2_control and launch', allow_module_level=True)

from helpers.goal_client import GoalClient, goal_of
from helpers.guide_setups import (
    MOVEIT_CONTROLLER,
    MOVEIT_NODE,
    SET_UP_A,
    SET_UP_B,
    running_set_up,
)
from helpers.node_processes import trajectory
from helpers.real_controllers import exact_efforts
from helpers.ros_fixture import RESPONSE_TIMEOUT
from std_msgs.msg import Float64MultiArray

import screw_dynamics as sd
from screw_dynamics.trajectory import smooth_trajectory, waypoints_from_points

URDF = sd.share_path('urdf/iiwa14.urdf')
RATE = 250
RESAMPLED = 0.01  # s, `resample_period`
REST = np.full(7, 0.1)
SERVED = '/arm_controller/feedforward/follow_joint_trajectory'


@pytest.fixture(scope='module')
def arm():
    return sd.read_urdf(URDF)


@pytest.fixture
def running(ros, arm, tmp_path):
    """Return a context manager that runs a set-up."""

    def running(controllers, node, **options):
        start = dict(zip(arm.joint_names, REST, strict=True))
        sections = {'controllers': controllers, 'node': node}
        return running_set_up(ros, tmp_path, URDF, start, RATE, **sections, **options)

    return running


def send(ros, controllers, message, topic, subscribers):
    """Publish a trajectory until node and controller move: readers may match after writers."""
    again = 0.0

    def moving():
        nonlocal again
        if time.monotonic() >= again:
            ros.publish(message, topic, subscribers=subscribers)
            again = time.monotonic() + RESPONSE_TIMEOUT
        state = controllers.latest() if controllers.streaming() else None
        return state and np.abs(np.array(state.reference.positions) - REST).max() > 0.05

    ros.wait_for('motion', moving, controllers.process)


def arrived(ros, controllers, target):
    ros.wait_for(
        'the end of the motion',
        lambda: (
            (state := controllers.latest())
            and np.abs(np.array(state.reference.positions) - target).max() < 1e-9
        ),
        controllers.process,
    )


def require_weight(ros, arm, controllers, positions):
    """Require that the efforts in the hardware become those that carry the arm."""
    weight = sd.gravity_forces(arm, positions)
    ros.wait_for(
        f'the efforts {weight}',
        lambda: np.abs(controllers.executed(last=10 * RATE).efforts[-1] - weight).max() < 1e-9,
        controllers.process,
    )


def require_exact(arm, controllers, delay):
    """Require that the efforts of a motion are exact up to linear interpolation between points."""
    executed, published = controllers.executed(), controllers.published()
    exact = exact_efforts(arm, executed.names, executed.references)
    known, expected = executed.after(exact, delay)
    moving = known & (np.abs(executed.references[:, 1]).max(axis=1) > 0.05)
    assert np.count_nonzero(moving) > 20
    bound = max(np.abs(m.effort_ddot).max() for m in published) * RESAMPLED**2 / 8.0
    errors = np.abs(executed.efforts - expected)[moving].max(axis=1)
    # a late update may be taken for the one before it: such are a few, wrong by |tau'| / RATE
    assert np.quantile(errors, 0.97) <= bound, (errors.max(), bound)


@pytest.mark.parametrize('interfaces', [['effort'], ['position', 'effort']], ids='-'.join)
def test_set_up_a_has_exact_efforts(ros, arm, running, interfaces):
    names = arm.joint_names
    with running(SET_UP_A, SET_UP_A, interfaces=interfaces) as controllers:
        first, last = REST + 0.4, REST - 0.3
        send(
            ros,
            controllers,
            trajectory(names, first, times=[2.0]),
            '/feedforward/joint_trajectory',
            1,
        )
        ros.publish(trajectory(names, last, times=[2.0]), '/feedforward/joint_trajectory')
        arrived(ros, controllers, last)
        require_weight(ros, arm, controllers, last)
        require_exact(arm, controllers, 1.0 / RATE if interfaces == ['effort'] else 0.0)


def test_set_up_b_writes_the_published_efforts(ros, arm, running):
    with running(SET_UP_B, SET_UP_B, ramp_time=0.0) as controllers:
        commands = ros.listen(Float64MultiArray, '/feedforward_controller/commands', 10_000)
        target = REST + 0.4
        message = trajectory(arm.joint_names, target, times=[2.0], velocities=[np.zeros(7)])
        send(ros, controllers, message, '/arm_controller/joint_trajectory', 2)
        arrived(ros, controllers, target)
        require_weight(ros, arm, controllers, target)
        executed = controllers.executed()
        sent = {tuple(command.data) for command in commands}
    applied = [tuple(efforts) for efforts in executed.efforts if np.any(efforts)]
    assert len(set(applied)) > 20
    assert set(applied) <= sent


def moveit_goal(arm, target):
    """Return a goal as MoveIt sends it: no stamp, from the present state, without tolerances."""
    waypoints = waypoints_from_points(
        arm.joint_names, [(0.0, REST), (2.0, target)], arm.joint_names
    )
    times = np.linspace(0.0, 2.0, 21)
    jets = smooth_trajectory(waypoints).jets(times)
    goal = goal_of(*jets[:, 0], times=times, names=arm.joint_names)
    for point, jet in zip(goal.trajectory.points, jets, strict=True):
        point.velocities, point.accelerations = jet[1].tolist(), jet[2].tolist()
    return goal


def test_goals_of_moveit_are_executed_with_exact_efforts(ros, arm, running):
    with running(MOVEIT_CONTROLLER, MOVEIT_NODE) as controllers:
        client = GoalClient(ros.node, SERVED)
        ros.wait_for('the action', client.client.server_is_ready)
        target = REST + 0.4
        sent = client.send(moveit_goal(arm, target))
        ros.wait_for('the end', lambda: sent.over, controllers.process)
        assert sent.outcome == ('succeeded', 0), sent.result
        require_weight(ros, arm, controllers, target)  # the controller repeats the last point
        require_exact(arm, controllers, 0.0)

        sent = client.send(goal_of(REST, times=[3.0], names=arm.joint_names))
        ros.wait_for('motion', lambda: sent.feedback or sent.over)
        sent.cancel()
        ros.wait_for('the end', lambda: sent.over, controllers.process)
        assert sent.outcome == ('canceled', 0)


@pytest.mark.parametrize('interfaces', [['effort'], ['position', 'effort']], ids='-'.join)
def test_a_controller_holds_with_the_weight_after_a_cancel(ros, arm, running, interfaces):
    """Its own effort there is 0, since no goal has succeeded before."""
    options = {'interfaces': interfaces, 'hold_after_stop': True}
    with running(MOVEIT_CONTROLLER, MOVEIT_NODE, **options) as controllers:
        client = GoalClient(ros.node, SERVED)
        ros.wait_for('the action', client.client.server_is_ready)
        sent = client.send(goal_of(REST + 0.4, times=[3.0], names=arm.joint_names))
        ros.wait_for('motion', lambda: sent.feedback or sent.over)
        ros.spin(0.5)
        sent.cancel()
        ros.wait_for('the end', lambda: sent.over, controllers.process)
        assert sent.outcome == ('canceled', 0)
        stopped = []

        def at_rest():
            stopped.append(tuple(controllers.latest().reference.positions))
            return stopped[-3:] == 3 * stopped[-1:] and len(stopped) > 3

        ros.wait_for('rest', at_rest, controllers.process)
        require_weight(ros, arm, controllers, stopped[-1])
        assert tuple(controllers.latest().reference.positions) == stopped[-1]

# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The set-ups of docs/guides.md as printed, with the controllers of ros2_control and an iiwa."""

import importlib.util
import itertools
import time

import numpy as np
import pytest

if not (importlib.util.find_spec('controller_manager') and importlib.util.find_spec('launch')):
    pytest.skip('needs controller_manager of ros2_control and launch', allow_module_level=True)

from helpers.goal_client import GoalClient, goal_of
from helpers.guide_setups import MOVEIT_CONTROLLER, MOVEIT_NODE, SET_UP_A, SET_UP_B, running_set_up
from helpers.node_processes import trajectory
from helpers.real_controllers import exact_efforts
from helpers.ros_fixture import RESPONSE_TIMEOUT
from scipy.interpolate import CubicSpline
from std_msgs.msg import Float64MultiArray

import screw_dynamics as sd
from screw_dynamics.trajectory import smooth_trajectory, waypoints_from_points

URDF = sd.share_path('urdf/iiwa14.urdf')
RATE = 250
RESAMPLED = 0.01  # s, `resample_period`
REST = np.full(7, 0.1)
SERVED = '/arm_controller/feedforward/follow_joint_trajectory'
LONG = 190.0  # s, of a motion that nobody waits for


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


def carry(ros, arm, controllers, topic, subscribers=1):
    """Publish a trajectory at rest until the arm is carried: readers may match after writers."""
    rest = trajectory(arm.joint_names, REST, times=[0.5], velocities=[np.zeros(7)])
    again = 0.0

    def carried():
        nonlocal again
        if time.monotonic() >= again:
            ros.publish(rest, topic, subscribers=subscribers)
            again = time.monotonic() + RESPONSE_TIMEOUT
        return weighed(arm, controllers, REST)

    ros.wait_for('an arm that is carried', carried, controllers.process)


def moving(controllers):
    """Return whether the reference of the controller has left its start by more than 0.05 rad."""
    return np.abs(np.array(controllers.latest().reference.positions) - REST).max() > 0.05


def arrived(ros, controllers, target):
    ros.wait_for(
        'the end of the motion',
        lambda: (
            (state := controllers.latest())
            and np.abs(np.array(state.reference.positions) - target).max() < 1e-9
        ),
        controllers.process,
    )


def weighed(arm, controllers, positions):
    """Return whether the efforts in the hardware are those that carry the arm."""
    efforts = controllers.executed(last=RATE).efforts
    weight = sd.gravity_forces(arm, positions)
    return len(efforts) and np.abs(efforts[-1] - weight).max() < 1e-9


def require_weight(ros, arm, controllers, positions):
    """Require that the efforts in the hardware become those that carry the arm."""
    ros.wait_for(
        f'the efforts that carry {positions}',
        lambda: weighed(arm, controllers, positions),
        controllers.process,
    )


def require_exact(arm, controllers, delay):
    """Require that the efforts of a motion are exact up to linear interpolation between points."""
    executed = controllers.executed()
    exact = exact_efforts(arm, executed.names, executed.references)
    known, expected = executed.after(exact, delay)
    fast = np.abs(executed.references[:, 1]).max(axis=1) > 0.05
    moving = known & fast
    assert np.count_nonzero(moving) > 20
    curvature = largest_curvature(executed.reference_times[fast], exact[fast])
    # ticks that a busy node leaves out may hide the peak; a jump makes hundreds of times as much
    published = max(np.abs(m.effort_ddot).max() for m in controllers.published())
    assert curvature < 10.0 * published
    bound = curvature * RESAMPLED**2 / 8.0
    errors = np.abs(executed.efforts - expected)[moving].max(axis=1)
    # a late update may be taken for the one before it: such are a few, wrong by |tau'| / RATE
    assert np.quantile(errors, 0.97) <= bound, (errors.max(), bound)


def largest_curvature(times, values):
    """Return the largest second derivative of values whose times start anew with each motion."""
    starts = np.flatnonzero(np.diff(times, prepend=np.inf) <= 0.0)
    motions = [np.arange(a, b) for a, b in itertools.pairwise([*starts, len(times)])]
    return max(
        np.abs(CubicSpline(times[k], values[k])(times[k], 2)).max() for k in motions if len(k) > 3
    )


@pytest.mark.parametrize('interfaces', [['effort'], ['position', 'effort']], ids='-'.join)
def test_set_up_a_has_exact_efforts(ros, arm, running, interfaces):
    names = arm.joint_names
    with running(SET_UP_A, SET_UP_A, interfaces=interfaces) as controllers:
        first, last = REST + 0.4, REST - 0.3
        topic = '/feedforward/joint_trajectory'
        carry(ros, arm, controllers, topic)
        ros.publish(trajectory(names, first, times=[2.0]), topic)
        ros.wait_for('motion', lambda: moving(controllers), controllers.process)
        ros.publish(trajectory(names, last, times=[2.0]), topic)
        arrived(ros, controllers, last)
        require_weight(ros, arm, controllers, last)
        require_exact(arm, controllers, 1.0 / RATE if interfaces == ['effort'] else 0.0)


def test_set_up_b_writes_the_published_efforts(ros, arm, running):
    with running(SET_UP_B, SET_UP_B, ramp_time=0.0) as controllers:
        commands = ros.listen(Float64MultiArray, '/feedforward_controller/commands', 10_000)
        topic, target = '/arm_controller/joint_trajectory', REST + 0.4
        carry(ros, arm, controllers, topic, subscribers=2)
        ros.wait_for('commands', lambda: commands, controllers.process)
        ros.publish(
            trajectory(arm.joint_names, target, times=[2.0], velocities=[np.zeros(7)]), topic
        )
        arrived(ros, controllers, target)
        require_weight(ros, arm, controllers, target)
        applied = {tuple(efforts) for efforts in controllers.executed().efforts if np.any(efforts)}
        assert len(applied) > 20
        ros.wait_for(
            'the commands that were applied',
            lambda: applied <= {tuple(one.data) for one in commands},
            controllers.process,
        )


def run(ros, process, client, goal):
    """Send a goal, when the node has found the controller, and return its record at its end."""
    sent = begin(ros, process, client, goal)
    ros.wait_for('the end of the goal', lambda: sent.over, process)
    return sent


def begin(ros, process, client, goal):
    """Send a goal, again while the node knows neither controller nor state; wait for feedback."""
    unknown = 'no server of the action', 'no state to start from is known', 'no answer from'

    def answered():
        nonlocal sent
        if sent.end and any(text in sent.result.error_string for text in unknown):
            sent = client.send(goal)
        return sent.over or (sent.handle and sent.feedback)

    ros.wait_for('the action', client.client.server_is_ready, process)
    sent = client.send(goal)
    ros.wait_for('the first feedback or the end', answered, process)
    return sent


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
        target = REST + 0.4
        sent = run(ros, controllers.process, client, moveit_goal(arm, target))
        assert sent.outcome == ('succeeded', 0), sent.result
        require_weight(ros, arm, controllers, target)  # the controller repeats the last point
        require_exact(arm, controllers, 0.0)

        back = goal_of(REST, times=[LONG], names=arm.joint_names)
        sent = begin(ros, controllers.process, client, back)
        sent.cancel()
        ros.wait_for('the end', lambda: sent.over, controllers.process)
        assert sent.outcome == ('canceled', 0)


@pytest.mark.parametrize('interfaces', [['effort'], ['position', 'effort']], ids='-'.join)
def test_a_controller_holds_with_the_weight_after_a_cancel(ros, arm, running, interfaces):
    """Its own effort there is 0, since no goal has succeeded before."""
    options = {'interfaces': interfaces, 'hold_after_stop': True}
    with running(MOVEIT_CONTROLLER, MOVEIT_NODE, **options) as controllers:
        client = GoalClient(ros.node, SERVED)
        goal = goal_of(REST + 0.4, times=[20.0], names=arm.joint_names)
        sent = begin(ros, controllers.process, client, goal)
        ros.wait_for('motion', lambda: moving(controllers), controllers.process)
        sent.cancel()
        ros.wait_for('the end', lambda: sent.over, controllers.process)
        assert sent.outcome == ('canceled', 0)
        ros.wait_for(
            'rest', lambda: not any(controllers.latest().reference.velocities), controllers.process
        )
        stopped = tuple(controllers.latest().reference.positions)
        require_weight(ros, arm, controllers, stopped)
        assert tuple(controllers.latest().reference.positions) == stopped

# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Paths of poses and the motion that they join, without processes and DDS."""

import numpy as np
import pytest
from helpers.pose_messages import FRAME, START, near, path_message
from helpers.receiving_node import MS, NOW, Node

from screw_dynamics import frame_pose, inverse_dynamics, share_path
from screw_dynamics.control import fit as fit_module
from screw_dynamics.control.feedforward_parameters import FeedforwardParameters
from screw_dynamics.control.fit import summary
from screw_dynamics.errors import InputError, ScrewDynamicsError, TrajectoryError
from screw_dynamics.nodes.feedforward.worker import _message
from screw_dynamics.trajectory.cartesian import PoseCurve, PoseWaypoints

pytest.importorskip('nav_msgs.msg', reason='the poses need nav_msgs')


def node_at_rest(**parameters):
    """Return a node whose reference rests at START."""
    node = Node(share_path('urdf/iiwa14.urdf'), cartesian_frame=FRAME, **parameters)
    node.follow(START, START)
    node.now += 2000 * MS
    return node


def start_pose():
    return frame_pose(node_at_rest().robot.model, START, FRAME)


def poses_of(node, times):
    """Return the poses of the reference at times after `NOW` + 2 s."""
    q = np.array([node.jet(NOW + 2000 * MS + round(1e9 * t))[0] for t in times])
    return frame_pose(node.robot.model, q, FRAME)


@pytest.mark.parametrize('delay', [50, 400])
def test_a_path_continues_a_moving_reference_up_to_the_snap(delay):
    """The joint motion before it also moves what the pose leaves open."""
    node = node_at_rest()
    node.follow(START, START + 0.5, times=[0.0, 3.0])
    node.now += 900 * MS
    waypoints = near(start_pose(), [2.0, 3.0], seed=3)
    node.take(path_message(waypoints), poses=True)
    join = node.plan(delay * MS)
    before = node.jet(join.begin)
    assert np.abs(before[1:]).max(axis=1).min() > 0.01
    assert node.join(delay * MS // 2)
    assert np.abs(node.jet(join.begin) - before).max() <= 1e-9
    times = (join.start - NOW) / 1e9 - 2.0 + waypoints.times
    found = poses_of(node, times)
    assert np.abs(found[:, :3, 3] - waypoints.positions).max() <= 1e-8
    assert np.abs(found[:, :3, :3] - waypoints.rotations).max() <= 1e-8


def test_the_poses_that_have_passed_are_left_out():
    node, waypoints = node_at_rest(), near(start_pose(), [0.5, 1.5])
    node.take(path_message(waypoints, start=node.now - 700 * MS), poses=True)
    join = node.plan(0)
    assert join.elapsed == pytest.approx(0.7)
    assert node.join(0)
    assert np.abs(poses_of(node, [0.8])[0, :3, 3] - waypoints.positions[1]).max() <= 1e-9


def test_the_fit_of_a_path_leaves_half_of_it():
    """Also if it is expected to take longer; what is left of the path can be less."""
    node = node_at_rest()
    node.take(path_message(near(start_pose(), [0.5, 2.0]), start=node.now), poses=True)
    assert node.delay(300 * MS) == 300 * MS
    assert node.delay(3000 * MS) == pytest.approx(1000 * MS, abs=1000)
    node.now += 1100 * MS
    node.pending.late = 1
    assert node.delay(3000 * MS) == pytest.approx(450 * MS, abs=1000)
    assert node.delay(500 * MS) == 500 * MS
    node.reference.set_speed(0.0, node.now)
    assert node.delay(3000 * MS) == 1000 * MS


def test_a_path_that_is_over_is_refused():
    node = node_at_rest()
    node.take(path_message(near(start_pose(), [0.5]), start=node.now - 700 * MS), poses=True)
    node.plan(0)
    with pytest.raises(TrajectoryError, match='that ends in the past'):
        node.join(0)


def test_a_path_is_slowed_down_until_the_efforts_are_within_the_limits():
    node, pose = node_at_rest(limits='slow'), start_pose()
    waypoints = near(pose, [0.16, 0.3], seed=1)
    node.take(path_message(waypoints), poses=True)
    node.plan(0)
    assert node.join(0)
    motion = node.reference.newest
    factor = motion.end / 0.3
    assert factor > 1.05
    model = node.robot.model
    jets = motion.curve.jets(np.linspace(0.0, motion.end, 300))
    assert (np.abs(inverse_dynamics(model, jets)[:, 0]) <= model.limits.effort).all()
    slowed = PoseWaypoints(
        FRAME, waypoints.times * factor, waypoints.positions, waypoints.orientations
    )
    times = np.linspace(0.0, motion.end, 50)
    q = motion.curve.jets(times, 1)[:, 0]
    expected, _ = PoseCurve(slowed, pose).sample(times)
    assert np.abs(frame_pose(model, q, FRAME) - expected).max() <= 1e-8


@pytest.mark.parametrize('mode', ['off', 'reject'])
def test_limits_of_joints_are_checked_along_the_path(mode):
    node = Node(share_path('urdf/iiwa14.urdf'), cartesian_frame=FRAME, limits=mode)
    start = START.copy()
    start[6] = 3.0
    node.follow(start, start)
    node.now += 2000 * MS
    # the last joint would turn further than its limit, 3.05 rad
    turned = frame_pose(node.robot.model, start + [0, 0, 0, 0, 0, 0, 0.7], FRAME)
    node.take(path_message(near(turned, [2.0])), poses=True)
    node.plan(0)
    if mode == 'reject':
        with pytest.raises(ScrewDynamicsError, match='limit exceeded: .*joint_7'):
            node.join(0)
        return
    assert node.join(0)


def test_poses_need_a_state_to_start_from():
    node = Node(share_path('urdf/iiwa14.urdf'), cartesian_frame=FRAME)
    node.take(path_message(near(start_pose(), [1.0])), poses=True)
    node.plan(0)
    with pytest.raises(
        TrajectoryError, match='no state to start from is known: expected a running'
    ):
        node.join(0)
    node = node_at_rest(start_state='first_point')
    node.take(path_message(near(start_pose(), [1.0])), poses=True)
    node.plan(0)
    with pytest.raises(TrajectoryError, match="start_state is 'first_point': expected reference"):
        node.join(0)


@pytest.mark.parametrize('data', [b'', b'\0\1\0\0', bytes(range(100, 256))])
def test_bytes_that_are_no_path_are_refused(data):
    with pytest.raises(TrajectoryError, match=f'expected a nav_msgs/Path, got {len(data)} bytes'):
        _message(data, poses=True)


def test_a_path_of_too_many_poses_is_refused(monkeypatch):
    monkeypatch.setattr(fit_module, 'MOST_POINTS', 2)
    with pytest.raises(TrajectoryError, match='expected at most 2 points, got 3'):
        summary(path_message(near(start_pose(), [1.0, 2.0, 3.0])))


def test_an_accepted_path_is_forwarded_as_points_of_the_joints():
    node, waypoints = node_at_rest(), near(start_pose(), [0.5, 1.0])
    node.take(path_message(waypoints), poses=True)
    node.plan(0)
    assert node.join(0)
    model = node.robot.model
    samples = node.samples()
    assert samples.joint_names == model.joint_names
    assert samples.times[-1] == 10**9
    last = samples.jets[-1, 0]
    pose = frame_pose(model, last, FRAME)
    assert np.abs(pose[:3, 3] - waypoints.positions[-1]).max() <= 1e-9
    held = inverse_dynamics(model, [last, 0.0 * last, 0.0 * last])[0]
    assert np.allclose(samples.efforts[-1], held)


def test_a_controllers_spline_does_not_follow_poses():
    with pytest.raises(InputError, match="'interpolation': expected smooth with cartesian_frame"):
        FeedforwardParameters(cartesian_frame=FRAME, interpolation='jtc').check()


def test_a_path_begins_where_the_reference_rests():
    node, waypoints = node_at_rest(), near(start_pose(), [0.5, 1.0])
    node.take(path_message(waypoints), poses=True)
    node.plan(0)
    assert node.join(30 * MS)
    times = np.linspace(0.0, 1.2, 61)
    expected, _ = PoseCurve(waypoints, start_pose()).sample(times)
    # it begins when its fit is ready
    assert np.abs(poses_of(node, times + 0.03) - expected).max() <= 1e-8

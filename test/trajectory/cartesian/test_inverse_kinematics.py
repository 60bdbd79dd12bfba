# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`inverse_kinematics` by name: poses are reached, within limits, from scipy's poses too."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial import transform

import screw_dynamics as sd
from screw_dynamics.errors import InputError, ShapeError, UnknownNameError
from screw_dynamics.trajectory.cartesian.inverse_kinematics import PoseTask

FRAMES = {'iiwa14': 'flange', 'panda': 'panda_hand', 'planar_2r': 'tool'}


@pytest.mark.parametrize('name', FRAMES)
def test_drawn_poses_are_reached_within_the_limits(name):
    model, frame = sd.read_urdf(sd.share_path(f'urdf/{name}.urdf')), FRAMES[name]
    for q in model.random_configuration(5, seed=3):
        pose = sd.frame_pose(model, q, frame)
        found = sd.inverse_kinematics(model, frame, pose)
        # the errors left are at most 1e-11, of position and of the turn
        np.testing.assert_allclose(sd.frame_pose(model, found, frame), pose, rtol=0, atol=2e-11)
        assert ((model.limits.lower <= found) & (found <= model.limits.upper)).all()
        near = sd.inverse_kinematics(model, frame, pose, q + 1e-3, limited=False)
        assert np.abs(near - q).max() < 0.1


def test_the_position_alone():
    model = sd.read_urdf(sd.share_path('urdf/iiwa14.urdf'))
    q = sd.inverse_kinematics(model, 'flange', [0.4, 0.1, 0.6], components='linear')
    np.testing.assert_allclose(
        sd.frame_pose(model, q, 'flange')[:3, 3], [0.4, 0.1, 0.6], atol=2e-11
    )


def test_poses_of_scipy_stand_for_their_matrices():
    rigid = pytest.importorskip('scipy.spatial.transform', reason='of scipy 1.16').RigidTransform
    model = sd.read_urdf(sd.share_path('urdf/panda.urdf'))
    pose = sd.frame_pose(model, model.random_configuration(seed=1), 'panda_hand')
    found = sd.inverse_kinematics(model, 'panda_hand', rigid.from_matrix(pose))
    with pytest.raises(InputError, match='RigidTransform, got a rotation without a position'):
        sd.inverse_kinematics(model, 'panda_hand', rigid.from_matrix(pose).rotation)
    expected = sd.inverse_kinematics(model, 'panda_hand', pose)
    np.testing.assert_allclose(found, expected, atol=1e-9)  # scipy rounds the rotation once more
    slider = [[0, 0, 0, 1, 0, 0]]
    built = sd.ScrewModel.from_screws([-1], rigid.from_matrix(pose[None]), slider, [np.eye(6)])
    np.testing.assert_allclose(built.home_poses[0], pose, atol=1e-15)


def test_waypoints_take_rotations_and_rigid_transforms():
    turns = transform.Rotation.from_rotvec([[0, 0, 0.1], [0, 0.2, 0]])
    places = [[0.4, 0.0, 0.3], [0.4, 0.2, 0.3]]
    expected = sd.PoseWaypoints('tool', [0, 2], places, turns.as_quat())
    poses = transform.RigidTransform.from_components(places, turns)
    for given in ((places, turns), (poses,)):
        found = sd.PoseWaypoints('tool', [0, 2], *given)
        assert (found.positions == places).all()
        np.testing.assert_allclose(found.rotations, expected.rotations, atol=1e-15)
    with pytest.raises(ShapeError, match='orientations'):
        sd.PoseWaypoints('tool', [0, 2], places)


def test_what_cannot_be_reached_or_is_no_pose():
    model = sd.read_urdf(sd.share_path('urdf/planar_2r.urdf'))
    far, skewed = np.eye(4), np.eye(4)
    far[0, 3], skewed[0, 1] = 9.0, 0.1
    with pytest.raises(
        InputError, match=r'frame tool reaches .* limits, but .* m and .* are left'
    ):
        sd.inverse_kinematics(model, 'tool', far)
    with pytest.raises(InputError, match='pose: expected a rotation and a position'):
        sd.inverse_kinematics(model, 'tool', skewed)
    with pytest.raises(ShapeError, match='pose'):
        sd.inverse_kinematics(model, 'tool', [0.1, 0.2, 0.3])
    with pytest.raises(UnknownNameError, match='frame'):
        sd.inverse_kinematics(model, 'tol', np.eye(4))


@pytest.mark.parametrize('side', [1.0, -1.0])
def test_joints_at_a_limit_rest_while_the_others_reach(side):
    """Of a planar arm of three joints, whose first is at its limit, two reach the position."""
    link = sd.lie.inertia_matrix(1.0, np.zeros(3), 0.01 * np.eye(3))
    homes = [np.eye(4) for _ in range(3)]
    for k, pose in enumerate(homes):
        pose[0, 3] = k
    screws = [[0, 0, 1, 0, -k, 0] for k in range(3)]
    arm = sd.ScrewModel.from_screws([-1, 0, 1], homes, screws, [link] * 3)
    tip = np.eye(4)
    tip[0, 3] = 1.0
    arm = replace(arm, frames={'tip': sd.Frame(2, tip)})
    bound = np.array([0.2, 3.0, 3.0])
    arm = replace(arm, limits=replace(arm.limits, lower=-bound, upper=bound))
    target = sd.frame_pose(arm, side * np.array([0.7, 0.4, 0.3]), 'tip')
    # the first moves most readily, and is drawn beyond its limit
    task = PoseTask(arm, 'tip', 'linear', np.array([0.01, 1.0, 1.0]))
    start = side * np.array([0.2, 0.5, 0.9])
    # as fast as Newton's steps of the other two
    found = task.solve(target, start, iterations=8, limited=True)
    assert found.reached and (np.abs(found.q) <= bound).all()
    assert np.abs(task.solve(target, start, iterations=8).q[0]) > bound[0]

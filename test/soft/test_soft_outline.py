# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The outline of a soft robot: frames, axes, surfaces and threads, as viewers draw them."""

from dataclasses import replace

import numpy as np
import pytest
from oracles.random_models import random_model

import screw_dynamics as sd
from screw_dynamics.dynamics.outline import outline, places

SOFT = sd.soft
SEGMENTS = sd.share_path('config/soft_finger.yaml')
FINGER = SOFT.append_segments(sd.read_urdf(sd.share_path('urdf/planar_2r.urdf')), SEGMENTS)
CHAIN = SOFT.SoftRobot(
    [
        SOFT.Joint('revolute', (0, 1, 0), sd.lie.pose(np.eye(3), np.array([0.1, 0.0, 0.2]))),
        SOFT.RigidBody(2.0, (0, 0, 0.1), np.eye(3), sd.lie.pose(np.eye(3), np.array([0, 0, 0.3]))),
        SOFT.Joint('helical', (0, 0.6, 0.8), pitch=0.1),
        SOFT.ConstantCurvature(0.2, 0.01, 0.3),
        SOFT.Joint('prismatic', (1, 0, 0)),
        SOFT.Joint('fixed'),
    ]
)


def drawn(robot, q, threads=()):
    """Return corners (s, 24, 3) of all tubes and threads (p, 3), in axes of the base."""
    poses, tubes, lines = places(robot, q), [], []
    for body in outline(robot, threads).bodies:
        surface, own = body.drawn(q)
        pose = poses[body.place]
        tubes.append(surface @ pose[:3, :3].T + pose[:3, 3])
        lines += [line @ pose[:3, :3].T + pose[:3, 3] for line in own]
    return tubes, lines


def test_links_are_at_their_frames(rng):
    base = random_model(rng, 3)  # axes beside the origins of the bodies
    base = replace(base, frames={**base.frames, 'tool': base.frames['tool_3']})
    for robot in (FINGER, CHAIN, SOFT.append_segments(base, SEGMENTS)):
        q = rng.uniform(-0.1, 0.1, robot.n)
        poses = places(robot, q)
        for name, (place, own) in outline(robot).links.items():
            if name in robot.frames:
                expected = sd.frame_pose(robot, q, name)
                np.testing.assert_allclose(poses[place] @ own, expected, atol=1e-14)


def test_joints_move_along_and_about_their_axes(rng):
    for robot, count in ((FINGER, 2), (CHAIN, 3)):
        q, marks = rng.uniform(-0.1, 0.1, robot.n), outline(robot).marks
        assert [robot.joint_names[mark.coordinate] for mark in marks] == [m.name for m in marks]
        assert len(marks) == count
        for mark in marks:
            moved = q + 0.3 * np.eye(robot.n)[mark.coordinate]
            before, after = (places(robot, at)[mark.place] @ mark.pose for at in (q, moved))
            travel = 0.3 if mark.kind == 'prismatic' else 0.3 * mark.pitch
            axis = before[:3, 2]
            np.testing.assert_allclose(after[:3, 2], axis, atol=1e-14)
            np.testing.assert_allclose(after[:3, 3], before[:3, 3] + travel * axis, atol=1e-14)


def test_rods_join_the_frames_and_masses_are_those_of_rigid_bodies(rng):
    found, poses = outline(CHAIN), places(CHAIN, rng.uniform(-0.1, 0.1, CHAIN.n))
    assert [rod.place for rod in found.rods] == [0, 1, 2, 4, 5]  # of joints and the rigid body
    for rod in found.rods[:2]:  # of the first joint, which rests, and of the body
        np.testing.assert_array_equal(rod.begin, 0.0)
        end = poses[rod.place, :3, :3] @ rod.end + poses[rod.place, :3, 3]
        np.testing.assert_allclose(end, poses[rod.place + 1, :3, 3], atol=1e-14)
    ((mass,), body) = found.masses, CHAIN.modules[1]
    assert (mass.place, mass.mass) == (1, 2.0)
    np.testing.assert_array_equal(mass.com, body.com)
    np.testing.assert_array_equal(mass.inertia, body.inertia)


def test_tubes_and_threads_follow_the_soft_body():
    q = np.array([0.2, -0.4, 0.5, -0.3])
    (rings,), threads = drawn(FINGER, q)
    tip, tool = (sd.frame_pose(FINGER, q, name)[:3, 3] for name in ('tip', 'tool'))
    centres = rings.mean(axis=1)
    np.testing.assert_allclose(centres[[0, -1]], [tool, tip], atol=1e-14)
    radii = np.linalg.norm(rings - centres[:, np.newaxis], axis=2)
    np.testing.assert_allclose(radii, 0.01, atol=1e-14)
    assert len(threads) == len(FINGER.appended.threads)
    for spec, points in zip(FINGER.appended.threads, threads, strict=True):
        length = SOFT.Thread(FINGER, spec.offsets).length(q)
        chords = np.linalg.norm(np.diff(points, axis=0), axis=1).sum()
        # chords of arcs of at most 0.08 rad: shorter by (0.08^2 / 24) at most
        assert length * (1.0 - 3e-4) < chords <= length


BASIS = SOFT.strain_basis(0.2, 'legendre', {'bend_x': 2, 'bend_y': 1})


@pytest.mark.parametrize(
    'offset',
    [(0.008, 0.002), ((0.008, 0.0), (0.0, 0.004)), SOFT.Helix(0.008, 0.3)],
    ids=['parallel', 'slanted', 'helical'],
)
@pytest.mark.parametrize(
    'body',
    [
        SOFT.ConstantStrain(0.2, 0.01, 0.3, strains=['bend_x', 'bend_y', 'twist']),
        SOFT.VariableStrain(0.2, 0.01, 0.3, BASIS),
        SOFT.PlanarConstantCurvature(0.2, 0.01, 0.3),
        SOFT.VolumePreserving(0.2, 0.01, 0.3),
        SOFT.ConstantCurvature(0.2, 0.0, 0.0),
    ],
    ids=lambda body: type(body).__name__,
)
def test_threads_of_all_bodies_have_the_length_that_acts(body, offset):
    robot = SOFT.SoftRobot([body])
    q = np.linspace(0.3, 0.02, robot.n)
    thread = SOFT.Thread(robot, {'body_1': offset})
    (rings,), (points,) = drawn(robot, q, [thread])
    chords = np.linalg.norm(np.diff(points, axis=0), axis=1).sum()
    np.testing.assert_allclose(chords, thread.length(q), rtol=1e-3)  # of chords, as above
    # a tube without a thickness is drawn all the same
    first = np.linalg.norm(rings[0] - rings[0].mean(axis=0), axis=1)
    np.testing.assert_allclose(first, body.radius or 0.004, rtol=0.05)


def test_bodies_of_points_have_no_surface():
    points = np.array([[0.0, 0.0, 0.1], [0.01, 0.0, 0.2]])
    frame = np.array([[0.0, 0.0, 0.2], [0.1, 0.0, 0.2], [0.0, 0.1, 0.2]])
    body = SOFT.Learned(lambda x, q: x + 0.1 * q[0] * x, 1, points, [1.0, 2.0], frame)
    (found,) = outline(SOFT.SoftRobot([body])).bodies
    assert found.shape == (0, 0) and not found.drawn(np.array([0.5]))[1]
    np.testing.assert_allclose(found.points(np.array([0.5])), 1.05 * points)


def test_threads_of_another_robot_are_refused():
    other = SOFT.SoftRobot([SOFT.ConstantCurvature(0.1, 0.01, 0.1)])
    for wrong in (SOFT.Thread(other, {'body_1': (0.005, 0.0)}), 'thread'):
        with pytest.raises(sd.ScrewDynamicsError, match='threads: expected threads of this robot'):
            outline(FINGER, [wrong])

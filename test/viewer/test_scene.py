# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""What is drawn of a robot and its motion."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from oracles.random_models import BodyRecipe, random_model

import screw_dynamics as sd
from screw_dynamics.dynamics.outline import outline, places
from screw_dynamics.viewer import shapes
from screw_dynamics.viewer.motion import Motion, Sample, motion_of_jets
from screw_dynamics.viewer.scene import Scene

IIWA = sd.read_urdf(sd.share_path('urdf/iiwa14.urdf'))
PLANAR = sd.read_urdf(sd.share_path('urdf/planar_2r.urdf'))
FINGER = sd.soft.append_segments(PLANAR, sd.share_path('config/soft_finger.yaml'))
RECIPES = [
    BodyRecipe(),
    BodyRecipe('helical'),
    BodyRecipe('prismatic'),
    BodyRecipe(parent_back=2),
    BodyRecipe('helical', mimics=0),
]
RED, GREY = (214, 25, 38), (150, 150, 150)


def test_places_are_the_poses_of_the_frames(rng):
    for model in (random_model(rng, RECIPES), IIWA):
        q = rng.uniform(-1.0, 1.0, model.n)
        poses = places(model, q)
        for name, (place, own) in outline(model).links.items():
            expected = sd.frame_pose(model, q, name)
            np.testing.assert_allclose(poses[place] @ own, expected, atol=1e-14)


def test_a_joint_leaves_its_axis_where_it_is(rng):
    model = random_model(rng, RECIPES)
    q = rng.uniform(-1.0, 1.0, model.n)
    for mark in outline(model).marks:
        if mark.coordinate < 0:
            continue
        moved = q + 0.3 * np.eye(model.n)[mark.coordinate]
        before, after = (places(model, at)[mark.place] @ mark.pose for at in (q, moved))
        travel = 0.3 if mark.kind == 'prismatic' else 0.3 * mark.pitch
        axis = before[:3, 2]
        np.testing.assert_allclose(after[:3, 2], axis, atol=1e-14)
        np.testing.assert_allclose(after[:3, 3], before[:3, 3] + travel * axis, atol=1e-14)


def test_the_colour_of_a_ring_is_the_share_of_the_limit():
    scene = Scene(sd.Robot(IIWA))
    limits = IIWA.limits.effort
    efforts = np.stack([limits * [1.0, -1.0, 0.5, 0.0, 2.0, -0.5, 0.1], 3.0 * limits])
    scene.prepare(efforts, {})
    now = scene.at(Sample(np.zeros(7), efforts))
    np.testing.assert_allclose(now.shares, [1.0, -1.0, 0.5, 0.0, 2.0, -0.5, 0.1])
    colours = now.colours()
    assert tuple(colours[0]) == tuple(colours[1]) == tuple(colours[4]) == RED
    np.testing.assert_array_equal(colours[2], colours[5])
    scene.order = 1  # without a limit: the share of the largest value
    np.testing.assert_allclose(scene.at(Sample(np.zeros(7), efforts)).shares, 1.0)
    scene.order = 2
    unknown = scene.at(Sample(np.zeros(7), efforts))
    assert np.isnan(unknown.shares).all()
    assert set(map(tuple, unknown.colours())) == {GREY}


def test_a_limit_of_the_rate_is_that_of_the_drive():
    drives = sd.Drives({'joint_1': sd.JointDrive(max_effort_rate=50.0)})
    scene = Scene(sd.Robot(PLANAR, drives))
    efforts = np.array([[1.0, 1.0], [25.0, 25.0]])
    scene.prepare(efforts, {})
    scene.order = 1
    np.testing.assert_allclose(scene.at(Sample(np.zeros(2), efforts)).shares, [0.5, 1.0])


def test_only_the_joint_of_the_coordinate_has_its_effort():
    model = sd.read_urdf(sd.share_path('urdf/branched_gripper.urdf'))
    scene = Scene(sd.Robot(model))
    efforts = np.ones((1, model.n))
    scene.prepare(efforts, {})
    known = np.isfinite(scene.at(Sample(np.zeros(model.n), efforts)).shares)
    assert known.sum() == model.n < len(known)


def test_motors_are_apart_by_the_enlarged_deflections():
    springs = {name: sd.JointDrive(sd.LinearSpring(200.0)) for name in PLANAR.joint_names}
    scene = Scene(sd.Robot(PLANAR, sd.Drives(springs)))
    scene.enlargement = 10.0
    q = np.array([0.3, -0.2])
    assert len(scene.at(Sample(q)).deflections) == len(scene.at(Sample(q)).springs) == 0
    now = scene.at(Sample(q, motor_positions=q + [0.01, -0.02]))
    np.testing.assert_allclose(now.deflections, [0.1, -0.2], atol=1e-12)
    for line, deflection in zip(now.springs, (0.1, -0.2), strict=True):
        for angle, end in ((0.0, line[0]), (deflection, line[-1])):  # between the two pointers
            inside = sd.lie.exp_so3(np.array([0.0, 0.0, angle])).T @ end
            np.testing.assert_allclose(inside[1:], 0.0, atol=1e-12)
            assert inside[0] > scene.ring


@pytest.mark.parametrize('rows', [2, 3, 5])
def test_efforts_and_motors_of_a_motion_are_computed_from_its_rows(rows, rng):
    drives = sd.Drives({'joint_1': sd.JointDrive(sd.LinearSpring(200.0))})
    robot, jets = sd.Robot(PLANAR, drives), rng.uniform(-0.5, 0.5, (4, rows, 2))
    motion = motion_of_jets(robot, np.arange(4.0), jets)
    assert (motion.efforts is None, motion.motor_positions is None) == (rows < 3, rows < 5)
    if rows > 2:
        np.testing.assert_array_equal(motion.efforts, sd.inverse_dynamics(PLANAR, jets))
    if rows > 4:
        expected = sd.elastic_feedforward(robot, jets)
        np.testing.assert_array_equal(motion.motor_positions, expected.motor_position)
        np.testing.assert_array_equal(motion.motor_efforts, expected.motor_effort)


@pytest.mark.parametrize('shape', [(4, 2), (4, 1, 2), (4, 3, 2)])
def test_given_efforts_are_kept_with_their_derivatives(shape, rng):
    efforts = rng.normal(size=shape)
    jets = rng.uniform(-0.5, 0.5, (4, 3, 2))  # whose efforts would be others
    motion = motion_of_jets(sd.Robot(PLANAR), np.arange(4.0), jets, efforts)
    np.testing.assert_array_equal(motion.efforts, efforts.reshape(4, -1, 2))


@pytest.mark.parametrize('robot', [IIWA, FINGER], ids=['rigid', 'soft'])
def test_gravity_acts_at_the_centre_of_mass(robot, rng):
    scene = Scene(sd.Robot(robot))
    q, step = rng.uniform(-0.5, 0.5, robot.n), 1e-6
    mass = sum(m.mass for m in scene.outline.masses)
    mass += sum(module.masses.sum() for module in getattr(robot, 'modules', ()) if module.n > 1)
    slopes = []
    for j in range(robot.n):
        ends = [scene.at(Sample(q + s * np.eye(robot.n)[j])).mass_centre for s in (step, -step)]
        slopes.append(-mass * robot.gravity @ (ends[0] - ends[1]) / (2.0 * step))
    # differences of centres rounded to 1e-16 m over 2e-6
    np.testing.assert_allclose(slopes, sd.gravity_forces(robot, q), atol=1e-6)


def test_boxes_have_the_masses_and_inertias_of_the_bodies(rng):
    turn = sd.lie.exp_so3(rng.normal(size=3))
    inertia = turn @ np.diag([2.0, 3.0, 4.0]) @ turn.T
    (a, b, c), axes = shapes.inertia_box(5.0, inertia)
    moments = 5.0 / 12.0 * np.array([b * b + c * c, a * a + c * c, a * a + b * b])
    np.testing.assert_allclose(axes @ np.diag(moments) @ axes.T, inertia, rtol=1e-13, atol=1e-13)
    assert np.linalg.det(axes) > 0.0


def test_arrows_of_wrenches_are_in_axes_of_their_frames(rng):
    scene = Scene(sd.Robot(IIWA))
    q, wrench = rng.uniform(-1.0, 1.0, 7), np.array([0.0, 2.0, 0.0, 0.0, 0.0, -30.0])
    motion = Motion(np.zeros(1), q[np.newaxis], wrenches={'link_7': wrench[np.newaxis]})
    scene.prepare_for(motion)
    force, torque = scene.at(motion.sample(0)).loads['link_7']
    np.testing.assert_allclose(force, [0.0, 0.0, -0.35 * scene.reach], atol=1e-15)
    np.testing.assert_allclose(torque, [0.0, 0.35 * scene.reach, 0.0], atol=1e-15)


def test_pictures_of_a_motion_are_even_and_not_too_many():
    motion = Motion(5.0 + 0.01 * np.arange(1001), np.zeros((1001, 2)))
    assert motion.indices(50.0, 1000).tolist() == list(range(0, 1001, 2))
    assert motion.indices(50.0, 100).tolist() == list(range(0, 1001, 10))


def test_forms_are_closed_and_have_their_volume():
    """What is round has 24 corners, wires have 12: areas are smaller by some per cent."""
    round_area, wire = 12.0 * np.sin(np.pi / 12.0), 6.0 * np.sin(np.pi / 6.0) * 0.13**2
    capsule = np.pi * 0.2**2 * (np.sqrt(3.0) + 4.0 / 3.0 * 0.2)
    arrow = round_area * (0.35**2 * 0.75 + 0.9**2 * 0.25 / 3.0) * 0.125**2
    for mesh, volume, close in (
        (shapes.box(np.array([1.0, 2.0, 3.0])), 6.0, 1e-12),
        (shapes.cylinder(0.5, 2.0), 0.5 * round_area, 1e-12),
        (shapes.ball(0.5), np.pi / 6.0, 0.04),
        (shapes.capsule(np.zeros(3), np.ones(3), 0.2), capsule, 0.03),
        (shapes.arrow(), arrow, 1e-12),
        (shapes.joint_symbol('revolute', 0.0, 1.0), wire * 2.0 * np.pi, 0.01),
        (shapes.joint_symbol('prismatic', 0.0, 1.0), wire * 4.0 * np.sqrt(2.0), 0.35),
        (shapes.joint_symbol('helical', 0.1, 1.0), wire * np.hypot(6.0 * np.pi, 2.0), 0.02),
    ):
        a, b, c = mesh.vertices[mesh.faces].transpose(1, 0, 2)
        assert np.sum(a * np.cross(b, c)) / 6.0 == pytest.approx(volume, rel=close)
        if volume < wire * 18.0 or volume > wire * 19.0:  # the wire of a helix has open ends
            np.testing.assert_allclose(np.cross(b - a, c - a).sum(axis=0), 0.0, atol=1e-12)


@pytest.mark.parametrize(
    ('arguments', 'text'),
    [
        ({'times': [[0.0]]}, 'times: expected shape (T,), with T > 0, got (1, 1)'),
        ({'times': [0.0, 0.0]}, 'times: expected increasing ones'),
        ({'joint_jet': np.zeros((3, 2))}, 'joint_jet: expected shape (2, 1, 2), got (3, 1, 2)'),
        ({'joint_jet': np.zeros(2)}, 'joint_jet: expected shape (T, r, n) or (T, n), got (2,)'),
        ({'efforts': np.zeros((2, 3))}, 'efforts: expected shape (2, 1, 2), got (2, 1, 3)'),
        ({'wrenches': {'tool': [0.0]}}, "wrenches['tool']: expected shape (2, 6), got (1,)"),
        ({'motor_positions': [0.0]}, 'motor_positions: expected shape (2, 2), got (1,)'),
    ],
)
def test_wrong_motions_are_refused(arguments, text):
    given = {'times': [0.0, 1.0], 'joint_jet': np.zeros((2, 2))} | arguments
    with pytest.raises(sd.ScrewDynamicsError) as caught:
        motion_of_jets(sd.Robot(PLANAR), **given)
    assert str(caught.value) == text


def test_wrenches_at_unknown_frames_are_refused():
    motion = Motion(np.zeros(1), np.zeros((1, 2)), wrenches={'hand': np.zeros((1, 6))})
    with pytest.raises(sd.ScrewDynamicsError, match="wrenches: unknown frame 'hand'"):
        Scene(sd.Robot(PLANAR)).prepare_for(motion)


def test_a_robot_without_mass_has_no_centre():
    inertias = np.zeros_like(PLANAR.inertias)
    scene = Scene(sd.Robot(replace(PLANAR, inertias=inertias)))
    np.testing.assert_array_equal(scene.at(Sample(np.zeros(2))).mass_centre, [np.nan] * 3)


def test_coordinates_without_limits_have_ranges(rng):
    recipes = [BodyRecipe('prismatic'), BodyRecipe(), BodyRecipe(), BodyRecipe()]
    model = random_model(rng, recipes)
    free = sd.JointLimits.none(4)
    lower, upper = np.array([-np.inf, -np.inf, 0.2, 0.0]), np.array([np.inf, np.inf, 0.5, 0.0])
    model = replace(model, limits=replace(free, lower=lower, upper=upper))
    scene = Scene(sd.Robot(model))
    far = 0.1 * scene.reach
    np.testing.assert_allclose(scene.low, [-far, -np.pi, 0.2, -1.0])
    np.testing.assert_allclose(scene.high, [far, np.pi, 0.5, 1.0])
    np.testing.assert_array_equal(scene.start, [0.0, 0.0, 0.2, 0.0])


FLOATING = """<robot name="cart">
  <link name="ground"/><link name="cart"><inertial><mass value="10"/>
    <inertia ixx="0.3" iyy="0.3" izz="0.4" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="arm"><inertial><origin xyz="0 0 0.2"/><mass value="3"/>
    <inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="drive" type="TYPE">
    <parent link="ground"/><child link="cart"/><axis xyz="0 0 1"/></joint>
  <joint name="lift" type="continuous">
    <parent link="cart"/><child link="arm"/><origin xyz="0.1 0 0.3"/><axis xyz="0 1 0"/></joint>
</robot>"""


@pytest.mark.parametrize('kind', ['planar', 'floating'])
def test_joints_of_several_degrees_of_freedom_are_drawn(kind, rng):
    model = sd.read_urdf(FLOATING.replace('TYPE', kind))
    scene, q = Scene(sd.Robot(model)), rng.uniform(-1.0, 1.0, model.n)
    now = scene.at(Sample(q))
    for link in ('cart', 'arm'):
        place, own = scene.outline.links[link]
        expected = sd.frame_pose(model, q, link)
        np.testing.assert_allclose(now.places[place] @ own, expected, atol=1e-14)
    assert [mark.name for mark in scene.marks] == list(model.joint_names)

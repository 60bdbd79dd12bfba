# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest
from frame_poses import frame_poses
from oracles.robots import bundled_urdfs

from screw_dynamics.lie import inertia_matrix, inertia_parameters, skew
from screw_dynamics.model.urdf import read_urdf

BUNDLED = {path.stem: path for path in bundled_urdfs()}
Z_SCREW = [0, 0, 1, 0, 0, 0]


def test_names():
    assert set(BUNDLED) == {'branched_gripper', 'iiwa14', 'panda', 'planar_2r'}


def test_planar_2r_is_the_robot_of_mk2021_6_1():
    model = read_urdf(BUNDLED['planar_2r'], gravity=(0, -9.81, 0), base_link='plane')
    np.testing.assert_array_equal(model.screws, [Z_SCREW, Z_SCREW])
    np.testing.assert_array_equal(model.home_poses[0], np.eye(4))
    second = np.eye(4)
    second[0, 3] = 0.5
    np.testing.assert_array_equal(model.home_poses[1], second)
    for i, (mass, length) in enumerate([(2.0, 0.5), (1.0, 0.4)]):
        com = np.array([length, 0.0, 0.0])
        np.testing.assert_array_equal(
            model.inertias[i], inertia_matrix(mass, com, np.zeros((3, 3)))
        )


def test_planar_2r_stands_upright_in_the_world():
    model = read_urdf(BUNDLED['planar_2r'])
    assert model.base_link == 'world'
    tip = frame_poses(model, np.array([np.pi / 2, 0.0]))['tool']
    np.testing.assert_allclose(tip[:3, 3], [0, 0, 0.9], atol=1e-15)


def test_iiwa_is_the_robot_of_mk2021_6_2():
    model = read_urdf(BUNDLED['iiwa14'], base_link='link_0')
    forward = np.array([[1, 0, 0], [0, 0, -1], [0, 1, 0]])
    rotations = {2: forward, 5: forward, 6: forward, 3: forward.T, 4: forward.T, 7: forward.T}
    positions = {3: [0, 0.42, 0], 5: [0, -0.4, 0]}
    for i in range(1, 8):
        np.testing.assert_array_equal(model.screws[i - 1], Z_SCREW)
        home = model.home_poses[i - 1]
        np.testing.assert_allclose(home[:3, :3], rotations.get(i, np.eye(3)), atol=1e-16)
        np.testing.assert_array_equal(home[:3, 3], positions.get(i, [0, 0, 0]))
    assert model.inertias[:, 3, 3].sum() == pytest.approx(20.66958, abs=1e-12)
    np.testing.assert_array_equal(model.limits.effort, [320, 320, 176, 176, 110, 40, 40])
    np.testing.assert_allclose(np.rad2deg(model.limits.upper), [170, 120] * 3 + [175])
    assert model.damping[0] == 0.2415 and model.friction[0] == 0.31909


def test_iiwa_reaches_straight_up():
    poses = frame_poses(read_urdf(BUNDLED['iiwa14']), np.zeros(7))
    np.testing.assert_allclose(poses['flange'][:3, 3], [0, 0, 1.306], atol=1e-15)


def test_iiwa_has_the_nearest_inertias_of_solid_bodies_to_the_published_ones():
    """The nearest moments differ by a third of the defect each; entries are rounded to 1e-5."""
    printed = {
        4: (0.03844, 0.00088, -0.00112, 0.01144, -0.00111, 0.04988),
        7: (0.00795, 0.00022, -0.00029, 0.01089, -0.00029, 0.00294),
    }
    model = read_urdf(BUNDLED['iiwa14'])
    for i, (xx, xy, xz, yy, yz, zz) in printed.items():
        published = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        moments, axes = np.linalg.eigh(published)
        defect = moments[2] - moments[0] - moments[1]
        assert defect > 5e-5
        nearest = axes @ np.diag(moments + defect / 3.0 * np.array([1.0, 1.0, -1.0])) @ axes.T
        mass, first_moment, about_origin = inertia_parameters(model.inertias[i - 1])
        c = skew(first_moment / mass)
        np.testing.assert_allclose(about_origin + mass * c @ c, nearest, rtol=0.0, atol=5.1e-6)


def test_panda():
    model = read_urdf(BUNDLED['panda'])
    assert model.joint_names == (*(f'panda_joint{i}' for i in range(1, 8)), 'panda_finger_joint1')
    assert model.tree_joint_names[-1] == 'panda_finger_joint2'
    np.testing.assert_array_equal(model.coordinates, [0, 1, 2, 3, 4, 5, 6, 7, 7])
    np.testing.assert_array_equal(model.limits.lower[:4], [-2.8973, -1.7628, -2.8973, -3.0718])
    # the hand is lumped with link 7
    assert model.inertias[6, 3, 3] == pytest.approx(0.735522 + 0.73)
    # the data sheet's outline: flange 0.926 m high and 0.088 m ahead at q = 0
    flange = frame_poses(model, np.zeros(8))['panda_link8'][:3, 3]
    np.testing.assert_allclose(flange, [0.088, 0.0, 0.926], atol=1e-15)


def test_branched_gripper():
    model = read_urdf(BUNDLED['branched_gripper'])
    types = dict(zip(model.tree_joint_names, model.joint_types, strict=True))
    assert types['lift_joint'] == 'prismatic' and types['pan_joint'] == 'continuous'
    tip = model.tree_joint_names.index('right_tip_joint')
    assert model.joint_names[model.coordinates[tip]] == 'left_finger_joint'
    assert (model.multipliers[tip], model.offsets[tip]) == (8.0, -0.2)
    lift = model.body_names.index('lift_link')
    children = np.flatnonzero(model.parents == lift)
    assert [model.body_names[i] for i in children] == ['upper_arm_link', 'pan_link']
    wrist = model.body_names.index('wrist_link')
    assert model.frames['tool'].body == model.frames['gripper_link'].body == wrist


@pytest.mark.filterwarnings('error')
@pytest.mark.parametrize('name', BUNDLED)
def test_all_load_without_a_warning(name):
    assert read_urdf(BUNDLED[name]).n > 0

# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""What is read of a description, and which joints are selected."""

from __future__ import annotations

import re

import numpy as np
import pytest
from frame_poses import frame_poses
from oracles.robots import bundled_urdfs
from urdf_texts import LIMIT, chain, joint, link, robot

from screw_dynamics.errors import InputError, NotFiniteError, UnknownNameError
from screw_dynamics.lie import inverse_pose
from screw_dynamics.model.urdf import read_urdf


def one_joint(kind: str, content: str, child: str | None = None) -> str:
    return robot(link('a'), child or link('b', 1), joint('j', 'a', 'b', kind, content))


@pytest.mark.parametrize(
    ('kind', 'screw'),
    [
        ('revolute', [1, 0, 0, 0, 0, 0]),
        ('continuous', [1, 0, 0, 0, 0, 0]),
        ('prismatic', [0, 0, 0, 1, 0, 0]),
    ],
)
def test_the_default_axis_is_x(kind, screw):
    model = read_urdf(one_joint(kind, LIMIT))
    np.testing.assert_array_equal(model.screws, [screw])
    assert model.joint_types == (kind,)


@pytest.mark.parametrize('axis', ['0 3 4', '0 -1e-200 1e-200', '3e200 0 4e200'])
def test_axes_are_normalised(axis):
    model = read_urdf(one_joint('revolute', f'<axis xyz="{axis}"/>{LIMIT}'))
    raw = np.array([float(word) for word in axis.split()])
    np.testing.assert_allclose(model.screws[0, :3], raw / np.hypot.reduce(raw), rtol=1e-15)


def test_limits_and_dynamics_are_kept():
    content = LIMIT + '<dynamics damping="0.7" friction="0.1"/>'
    model = read_urdf(one_joint('revolute', content))
    limits = model.limits
    assert (limits.lower[0], limits.upper[0]) == (-1, 1)
    assert (limits.velocity[0], limits.effort[0]) == (2, 3)
    assert (model.damping[0], model.friction[0]) == (0.7, 0.1)


def test_absent_limits_are_infinite():
    limits = read_urdf(one_joint('revolute', '<limit effort="inf"/>')).limits
    assert (limits.lower[0], limits.upper[0]) == (-np.inf, np.inf)
    assert (limits.velocity[0], limits.effort[0]) == (np.inf, np.inf)


@pytest.mark.parametrize(
    ('attributes', 'limits'),
    [
        ('acceleration="4" jerk="50"', (4.0, 50.0)),
        ('acceleration="4" deceleration="3"', (3.0, np.inf)),
        ('acceleration="4" deceleration="5" jerk="0"', (4.0, 0.0)),
        ('acceleration="0" deceleration="5"', (5.0, np.inf)),
        ('deceleration="0" jerk="inf"', (np.inf, np.inf)),
    ],
)
@pytest.mark.parametrize('version', ['1.0', '1.2'])
def test_limits_of_version_1_2(attributes, limits, version):
    """The smaller one of acceleration and deceleration counts, 0 as none."""
    urdf = one_joint('revolute', f'<limit effort="3" velocity="2" {attributes}/>')
    found = read_urdf(urdf.replace('<robot ', f'<robot version="{version}" ')).limits
    assert (found.acceleration[0], found.jerk[0]) == limits
    assert (found.velocity[0], found.effort[0]) == (2, 3)


def test_a_continuous_joint_has_no_position_limits():
    limits = read_urdf(one_joint('continuous', LIMIT)).limits
    assert (limits.lower[0], limits.upper[0], limits.effort[0]) == (-np.inf, np.inf, 3)


def test_joints_come_in_document_order_and_bodies_parents_first():
    urdf = robot(
        *(link(name, 1) for name in 'dcba'),
        joint('third', 'b', 'c'),
        joint('first', 'a', 'b'),
        joint('second', 'a', 'd'),
    )
    model = read_urdf(urdf)
    assert model.joint_names == ('third', 'first', 'second')
    assert model.body_names == ('b', 'c', 'd')
    np.testing.assert_array_equal(model.parents, [-1, 0, -1])
    np.testing.assert_array_equal(model.coordinates, [1, 0, 2])
    assert set(model.frames) == set('abcd')


def test_what_dynamics_does_not_need_is_not_read():
    extra = (
        '<material name="m"><texture/></material><gazebo>$(arg x) ${y}</gazebo>'
        '<transmission name="t"><joint name="j"/></transmission>'
        '<ros2_control name="x" type="system"><joint name="j"/></ros2_control>'
    )
    urdf = chain('revolute').replace('<link', extra + '<!-- ${pi} --><link', 1)
    assert read_urdf(urdf).joint_names == ('j1',)


def test_a_robot_without_moving_joints_has_no_coordinates():
    model = read_urdf(robot(link('a', 1), link('b', 1), joint('f', 'a', 'b', 'fixed')))
    assert model.n == model.body_count == 0
    assert set(model.frames) == {'a', 'b'}


@pytest.mark.parametrize('gravity', [(0, 0), (0, 0, np.nan), 'down'])
def test_gravity_is_checked(gravity):
    with pytest.raises(ValueError, match='gravity'):
        read_urdf(chain('revolute'), gravity=gravity)


BRANCHED = next(path for path in bundled_urdfs() if path.stem == 'branched_gripper')


def full_q(model, **positions):
    return np.array([positions.get(name, 0.0) for name in model.joint_names])


def assert_same_frames(part, whole, q_part, q_whole):
    at_part, at_whole = frame_poses(part, q_part), frame_poses(whole, q_whole)
    base = inverse_pose(at_whole[part.base_link])
    for name in at_part:
        np.testing.assert_allclose(at_part[name], base @ at_whole[name], atol=1e-14, err_msg=name)


def test_left_out_joints_are_locked_and_lumped():
    whole = read_urdf(BRANCHED)
    names = ('elbow_joint', 'shoulder_joint')
    locked = {'lift_joint': 0.25, 'left_finger_joint': 0.03, 'tilt_joint': -0.4}
    part = read_urdf(BRANCHED, joints=names, locked=locked)
    assert part.joint_names == names
    assert part.body_names == ('upper_arm_link', 'forearm_link')
    assert set(part.frames) == set(whole.frames)
    q = np.array([0.7, -0.4])
    q_whole = full_q(whole, elbow_joint=0.7, shoulder_joint=-0.4, **locked)
    assert_same_frames(part, whole, q, q_whole)
    # forearm with the wrist, the gripper, both fingers and the tip
    assert part.inertias[1, 3, 3] == pytest.approx(1.6 + 0.5 + 0.4 + 2 * 0.08 + 0.02)


def test_order_of_joints_is_the_order_of_coordinates():
    model = read_urdf(BRANCHED, joints=['wrist_joint', 'pan_joint', 'lift_joint'])
    assert model.joint_names == ('wrist_joint', 'pan_joint', 'lift_joint')
    np.testing.assert_array_equal(model.limits.velocity, [4.0, 3.0, 0.25])
    np.testing.assert_array_equal(model.damping, [0.1, 0.05, 40.0])
    of_tree = [model.joint_names[i] for i in model.coordinates]
    assert of_tree == list(model.tree_joint_names)


def test_naming_a_joint_in_locked_locks_it():
    model = read_urdf(BRANCHED, locked={'lift_joint': 0.1})
    assert 'lift_joint' not in model.joint_names and model.n == 6
    assert model.frames['lift_link'].body == -1
    assert model.frames['lift_link'].pose[2, 3] == pytest.approx(0.2)


def test_base_link_drops_what_is_not_below_it():
    whole = read_urdf(BRANCHED)
    part = read_urdf(BRANCHED, base_link='forearm_link')
    assert part.joint_names == ('wrist_joint', 'left_finger_joint')
    assert part.base_link == 'forearm_link'
    assert 'upper_arm_link' not in part.frames and 'pan_link' not in part.frames
    np.testing.assert_array_equal(part.frames['forearm_link'].pose, np.eye(4))
    q_whole = full_q(whole, wrist_joint=0.5, left_finger_joint=0.02)
    assert_same_frames(part, whole, np.array([0.5, 0.02]), q_whole)


def test_gravity_is_kept_in_base_link_axes():
    model = read_urdf(BRANCHED, base_link='gripper_link', gravity=(1, 2, 3))
    np.testing.assert_array_equal(model.gravity, [1, 2, 3])


def test_tip_link_makes_a_chain():
    chain_model = read_urdf(BRANCHED, tip_link='gripper_link')
    names = ('lift_joint', 'shoulder_joint', 'elbow_joint', 'wrist_joint')
    assert chain_model.joint_names == names
    assert chain_model.body_count == 4
    # the camera head and the fingers keep their weight
    assert chain_model.inertias[0, 3, 3] == pytest.approx(6.0 + 0.6 + 0.3 + 0.25)
    assert chain_model.inertias[:, 3, 3].sum() == pytest.approx(12.23)


def test_joints_select_on_the_chain_to_the_tip():
    model = read_urdf(BRANCHED, tip_link='tool', joints=['wrist_joint', 'lift_joint'])
    assert model.joint_names == ('wrist_joint', 'lift_joint')
    message = re.escape(
        "unknown movable joint in joints: 'pan_joint': expected one of lift_joint, "
        'shoulder_joint, elbow_joint, wrist_joint'
    )
    with pytest.raises(UnknownNameError, match=message):
        read_urdf(BRANCHED, tip_link='tool', joints=['pan_joint'])


def test_a_tip_beside_the_base_is_named():
    with pytest.raises(UnknownNameError, match="link below base_link 'pan_link': 'tool'"):
        read_urdf(BRANCHED, base_link='pan_link', tip_link='tool')


@pytest.mark.parametrize('option', ['base_link', 'tip_link'])
def test_unknown_links_are_named(option):
    with pytest.raises(UnknownNameError, match="unknown link 'ghost': expected one of l0, l1"):
        read_urdf(chain('revolute'), **{option: 'ghost'})


@pytest.mark.parametrize(
    ('options', 'error', 'message'),
    [
        ({'joints': ['j9']}, UnknownNameError, "unknown movable joint in joints: 'j9': expected"),
        ({'joints': ['j3']}, UnknownNameError, "'j3': expected one of j1, j2"),
        ({'joints': ['j1', 'j1']}, InputError, "expected every name once, got 'j1' twice"),
        ({'joints': 'j1'}, InputError, "joints: expected a sequence of names, got 'j1'"),
        ({'joints': 5}, InputError, 'joints: expected a sequence of names, got 5'),
        ({'joints': {'j1'}}, InputError, "joints: expected a sequence of names, got {'j1'}"),
        ({'base_link': ['l0']}, UnknownNameError, r"unknown link \['l0'\]"),
        ({'locked': ['j1']}, InputError, r"locked: expected a mapping of .*, got \['j1'\]"),
        ({'joints': ['j1'], 'locked': {'j1': 0}}, InputError, "got 'j1', which is locked"),
        ({'locked': {'j9': 0}}, UnknownNameError, "in locked: 'j9': expected one of j1, j2"),
        ({'locked': {'j3': 0}}, UnknownNameError, "in locked: 'j3'"),
        ({'locked': {'j1': np.inf}}, NotFiniteError, r"^locked\['j1'\]: expected a finite"),
        ({'locked': {'j1': 'half'}}, InputError, r"locked\['j1'\]: expected a number, got 'half'"),
        ({'locked': {'j1': 10**400}}, InputError, r"locked\['j1'\]: expected a number, got 1000"),
        ({'mimic': 'ignore'}, InputError, "mimic: expected one of reduce, independent, got 'ign"),
    ],
)
def test_options_that_do_not_fit(options, error, message):
    with pytest.raises(error, match=message):
        read_urdf(chain('revolute', 'prismatic', 'fixed'), **options)

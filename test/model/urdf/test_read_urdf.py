# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import numpy as np
import pytest
from urdf_texts import LIMIT, chain, joint, link, robot

from screw_dynamics.lie import inertia_matrix, rpy_rotation
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


def test_rpy_is_about_fixed_axes():
    content = f'<origin xyz="1 2 3" rpy="0.1 -0.2 0.3"/>{LIMIT}'
    home = read_urdf(one_joint('revolute', content)).home_poses[0]
    np.testing.assert_array_equal(home[:3, 3], [1, 2, 3])
    expected = rpy_rotation(0, 0, 0.3) @ rpy_rotation(0, -0.2, 0) @ rpy_rotation(0.1, 0, 0)
    np.testing.assert_allclose(home[:3, :3], expected, atol=1e-16)


def test_inertia_is_given_in_the_inertial_frame():
    # a quarter turn about z swaps x and y of the tensor
    turned = link('b', 2, '1 0.1 0.2 3 0.3 3.5', f'xyz="0.5 0 0" rpy="0 0 {np.pi / 2}"')
    inertia = read_urdf(one_joint('revolute', LIMIT, turned)).inertias[0]
    tensor = np.array([[3, -0.1, -0.3], [-0.1, 1, 0.2], [-0.3, 0.2, 3.5]])
    expected = inertia_matrix(2.0, np.array([0.5, 0, 0]), tensor)
    np.testing.assert_allclose(inertia, expected, atol=1e-15)


def test_off_diagonals_keep_their_sign():
    child = link('b', 1, '2 -0.1 0.2 3 -0.3 4')
    inertia = read_urdf(one_joint('revolute', LIMIT, child)).inertias[0]
    np.testing.assert_array_equal(
        inertia[:3, :3], [[2, -0.1, 0.2], [-0.1, 3, -0.3], [0.2, -0.3, 4]]
    )


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


def test_a_continuous_joint_has_no_position_limits():
    limits = read_urdf(one_joint('continuous', LIMIT)).limits
    assert (limits.lower[0], limits.upper[0], limits.effort[0]) == (-np.inf, np.inf, 3)


def test_links_behind_fixed_joints_are_lumped_and_stay_frames():
    urdf = robot(
        link('a'),
        link('b', 1, '0 0 0 0 0 0'),
        link('c', 2, '0.1 0 0 0.2 0 0.3', 'xyz="0 0 0.5"'),
        joint('j', 'a', 'b'),
        joint('f', 'b', 'c', 'fixed', '<origin xyz="1 0 0"/>'),
    )
    model = read_urdf(urdf)
    point = inertia_matrix(1.0, np.zeros(3), np.zeros((3, 3)))
    solid = inertia_matrix(2.0, np.array([1, 0, 0.5]), np.diag([0.1, 0.2, 0.3]))
    np.testing.assert_allclose(model.inertias[0], point + solid, atol=1e-15)
    assert model.frames['c'].body == 0
    np.testing.assert_array_equal(model.frames['c'].pose[:3, 3], [1, 0, 0])


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

# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import numpy as np
import pytest
from frame_poses import frame_poses
from urdf_texts import joint, link, robot

from screw_dynamics.lie import pose, rpy_rotation
from screw_dynamics.model.urdf import read_urdf

ORIGIN = '<origin xyz="0.1 0.2 0.3" rpy="0.4 0 0"/>'
HOME = pose(rpy_rotation(0.4, 0, 0), np.array([0.1, 0.2, 0.3]))


def base_joint(kind: str, content: str = ORIGIN) -> str:
    return robot(link('world'), link('body', 2), joint('free', 'world', 'body', kind, content))


@pytest.mark.filterwarnings('error')
def test_floating_is_position_and_yaw_pitch_roll():
    model = read_urdf(base_joint('floating'))
    suffixes = ('x', 'y', 'z', 'yaw', 'pitch', 'roll')
    assert model.joint_names == tuple(f'free/{suffix}' for suffix in suffixes)
    assert set(model.frames) == {'world', 'body'}
    assert model.frames['body'].body == 5
    np.testing.assert_array_equal(model.inertias[:5], np.zeros((5, 6, 6)))
    q = np.array([1.0, 2.0, 3.0, 0.3, -0.5, 0.7])
    expected = HOME @ pose(rpy_rotation(0.7, -0.5, 0.3), q[:3])
    np.testing.assert_allclose(frame_poses(model, q)['body'], expected, atol=1e-15)


@pytest.mark.filterwarnings('error')
def test_planar_moves_in_the_plane_and_turns_about_its_normal():
    model = read_urdf(base_joint('planar', ORIGIN + '<axis xyz="0 0 2"/>'))
    assert model.joint_names == ('free/x', 'free/y', 'free/yaw')
    assert model.joint_types == ('prismatic', 'prismatic', 'continuous')
    q = np.array([1.0, 2.0, 0.3])
    expected = HOME @ pose(rpy_rotation(0, 0, 0.3), np.array([1.0, 2.0, 0.0]))
    np.testing.assert_allclose(frame_poses(model, q)['body'], expected, atol=1e-15)


@pytest.mark.parametrize('kind', ['planar', 'floating'])
def test_limits_without_a_single_unit_are_dropped(kind):
    limits = read_urdf(base_joint(kind, '<limit effort="3" velocity="2"/>')).limits
    assert np.isinf([limits.lower, limits.upper, limits.velocity, limits.effort]).all()


@pytest.mark.parametrize('axis', ['1 0 0', '0 -1 0', '1 2 3'])
def test_planar_axes_are_right_handed_about_any_normal(axis):
    screws = read_urdf(base_joint('planar', f'<axis xyz="{axis}"/>')).screws
    x, y, normal = screws[0, 3:], screws[1, 3:], screws[2, :3]
    np.testing.assert_allclose(np.cross(x, y), normal, atol=1e-15)
    raw = np.array([float(word) for word in axis.split()])
    np.testing.assert_allclose(normal, raw / np.linalg.norm(raw), atol=1e-15)


def test_parts_can_be_locked_and_selected_by_name():
    model = read_urdf(base_joint('planar', '<axis xyz="0 0 1"/>'), locked={'free/yaw': 0.5})
    assert model.joint_names == ('free/x', 'free/y')
    assert model.inertias[1, 3, 3] == 2.0
    model = read_urdf(base_joint('floating'), joints=['free/z'])
    assert model.joint_names == ('free/z',)

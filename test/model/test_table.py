# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import re

import numpy as np
import pytest
from oracles.random_models import random_model
from oracles.robots import bundled_urdfs

from screw_dynamics.lie import adjoint, exp_screw
from screw_dynamics.model import ScrewModel
from screw_dynamics.model.geometry import pitch_and_point, reference_poses
from screw_dynamics.model.urdf import read_urdf

BUNDLED = {path.stem: path for path in bundled_urdfs()}


@pytest.fixture(autouse=True)
def wide_terminal(monkeypatch):
    monkeypatch.setenv('COLUMNS', '200')


def test_the_table_of_the_planar_robot():
    assert str(read_urdf(BUNDLED['planar_2r'])).splitlines() == [
        "planar_2r: 2 coordinates, 2 bodies, base link 'world', gravity (0, 0, -9.81) m/s^2",
        'joint    type      link    on      screw    angular e   linear v      pitch  point',
        'joint_1  revolute  link_1  world   body     (0, 0, 1)   (0, 0, 0)     0      (0, 0, 0)',
        '                                   spatial  (0, -1, 0)  (0, 0, 0)     0      (0, 0, 0)',
        'joint_2  revolute  link_2  link_1  body     (0, 0, 1)   (0, 0, 0)     0      (0, 0, 0)',
        '                                   spatial  (0, -1, 0)  (0, 0, -0.5)  0      (0.5, 0, 0)',
    ]


def test_two_tables_where_one_is_too_wide(monkeypatch):
    monkeypatch.setenv('COLUMNS', '80')
    assert str(read_urdf(BUNDLED['planar_2r'])).splitlines() == [
        "planar_2r: 2 coordinates, 2 bodies, base link 'world',",
        'gravity (0, 0, -9.81) m/s^2',
        'joint    type      link    on',
        'joint_1  revolute  link_1  world',
        'joint_2  revolute  link_2  link_1',
        '',
        'joint    screw    angular e   linear v      pitch  point',
        'joint_1  body     (0, 0, 1)   (0, 0, 0)     0      (0, 0, 0)',
        '         spatial  (0, -1, 0)  (0, 0, 0)     0      (0, 0, 0)',
        'joint_2  body     (0, 0, 1)   (0, 0, 0)     0      (0, 0, 0)',
        '         spatial  (0, -1, 0)  (0, 0, -0.5)  0      (0.5, 0, 0)',
    ]


def test_mimic_and_prismatic_joints_in_the_table():
    text = str(read_urdf(BUNDLED['branched_gripper']))
    assert 'right_tip_joint = 8 left_finger_joint - 0.2  revolute' in text
    assert re.search(r'lift_joint +prismatic.* \(0, 0, 0\) +\(0, 0, 1\) +inf +-\n', text)


def test_helical_joints_show_their_pitch():
    screw = [0, 0, 1, 0.2, -0.1, 0.05]
    model = ScrewModel.from_screws([-1], [np.eye(4)], [screw], [np.eye(6)])
    row = str(model).splitlines()[2]
    assert (
        row.split('body ')[1].split() == '(0, 0, 1) (0.2, -0.1, 0.05) 0.05 (0.1, 0.2, 0)'.split()
    )
    assert repr(model) == "ScrewModel('robot', n=1, bodies=1)"


def test_a_robot_that_cannot_move_has_an_empty_table():
    lines = str(read_urdf('<robot name="rock"><link name="a"/></robot>')).splitlines()
    assert lines[0].startswith('rock: 0 coordinates, 0 bodies')
    assert len(lines) == 2


@pytest.mark.parametrize('count', [1, 6])
def test_spatial_screws_give_the_same_motion(rng, count):
    """C_n(q) = exp(Y_1 q_1) ... exp(Y_n q_n) A_n for a chain."""
    model = random_model(rng, count)
    q = rng.normal(size=count)
    left, right = np.eye(4), np.eye(4)
    for i in range(count):
        left = left @ exp_screw(model.spatial_screws[i], q[i])
        right = right @ model.home_poses[i] @ exp_screw(model.screws[i], q[i])
    np.testing.assert_allclose(left @ reference_poses(model)[-1], right, atol=1e-13)
    assert not model.spatial_screws.flags.writeable


def test_mimic_offsets_belong_to_the_reference_configuration():
    model = read_urdf(BUNDLED['branched_gripper'])
    tip = model.body_names.index('right_tip_link')
    finger = reference_poses(model)[model.parents[tip]]
    pose = finger @ model.home_poses[tip] @ exp_screw(model.screws[tip], -0.2)
    np.testing.assert_allclose(reference_poses(model)[tip], pose, atol=1e-16)
    np.testing.assert_allclose(
        model.spatial_screws[tip], adjoint(pose) @ model.screws[tip], atol=1e-15
    )


def test_pitch_and_point():
    axis = np.array([2.0, -1.0, 2.0]) / 3.0
    point = np.cross(axis, [0.3, 0.4, 0.5])  # orthogonal to the axis, so nearest to the origin
    screw = np.concatenate([axis, np.cross(point, axis) + 0.7 * axis])
    pitch, found = pitch_and_point(screw)
    assert pitch == pytest.approx(0.7, abs=1e-15)
    np.testing.assert_allclose(found, point, atol=1e-15)
    assert pitch_and_point(np.array([0.0, 0, 0, 0, 1, 0])) == (np.inf, None)

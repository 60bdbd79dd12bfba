# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The parameter joint_prefix: one of several robots in one description."""

from __future__ import annotations

import numpy as np
import pytest

from screw_dynamics import mass_matrix, read_urdf
from screw_dynamics.control.model_parameters import ModelParameters
from screw_dynamics.errors import InputError, ScrewDynamicsError
from screw_dynamics.nodes.shared.loaded_robot import load_robot

LINK = (
    '<link name="{0}"><inertial><mass value="{1}"/><origin xyz="0.3 0 0.1"/>'
    '<inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>'
)
JOINT = (
    '<joint name="{0}" type="revolute"><parent link="{1}"/><child link="{2}"/>'
    '<axis xyz="0 1 0"/><origin xyz="0.5 0 0"/>'
    '<limit lower="-1" upper="1" effort="1" velocity="1"/></joint>'
)


def cell(*arms):
    """Return a description with two-joint arms on a table."""
    parts = ['<link name="table"/>']
    for arm, mass in arms:
        parts += [LINK.format(f'{arm}upper', mass), LINK.format(f'{arm}lower', mass / 2)]
        parts += [
            JOINT.format(f'{arm}shoulder', 'table', f'{arm}upper'),
            JOINT.format(f'{arm}elbow', f'{arm}upper', f'{arm}lower'),
        ]
    return f'<robot name="cell">{"".join(parts)}</robot>'


TEXT = cell(('left_', 2.0), ('right_', 5.0))


def test_the_joints_that_begin_with_it():
    model = load_robot(TEXT, 'test', ModelParameters(joint_prefix='right_')).robot.model
    assert model.joint_names == ('right_shoulder', 'right_elbow')
    alone = read_urdf(cell(('right_', 5.0)))
    q = np.array([0.3, -0.4])
    np.testing.assert_allclose(mass_matrix(model, q), mass_matrix(alone, q), rtol=1e-12)


def test_before_the_names_in_joints():
    parameters = ModelParameters(joint_prefix='left_', joints=('elbow', 'shoulder'))
    assert load_robot(TEXT, 'test', parameters).robot.model.joint_names == (
        'left_elbow',
        'left_shoulder',
    )


def test_no_joint_begins_with_it():
    with pytest.raises(InputError, match="'joint_prefix': .* left_elbow.*, got 'middle_'"):
        load_robot(TEXT, 'test', ModelParameters(joint_prefix='middle_'))
    with pytest.raises(ScrewDynamicsError, match='middle_elbow'):
        load_robot(TEXT, 'test', ModelParameters(joint_prefix='middle_', joints=('elbow',)))

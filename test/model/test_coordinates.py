# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Joints and limits of the coordinates of a model."""

from dataclasses import replace

import numpy as np
import pytest

import screw_dynamics as sd
from screw_dynamics.errors import UnknownNameError
from screw_dynamics.model import JointLimits


def gripper():
    return sd.read_urdf(sd.share_path('urdf/branched_gripper.urdf'))


def test_the_joint_of_a_coordinate_has_its_name():
    model = gripper()
    assert model.body_count > model.n
    names = [model.tree_joint_names[i] for i in model.joint_of_coordinate]
    assert names == list(model.joint_names)
    types = dict(zip(model.tree_joint_names, model.joint_types, strict=True))
    assert model.coordinate_types == tuple(types[name] for name in model.joint_names)


def test_without_such_a_joint_it_is_the_first_that_mimics_the_coordinate():
    model = gripper()
    followed = next(j for j in range(model.n) if (model.coordinates == j).sum() > 1)
    names = list(model.joint_names)
    names[followed] = 'opening'
    renamed = replace(model, joint_names=tuple(names))
    first = int(np.flatnonzero(model.coordinates == followed)[0])
    assert renamed.joint_of_coordinate[followed] == first
    assert renamed.coordinate_types[followed] == model.joint_types[first]


def test_limits_of_velocity_and_effort_that_are_zero_are_ignored():
    zero = np.zeros(2)
    limits = JointLimits(zero, zero, np.array([0.0, 2.0]), np.array([3.0, -0.0]))
    kept = limits.ignoring_zeros()
    assert kept.velocity.tolist() == [np.inf, 2.0]
    assert kept.effort.tolist() == [3.0, np.inf]
    assert kept.lower.tolist() == kept.upper.tolist() == [0.0, 0.0]


def test_index_and_drawn_configurations():
    model = gripper()
    assert [model.index(name) for name in model.joint_names] == list(range(model.n))
    with pytest.raises(UnknownNameError, match="unknown joint 'wrst'"):
        model.index('wrst')
    drawn = model.random_configuration(200, seed=0)
    assert drawn.shape == (200, model.n)
    assert (drawn == model.random_configuration(200, seed=0)).all()
    reach = np.where(np.array(model.coordinate_types) == 'prismatic', 0.5, np.pi)
    lower = np.where(np.isfinite(model.limits.lower), model.limits.lower, -reach)
    upper = np.where(np.isfinite(model.limits.upper), model.limits.upper, reach)
    assert ((lower <= drawn) & (drawn <= upper)).all()
    # 200 even draws leave no tenth of the range empty: 10 n 0.9^200 is below 1e-7
    parts = np.floor(10 * (drawn - lower) / (upper - lower)).astype(int)
    assert all(set(column) == set(range(10)) for column in parts.T)
    far = replace(model.limits, lower=np.full(model.n, 9.0), upper=np.full(model.n, np.inf))
    assert (replace(model, limits=far).random_configuration(50) >= 9.0).all()

# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Geometry given with a few digits becomes exact; exact geometry is not changed."""

from __future__ import annotations

import numpy as np
from oracles.random_models import BodyRecipe, random_model

import screw_dynamics as sd


def test_nine_digits_are_normalised_and_kept_from_then_on():
    typed = np.array([0.577350269, 0.577350269, 0.577350269, 0.0, 0.0, 0.0])
    model = sd.ScrewModel.from_screws([-1], [np.eye(4)], [typed], [np.eye(6)])
    assert abs(np.linalg.norm(model.screws[0, :3]) - 1.0) <= 2.3e-16
    again = sd.ScrewModel.from_screws([-1], [np.eye(4)], model.screws, [np.eye(6)])
    assert (again.screws == model.screws).all()


def test_a_prismatic_axis_is_normalised_too():
    typed = np.array([0.0, 0.0, 0.0, 0.6000000001, 0.8, 0.0])
    model = sd.ScrewModel.from_screws([-1], [np.eye(4)], [typed], [np.eye(6)])
    assert abs(np.linalg.norm(model.screws[0, 3:]) - 1.0) <= 2.3e-16


def test_methods_agree_on_poses_and_inertias_typed_with_ten_digits(rng):
    source = random_model(rng, [BodyRecipe(parent_back=1)] * 5)
    poses = source.home_poses.copy()
    poses[:, :3, :3] = np.round(poses[:, :3, :3], 10)
    inertias = source.inertias.copy()
    inertias[:, 0, 1] *= 1.0 + 1e-11
    model = sd.ScrewModel.from_screws(source.parents, poses, source.screws, inertias)
    rotations = model.home_poses[:, :3, :3]
    np.testing.assert_allclose(
        rotations.transpose(0, 2, 1) @ rotations, [np.eye(3)] * 5, rtol=0.0, atol=1e-15
    )
    np.testing.assert_allclose(rotations, poses[:, :3, :3], rtol=0.0, atol=3e-10)
    jet = rng.normal(size=(5, 5))
    expected = sd.recursive_body_fixed(model, jet)
    difference = np.abs(sd.inverse_dynamics(model, jet) - expected).max(axis=1)
    assert (difference <= 1e-13 * np.abs(expected).max(axis=1)).all()
    again = sd.ScrewModel.from_yaml(model.to_yaml())
    assert (again.home_poses == model.home_poses).all()
    assert (again.inertias == model.inertias).all()

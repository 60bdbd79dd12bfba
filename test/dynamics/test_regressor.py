# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Regressors of the inertia parameters against the theory, inverse dynamics and Pinocchio."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles.comparison import assert_agrees
from oracles.high_precision import reference_efforts
from oracles.random_models import BodyRecipe, random_joint_jet, random_model
from oracles.strategies import joint_jets, models

import screw_dynamics as sd
from screw_dynamics.errors import InputError, NotFiniteError, ShapeError
from screw_dynamics.theory.sensitivities import regressors

TREE = [
    BodyRecipe('revolute'),
    BodyRecipe('helical'),
    BodyRecipe('prismatic', mimics=0),
    BodyRecipe('revolute', parent_back=2),
]


def assert_close(got, expected, tolerance=1e-12):
    size = np.abs(expected).max(initial=1e-30)
    np.testing.assert_allclose(got, expected, rtol=0, atol=tolerance * size)


@given(data=st.data(), order=st.integers(0, 5))
def test_efforts_of_random_trees(data, order):
    model = data.draw(models(scales=False, max_bodies=6))
    jet = data.draw(joint_jets(model.n, order))
    efforts = sd.regressor(model, jet) @ sd.inertial_parameters(model)
    assert_agrees(efforts, reference_efforts(model, jet))


@pytest.mark.parametrize('order', range(6))
def test_every_column(order, rng):
    model = random_model(rng, TREE)
    jet = random_joint_jet(rng, model.n, order)
    expected = regressors.regressor(model, jet)
    for got, rows in zip(sd.regressor(model, jet), expected, strict=True):
        assert_close(got, rows)


def test_parameters_of_another_robot(rng):
    model, other = random_model(rng, TREE), random_model(rng, TREE)
    other = replace(model, inertias=other.inertias)
    jet = random_joint_jet(rng, model.n, 2)
    efforts = sd.regressor(model, jet) @ sd.inertial_parameters(other)
    assert_close(efforts, sd.inverse_dynamics(other, jet))


def test_pinocchio(rng):
    pinocchio = pytest.importorskip('pinocchio')
    path = sd.share_path('urdf/iiwa14.urdf')
    model, robot = sd.read_urdf(path), pinocchio.buildModelFromUrdf(str(path))
    data = robot.createData()
    jet = random_joint_jet(rng, model.n, 0)
    expected = pinocchio.computeJointTorqueRegressor(robot, data, *jet)
    assert_close(sd.regressor(model, jet)[0], expected)
    parameters = [inertia.toDynamicParameters() for inertia in list(robot.inertias)[1:]]
    assert_close(sd.inertial_parameters(model), np.concatenate(parameters))


def test_batches(rng):
    model = random_model(rng, TREE)
    jets = np.stack([[random_joint_jet(rng, model.n, 1) for _ in range(3)] for _ in range(2)])
    matrices = sd.regressor(model, jets)
    assert matrices.shape == (2, 3, 2, model.n, 40)
    np.testing.assert_array_equal(matrices[1, 2], sd.regressor(model, jets[1, 2]))


def test_bad_arguments(rng):
    model = random_model(rng, 2)
    with pytest.raises(ShapeError, match=r'joint_jet: expected shape .*k \+ 3, 2'):
        sd.regressor(model, np.zeros((2, 2)))
    with pytest.raises(NotFiniteError, match='joint_jet'):
        sd.regressor(model, np.full((3, 2), np.nan))
    with pytest.raises(InputError, match='model: expected a ScrewModel'):
        sd.regressor('robot', np.zeros((3, 2)))
    with pytest.raises(InputError, match='model: expected a ScrewModel'):
        sd.inertial_parameters('robot')

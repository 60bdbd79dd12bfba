# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Products of derivatives with vectors, without a library that differentiates."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles.random_models import BodyRecipe, random_model
from oracles.strategies import models, seeds

import screw_dynamics as sd
from screw_dynamics.bridges.derivatives import Accelerations, Efforts, Pose

# the matrices are sums of the same products in another order, of up to 10 bodies and 4 orders
ROUNDING = 1e-11
TREE = [
    BodyRecipe(),
    BodyRecipe('prismatic'),
    BodyRecipe('helical', parent_back=2),
    BodyRecipe(mimics=0, parent_back=2),
    BodyRecipe(parent_back=9),
]


def assert_close(got, expected, loads=0.0):
    bound = ROUNDING * max(np.abs(expected).max(initial=0.0), loads)
    assert np.abs(got - expected).max(initial=0.0) <= bound


@given(data=st.data(), order=st.integers(0, 4), seed=seeds)
def test_products_are_those_of_the_matrices_of_all_orders(data, order, seed):
    model, rng = data.draw(models(scales=False)), np.random.default_rng(seed)
    jet, direction = rng.normal(size=(2, 3, order + 3, model.n))
    covector = rng.normal(size=(3, order + 1, model.n))
    matrices = sd.effort_partials(model, jet)
    loads = np.abs(matrices).max(initial=0.0)
    operation = Efforts(model)
    change = np.einsum('tdrij,trj->tdi', matrices, direction)
    assert_close(operation.change(jet, direction), change, loads)
    expected = np.einsum('tdrij,tdi->trj', matrices, covector)
    assert_close(operation.covectors(jet, covector)[0], expected, loads)


def test_accelerations_have_the_matrices_of_forward_dynamics():
    model, rng = random_model(np.random.default_rng(1), TREE), np.random.default_rng(2)
    q, qd, tau, *directions = rng.normal(size=(6, 4, model.n))
    covector = rng.normal(size=(4, model.n))
    matrices = sd.forward_dynamics_partials(model, q, qd, tau)
    pairs = zip(matrices, directions, strict=True)
    expected = sum(np.einsum('tij,tj->ti', matrix, one) for matrix, one in pairs)
    assert_close(Accelerations(model).change(q, qd, tau, *directions), expected)
    covectors = Accelerations(model).covectors(q, qd, tau, covector)
    for got, matrix in zip(covectors, matrices, strict=True):
        assert_close(got, np.einsum('tij,ti->tj', matrix, covector))


@pytest.mark.parametrize('shared', [True, False])
def test_parameters_of_bodies_are_those_of_a_robot_with_such_bodies(shared):
    model, rng = random_model(np.random.default_rng(1), TREE), np.random.default_rng(2)
    others = [random_model(np.random.default_rng(1), TREE), model]
    drawn = random_model(np.random.default_rng(3), TREE).inertias
    others[0] = replace(model, inertias=drawn)
    if shared:
        others[1] = others[0]
    parameters = np.array([sd.inertial_parameters(other) for other in others])
    jet = rng.normal(size=(2, 5, model.n))
    got = Efforts(model).value(jet, parameters)
    q, qd, tau = rng.normal(size=(3, 2, model.n))
    accelerations = Accelerations(model).value(q, qd, tau, parameters)
    for t, other in enumerate(others):
        assert_close(got[t], sd.inverse_dynamics(other, jet[t]))
        assert_close(accelerations[t], sd.forward_dynamics(other, q[t], qd[t], tau[t]))


def test_changes_by_parameters_and_of_poses_are_those_of_differences():
    """Central differences, whose error is about 1e-10 of the values."""
    model, rng = random_model(np.random.default_rng(1), TREE), np.random.default_rng(2)
    parameters = np.tile(sd.inertial_parameters(model), (2, 1))
    jet, step = rng.normal(size=(2, 4, model.n)), 1e-5
    q, qd, tau = rng.normal(size=(3, 2, model.n))
    for operation, arrays in (
        (Efforts(model), (jet, parameters)),
        (Accelerations(model), (q, qd, tau, parameters)),
        (Pose(model, 'tool_3'), (q,)),
    ):
        directions = [rng.normal(size=array.shape) for array in arrays]
        ends = [
            operation.value(
                *(x + sign * step * d for x, d in zip(arrays, directions, strict=True))
            )
            for sign in (1.0, -1.0)
        ]
        expected = (ends[0] - ends[1]) / (2.0 * step)
        change = operation.change(*arrays, *directions)
        assert np.abs(change - expected).max() <= 1e-7 * np.abs(expected).max()
        covector = rng.normal(size=change.shape)
        covectors = operation.covectors(*arrays, covector)
        products = [np.vdot(x, d) for x, d in zip(covectors, directions, strict=True)]
        assert sum(products) == pytest.approx(np.vdot(covector, change), rel=1e-11)


def test_errors_name_arguments():
    model = random_model(np.random.default_rng(1), TREE)
    for operation, shapes, text in (
        (Efforts(model), [(2, 4)], r'joint_jet: expected shape \(\.\.\., k \+ 3, 4\), got \(2, 4'),
        (Efforts(model), [(3, 5)], r'joint_jet: expected shape \(\.\.\., k \+ 3, 4\), got \(3, 5'),
        (Efforts(model), [(3, 4), (10,)], r'parameters: expected shape \(\.\.\., 50\), got'),
        (Accelerations(model), [(4,), (3,), (4,)], r'qd: expected shape \(\.\.\., 4\), got'),
    ):
        with pytest.raises(sd.errors.ShapeError, match=text):
            operation.batch_shapes(*shapes)
    for operation, values, text in (
        (Efforts(model), (None, None), 'joint_jet: expected real numbers, got None'),
        (Efforts(model), ([[1.0], []], None), r'joint_jet: .* got \[\[1\.0\], \[\]\]'),
        (Efforts(model), (np.ones((3, 4)), 'x'), "parameters: expected real numbers, got 'x'"),
        (Accelerations(model), (np.ones(4), None, np.ones(4), None), 'qd: .* got None'),
    ):
        with pytest.raises(sd.errors.InputError, match=text):
            operation.arguments(lambda value: np.asarray(value, dtype=float), values)
    with pytest.raises(sd.errors.UnknownNameError, match="frame 'hand'"):
        Pose(model, 'hand').shape((4,))
    with pytest.raises(sd.errors.NotFiniteError, match=r'joint_jet\[0, 1, 2\]'):
        jet = np.zeros((1, 3, 4))
        jet[0, 1, 2] = np.nan
        Efforts(model).change(jet, 0.0 * np.ones((1, 3, 4)))
    with pytest.raises(sd.errors.InputError, match='expected a ScrewModel'):
        Efforts('arm')

# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The kernel against 60-digit arithmetic on random, also degenerate, trees."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from oracles.comparison import assert_agrees
from oracles.high_precision import reference_efforts
from oracles.random_models import BodyRecipe, random_joint_jet, random_model, random_wrench_jets
from oracles.strategies import joint_jets, models, seeds

import screw_dynamics as sd

MIXED_TREE = [
    BodyRecipe('revolute'),
    BodyRecipe('helical'),
    BodyRecipe('prismatic'),
    BodyRecipe('revolute', parent_back=2),
    BodyRecipe('helical', mimics=0),
    BodyRecipe('revolute', parent_back=3, mimics=2),
    BodyRecipe('prismatic', parent_back=100),
]


@given(data=st.data(), order=st.integers(0, 4), seed=seeds)
def test_random_trees(data: st.DataObject, order: int, seed: int) -> None:
    model = data.draw(models())
    jet = data.draw(joint_jets(model.n, order))
    assert_agrees(sd.inverse_dynamics(model, jet), reference_efforts(model, jet))
    # of forces and torques that are not small beside the weight
    model = data.draw(models(scales=False))
    jet = data.draw(joint_jets(model.n, order))
    wrenches = random_wrench_jets(np.random.default_rng(seed), model, order)
    loaded = sd.inverse_dynamics(model, jet, wrenches)
    assert_agrees(loaded, reference_efforts(model, jet, wrenches))


def test_batch(rng: np.random.Generator) -> None:
    model = random_model(rng, MIXED_TREE)
    jets = random_joint_jet(rng, model.n, 2, samples=5)
    wrenches = random_wrench_jets(rng, model, 2, samples=5)
    got = sd.inverse_dynamics(model, jets, wrenches)
    for t, efforts in enumerate(got):
        sample = {name: wrench[t] for name, wrench in wrenches.items()}
        assert_agrees(efforts, reference_efforts(model, jets[t], sample))


def test_high_orders(rng: np.random.Generator) -> None:
    model = random_model(rng, MIXED_TREE)
    jet = random_joint_jet(rng, model.n, 8)
    assert_agrees(sd.inverse_dynamics(model, jet), reference_efforts(model, jet))


def test_long_chain(rng: np.random.Generator) -> None:
    model = random_model(rng, 100)
    jet = random_joint_jet(rng, model.n, 2)
    assert_agrees(sd.inverse_dynamics(model, jet), reference_efforts(model, jet))


def test_wrench_on_the_base_needs_no_effort(rng: np.random.Generator) -> None:
    model = random_model(rng, MIXED_TREE)
    jet = random_joint_jet(rng, model.n, 2)
    loaded = sd.inverse_dynamics(model, jet, {'base': 1e3 * rng.normal(size=(3, 6))})
    np.testing.assert_array_equal(loaded, sd.inverse_dynamics(model, jet))


def test_point_force_needs_minus_jacobian_transpose() -> None:
    """A force ON the tip along the motion takes work off the joint: Q = -J^T W."""
    model = sd.ScrewModel.from_screws(
        [-1], [np.eye(4)], [[0, 0, 1, 0, 0, 0]], [np.zeros((6, 6))], (0.0, 0.0, 0.0)
    )
    torque_and_force = np.array([[0.0, 0.0, 2.0, 0.0, 5.0, 0.0]])
    got = sd.inverse_dynamics(model, np.zeros((3, 1)), {'body_1': torque_and_force})
    np.testing.assert_allclose(got, [[-2.0]], atol=1e-15)

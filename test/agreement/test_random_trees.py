# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Kernel and KM2021 recursion against 60-digit arithmetic on random, also degenerate, trees."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles.comparison import assert_agrees
from oracles.high_precision import reference_efforts
from oracles.random_models import BodyRecipe, random_joint_jet, random_model, random_wrench_jets
from oracles.strategies import joint_jets, models, seeds

import screw_dynamics as sd
from screw_dynamics.theory.inverse_dynamics.body_fixed import recursive_body_fixed

MIXED_TREE = [
    BodyRecipe('revolute'),
    BodyRecipe('helical'),
    BodyRecipe('prismatic'),
    BodyRecipe('revolute', parent_back=2),
    BodyRecipe('helical', mimics=0),
    BodyRecipe('revolute', parent_back=3, mimics=2),
    BodyRecipe('prismatic', parent_back=100),
]

implementations = pytest.mark.parametrize('efforts', [sd.inverse_dynamics, recursive_body_fixed])


@implementations
@given(data=st.data(), order=st.integers(0, 4))
def test_random_trees(efforts: Callable[..., Any], data: st.DataObject, order: int) -> None:
    model = data.draw(models())
    jet = data.draw(joint_jets(model.n, order))
    assert_agrees(efforts(model, jet), reference_efforts(model, jet))


@implementations
@given(data=st.data(), order=st.integers(0, 4), seed=seeds)
def test_random_wrenches(
    efforts: Callable[..., Any], data: st.DataObject, order: int, seed: int
) -> None:
    model = data.draw(models(scales=False))
    jet = data.draw(joint_jets(model.n, order))
    wrenches = random_wrench_jets(np.random.default_rng(seed), model, order)
    assert_agrees(efforts(model, jet, wrenches), reference_efforts(model, jet, wrenches))


@implementations
@pytest.mark.parametrize('samples', [1, 4, 9])
@pytest.mark.parametrize('order', [0, 2])
def test_batch(
    efforts: Callable[..., Any], samples: int, order: int, rng: np.random.Generator
) -> None:
    model = random_model(rng, MIXED_TREE)
    jets = random_joint_jet(rng, model.n, order, samples=samples)
    wrenches = random_wrench_jets(rng, model, order, samples=samples)
    got = efforts(model, jets, wrenches)
    for t in range(samples):
        sample = {name: wrench[t] for name, wrench in wrenches.items()}
        assert_agrees(got[t], reference_efforts(model, jets[t], sample))


@implementations
@pytest.mark.parametrize('order', [5, 8])
def test_high_orders(efforts: Callable[..., Any], order: int, rng: np.random.Generator) -> None:
    model = random_model(rng, MIXED_TREE)
    jet = random_joint_jet(rng, model.n, order)
    assert_agrees(efforts(model, jet), reference_efforts(model, jet))


@implementations
def test_long_chain(efforts: Callable[..., Any], rng: np.random.Generator) -> None:
    model = random_model(rng, 100)
    jet = random_joint_jet(rng, model.n, 4)
    assert_agrees(efforts(model, jet), reference_efforts(model, jet))


@implementations
def test_wrench_on_the_base_needs_no_effort(
    efforts: Callable[..., Any], rng: np.random.Generator
) -> None:
    model = random_model(rng, MIXED_TREE)
    jet = random_joint_jet(rng, model.n, 2)
    loaded = efforts(model, jet, {'base': 1e3 * rng.normal(size=(3, 6))})
    assert_agrees(loaded, reference_efforts(model, jet))


@implementations
def test_point_force_needs_minus_jacobian_transpose(efforts: Callable[..., Any]) -> None:
    """A force ON the tip along the motion takes work off the joint: Q = -J^T W."""
    model = sd.ScrewModel.from_screws(
        [-1], [np.eye(4)], [[0, 0, 1, 0, 0, 0]], [np.zeros((6, 6))], (0.0, 0.0, 0.0)
    )
    torque_and_force = np.array([[0.0, 0.0, 2.0, 0.0, 5.0, 0.0]])
    got = efforts(model, np.zeros((3, 1)), {'body_1': torque_and_force})
    np.testing.assert_allclose(got, [[-2.0]], atol=1e-15)

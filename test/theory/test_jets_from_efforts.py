# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Joint jets from efforts: the way back of inverse dynamics, and articulated bodies."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from oracles.random_models import (
    BodyRecipe,
    random_joint_jet,
    random_model,
    random_wrench_jets,
)
from oracles.strategies import joint_jets, models

import screw_dynamics as sd
from screw_dynamics.errors import InputError, ShapeError
from screw_dynamics.theory.forward_dynamics import any_order, articulated_body


@given(data=st.data(), order=st.integers(0, 5))
def test_the_way_back_of_inverse_dynamics(data, order):
    """Efforts of the jet that efforts cause are those efforts."""
    model = data.draw(models(scales=False, max_bodies=5))
    jet = data.draw(joint_jets(model.n, order))
    mass = sd.mass_matrix(model, jet[0])
    condition = np.linalg.cond(mass)
    assume(condition < 1e3)
    efforts = sd.inverse_dynamics(model, jet)
    weight = np.abs(model.gravity).max() * np.abs(model.inertias).max() * model.body_count
    got = any_order.forward_dynamics(model, jet[0], jet[1], efforts)
    again = sd.inverse_dynamics(model, got)
    for k, row in enumerate(efforts):
        # the errors of every order enter those above it
        size = weight + np.abs(efforts[: k + 1]).max()
        size += np.abs(mass).max() * np.abs(jet[: k + 3]).max()
        np.testing.assert_allclose(again[k], row, rtol=0, atol=1e-12 * size * 30.0**k * condition)


def test_wrenches_on_the_bodies(rng):
    model = random_model(rng, [BodyRecipe(), BodyRecipe('helical'), BodyRecipe(mimics=0)])
    jet = random_joint_jet(rng, model.n, 3)
    wrenches = random_wrench_jets(rng, model, 3)
    efforts = sd.inverse_dynamics(model, jet, wrenches)
    got = any_order.forward_dynamics(model, jet[0], jet[1], efforts, wrenches)
    np.testing.assert_allclose(got, jet, rtol=1e-9, atol=1e-9)


@given(data=st.data())
def test_articulated_bodies(data):
    model = data.draw(models(scales=False, mimic=False))
    jet = data.draw(joint_jets(model.n, 0))
    mass = sd.mass_matrix(model, jet[0])
    assume(np.linalg.cond(mass) < 1e6)
    efforts = sd.inverse_dynamics(model, jet)[0]
    got = articulated_body.forward_dynamics(model, jet[0], jet[1], efforts)
    size = np.abs(efforts).max() + np.abs(mass).max() * np.abs(jet).max() ** 2
    size += np.abs(model.gravity).max() * np.abs(model.inertias).max() * model.body_count
    np.testing.assert_allclose(mass @ (got - jet[2]), 0.0, rtol=0, atol=1e-11 * size)


def test_what_cannot_be_used_is_named(rng):
    model = random_model(rng, [BodyRecipe(), BodyRecipe(mimics=0)])
    with pytest.raises(InputError, match='model: expected one without mimic joints'):
        articulated_body.forward_dynamics(model, [0.0], [0.0], [0.0])
    with pytest.raises(ShapeError, match=r'effort_jet: expected shape \(k \+ 1, 1\), got \(1,\)'):
        any_order.forward_dynamics(model, [0.0], [0.0], [0.0])
    with pytest.raises(ShapeError, match=r'qd: expected shape \(1,\), got \(2,\)'):
        any_order.forward_dynamics(model, [0.0], [0.0, 1.0], [[0.0]])
    chain = random_model(rng, 3)
    with pytest.raises(ShapeError, match=r'efforts: expected shape \(3,\), got \(5,\)'):
        articulated_body.forward_dynamics(chain, np.zeros(3), np.zeros(3), np.zeros(5))
    with pytest.raises(ShapeError, match=r'q: expected shape \(3,\), got \(2,\)'):
        articulated_body.forward_dynamics(chain, np.zeros(2), np.zeros(3), np.zeros(3))

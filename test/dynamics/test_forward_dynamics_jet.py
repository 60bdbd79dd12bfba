# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Joint jets caused by effort jets: against 60 digits, the readable form, and motions."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from oracles.high_precision import reference_efforts
from oracles.random_models import BodyRecipe, random_model, random_wrench_jets
from oracles.strategies import models, seeds

import screw_dynamics as sd
from screw_dynamics.errors import (
    InputError,
    NotFiniteError,
    ScrewDynamicsError,
    ShapeError,
    SingularMassMatrixError,
)
from screw_dynamics.theory.forward_dynamics import any_order


@settings(max_examples=25)
@given(models(max_bodies=5, scales=False), seeds, st.integers(0, 5))
def test_the_jet_has_these_efforts(model, seed, order):
    """The residual in 60 digits is rounding; it does not grow with the condition number."""
    rng = np.random.default_rng(seed)
    q, qd = rng.normal(size=(2, model.n))
    efforts = rng.normal(size=(order + 1, model.n))
    try:
        jet = sd.forward_dynamics_jet(model, q, qd, efforts)
    except SingularMassMatrixError:
        assume(False)
    np.testing.assert_array_equal(jet[:2], [q, qd])
    reference = reference_efforts(model, jet)
    mass = np.abs(sd.mass_matrix(model, q))
    for d, row in enumerate(efforts):
        size = reference.scale[d] + (mass @ np.abs(jet[d + 2])).max() + np.abs(row).max()
        np.testing.assert_allclose(reference.efforts[d], row, rtol=0.0, atol=1e-12 * size)


# beyond order 3 the bound would exceed many values; the test above has no such bound
@settings(max_examples=25)
@given(models(max_bodies=6, scales=False), seeds, st.integers(0, 3))
def test_agrees_with_the_readable_form(model, seed, order):
    rng = np.random.default_rng(seed)
    q, qd = rng.normal(size=(2, model.n))
    efforts = rng.normal(size=(order + 1, model.n))
    mass = sd.mass_matrix(model, q)
    assume(np.linalg.cond(mass) < 1e4)
    jet = sd.forward_dynamics_jet(model, q, qd, efforts)
    expected = any_order.forward_dynamics(model, q, qd, efforts)
    # rounding of the loads of bodies (with levers of order 1) over the inertia; errors of every
    # order enter those above it, times rates
    load = np.abs(model.inertias).max() * model.body_count
    error = 1e-12 * np.linalg.norm(np.linalg.inv(mass), 2)
    speed = 1.0 + np.abs(qd).max()
    for d in range(order + 3):
        size = load * (np.abs(model.gravity).max() + np.abs(expected[: d + 1]).max() * speed**2)
        size += np.abs(efforts).max()
        bound = error * size * (8.0 * speed) ** d
        np.testing.assert_allclose(jet[d], expected[d], rtol=0.0, atol=bound)


@pytest.mark.parametrize('samples', [None, 3])
def test_wrenches_and_batches(rng, samples):
    recipes = [BodyRecipe(), BodyRecipe('prismatic'), BodyRecipe('helical', parent_back=2)]
    model = random_model(rng, recipes)
    jets = rng.normal(size=(*([] if samples is None else [samples]), 5, model.n))
    wrenches = random_wrench_jets(rng, model, 2)
    efforts = sd.inverse_dynamics(model, jets, wrenches)
    q, qd = jets[..., 0, :], jets[..., 1, :]
    got = sd.forward_dynamics_jet(model, q, qd, efforts, wrenches)
    assert got.shape == jets.shape
    condition = np.linalg.cond(sd.mass_matrix(model, q)).max()
    np.testing.assert_allclose(got, jets, rtol=0.0, atol=1e-12 * condition * np.abs(jets).max())


def test_a_pendulum_that_falls():
    """q'' = -sin(q) g / l, and so q''' = -cos(q) q' g / l."""
    rod = sd.lie.inertia_matrix(2.0, np.array([0.0, 0.0, -0.5]), np.zeros((3, 3)))
    turn = [0.0, -1.0, 0.0, 0.0, 0.0, 0.0]
    pendulum = sd.ScrewModel.from_screws([-1], [np.eye(4)], [turn], [rod])
    jet = sd.forward_dynamics_jet(pendulum, [0.3], [2.0], np.zeros((3, 1)))[:, 0]
    rate = 9.81 / 0.5
    expected = [-rate * np.sin(0.3), -rate * np.cos(0.3) * 2.0]
    expected.append(rate * (np.sin(0.3) * 4.0 + np.cos(0.3) * rate * np.sin(0.3)))
    np.testing.assert_allclose(jet[2:], expected, rtol=1e-14)


def test_errors_name_the_argument(rng):
    model = random_model(rng, 2)
    with pytest.raises(ShapeError, match=r'effort_jet: expected shape \(k \+ 1, 2\).*\(2,\)'):
        sd.forward_dynamics_jet(model, [0.0] * 2, [0.0] * 2, [0.0] * 2)
    with pytest.raises(ShapeError, match=r'effort_jet: expected shape \(3, k \+ 1, 2\)'):
        sd.forward_dynamics_jet(model, np.zeros((3, 2)), np.zeros((3, 2)), np.zeros((4, 1, 2)))
    with pytest.raises(ShapeError):
        sd.forward_dynamics_jet(model, [0.0] * 2, [0.0] * 2, np.zeros((0, 2)))
    with pytest.raises(NotFiniteError, match=r'effort_jet\[1, 0\]'):
        sd.forward_dynamics_jet(model, [0.0] * 2, [0.0] * 2, [[0.0] * 2, [np.inf, 0.0]])
    with pytest.raises(NotFiniteError, match=r'qd\[1\]|joint_jet'):
        sd.forward_dynamics_jet(model, [0.0] * 2, [0.0, np.nan], np.zeros((1, 2)))
    with pytest.raises(ScrewDynamicsError):
        sd.forward_dynamics_jet(model, [0.0] * 2, [1e200] * 2, np.zeros((1, 2)))
    with pytest.raises(InputError):
        sd.forward_dynamics_jet(model, [0.0] * 2, [0.0] * 2, [['a', 'b']])

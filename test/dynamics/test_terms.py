# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Mass matrix, Coriolis matrix, gravity and bias forces against closed forms."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from oracles import closed_form
from oracles.random_models import random_model
from oracles.strategies import models, seeds

from screw_dynamics import ScrewModel
from screw_dynamics.dynamics.bias_forces import bias_forces
from screw_dynamics.dynamics.coriolis_matrix import coriolis_matrix
from screw_dynamics.dynamics.gravity_forces import gravity_forces
from screw_dynamics.dynamics.mass_matrix import mass_matrix

# Both sides sum products of a few dozen rounded terms: some 1e-14 of the size of the terms.
MASS_ROUNDING = 1e-13


@given(models(), seeds)
def test_equals_the_closed_form(model, seed):
    q = np.random.default_rng(seed).normal(size=model.n)
    difference = np.abs(mass_matrix(model, q) - closed_form.mass_matrix(model, q))
    assert difference.max() <= MASS_ROUNDING * closed_form.mass_matrix_scale(model, q)


@given(models(), seeds, st.integers(0, 3))
def test_is_exactly_symmetric_and_a_batch_is_its_samples_to_rounding(model, seed, samples):
    q = np.random.default_rng(seed).normal(size=(samples, model.n))
    matrices = mass_matrix(model, q)
    assert matrices.shape == (samples, model.n, model.n)
    np.testing.assert_array_equal(matrices, matrices.swapaxes(1, 2))
    for matrix, sample in zip(matrices, q, strict=True):
        one = mass_matrix(model, sample)
        np.testing.assert_array_equal(one, one.T)
        # one sample is compiled apart, with other products fused into sums
        scale = closed_form.mass_matrix_scale(model, sample)
        np.testing.assert_allclose(matrix, one, rtol=0.0, atol=MASS_ROUNDING * scale)


def test_far_from_the_base_loses_no_digits(rng):
    near = random_model(rng, 4)
    homes = near.home_poses.copy()
    # a power of two, so that the far home pose itself is exact
    homes[0, :3, 3] = [2.0**30, -(2.0**30), 2.0**30]
    far = ScrewModel.from_screws(near.parents, homes, near.screws, near.inertias)
    q = rng.normal(size=4)
    np.testing.assert_allclose(mass_matrix(far, q), mass_matrix(near, q), rtol=1e-14)


def test_of_a_robot_without_joints_is_empty():
    model = ScrewModel.from_screws([], np.zeros((0, 4, 4)), np.zeros((0, 6)), np.zeros((0, 6, 6)))
    assert mass_matrix(model, []).shape == (0, 0)
    assert mass_matrix(model, np.zeros((3, 0))).shape == (3, 0, 0)


# See test_terms.py; the reference adds some rounding of its own, as it sums n products.
ROUNDING = 1e-12


def _state(model, seed):
    return np.random.default_rng(seed).normal(size=(2, model.n))


def _bound(model, q, qd):
    # C is M' along one joint at a time: angles are of order 1, lengths are in the mass matrix,
    # and sliding joints contribute their speed over the length that they reach
    scale = closed_form.mass_matrix_scale(model, q)
    gradient = np.abs(closed_form.mass_matrix_gradient(model, q)).max()
    return ROUNDING * max(scale, gradient) * np.abs(qd).sum()


@given(models(max_bodies=6), seeds)
def test_consists_of_the_christoffel_symbols(model, seed):
    q, qd = _state(model, seed)
    expected = closed_form.christoffel_coriolis_matrix(model, q, qd)
    difference = np.abs(coriolis_matrix(model, q, qd) - expected)
    assert difference.max() <= _bound(model, q, qd)


def _weight_scale(model, q):
    """Return the largest generalized force that the weight of any body alone can cause."""
    jacobian = closed_form.system_jacobian(model, q).reshape(model.body_count, 6, model.n)
    moments = np.abs(model.inertias[:, :, 3:]).max(axis=2, initial=0.0)
    forces = np.einsum('iaj,ia->j', np.abs(jacobian), moments)
    return np.abs(model.gravity).sum() * forces.max(initial=0.0)


@given(models(), seeds)
def test_gravity_forces_are_the_gradient_of_the_potential(model, seed):
    q = np.random.default_rng(seed).normal(size=model.n)
    difference = np.abs(gravity_forces(model, q) - closed_form.gravity_forces(model, q))
    # far heavy branches make the potential itself large, and its gradient rounds with it
    assert difference.max() <= ROUNDING * _weight_scale(model, q)


@given(models(scales=False), seeds)
def test_bias_forces_are_coriolis_and_gravity_forces(model, seed):
    q, qd = np.random.default_rng(seed).normal(size=(2, model.n))
    velocity_forces = coriolis_matrix(model, q, qd) @ qd
    difference = np.abs(bias_forces(model, q, qd) - velocity_forces - gravity_forces(model, q))
    speed = 1.0 + np.abs(model.multipliers).sum() * np.abs(qd).sum()
    scale = closed_form.mass_matrix_scale(model, q) * speed**2 + _weight_scale(model, q)
    assert difference.max() <= ROUNDING * scale

# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Mass matrix, Coriolis matrix, gravity and bias forces against closed forms."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles import closed_form
from oracles.random_models import BodyRecipe, random_model
from oracles.strategies import models, seeds

from screw_dynamics import ScrewModel, inverse_dynamics
from screw_dynamics.dynamics.bias_forces import bias_forces
from screw_dynamics.dynamics.coriolis_matrix import coriolis_matrix
from screw_dynamics.dynamics.gravity_forces import gravity_forces
from screw_dynamics.dynamics.mass_matrix import mass_matrix
from screw_dynamics.lie import inertia_matrix, pose

# Both sides sum products of a few dozen rounded terms: some 1e-14 of the size of the terms.
MASS_ROUNDING = 1e-13


@settings(max_examples=50)
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


def test_of_physical_bodies_is_positive_definite(rng):
    types = ['revolute', 'prismatic', 'helical', 'revolute', 'revolute', 'helical']
    recipes = [BodyRecipe(t, parent_back=1 + i % 2) for i, t in enumerate(types)]
    model = random_model(rng, recipes)
    eigenvalues = np.linalg.eigvalsh(mass_matrix(model, rng.normal(size=(20, model.n))))
    assert eigenvalues.min() > 1e-6


def test_of_the_planar_two_link_arm_by_hand():
    # point masses at the tips, Spong et al., Robot Modeling and Control, planar elbow manipulator
    l1, l2, m1, m2, q2 = 0.7, 0.4, 3.0, 2.0, 0.6
    turn = [0.0, 0.0, 1.0, 0.0, 0.0, 0.0]
    model = ScrewModel.from_screws(
        [-1, 0],
        [np.eye(4), pose(np.eye(3), np.array([l1, 0.0, 0.0]))],
        [turn, turn],
        [
            inertia_matrix(m1, np.array([l1, 0.0, 0.0]), np.zeros((3, 3))),
            inertia_matrix(m2, np.array([l2, 0.0, 0.0]), np.zeros((3, 3))),
        ],
    )
    coupling = m2 * l2**2 + m2 * l1 * l2 * np.cos(q2)
    first = (m1 + m2) * l1**2 + m2 * l2**2 + 2 * m2 * l1 * l2 * np.cos(q2)
    expected = [[first, coupling], [coupling, m2 * l2**2]]
    np.testing.assert_allclose(mass_matrix(model, [1.1, q2]), expected, rtol=1e-14)


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


@settings(max_examples=30)
@given(models(max_bodies=6), seeds)
def test_consists_of_the_christoffel_symbols(model, seed):
    q, qd = _state(model, seed)
    expected = closed_form.christoffel_coriolis_matrix(model, q, qd)
    difference = np.abs(coriolis_matrix(model, q, qd) - expected)
    assert difference.max() <= _bound(model, q, qd)


@settings(max_examples=30)
@given(models(max_bodies=6), seeds)
def test_mass_matrix_rate_minus_twice_it_is_skew(model, seed):
    q, qd = _state(model, seed)
    rate = np.imag(closed_form.mass_matrix(model, q + 1j * closed_form.STEP * qd))
    skew = rate / closed_form.STEP - 2.0 * coriolis_matrix(model, q, qd)
    assert np.abs(skew + skew.T).max() <= 2.0 * _bound(model, q, qd)


@given(models(), seeds)
def test_is_linear_in_the_rates(model, seed):
    q, qd = _state(model, seed)
    np.testing.assert_array_equal(
        coriolis_matrix(model, q, 4.0 * qd), 4.0 * coriolis_matrix(model, q, qd)
    )
    np.testing.assert_array_equal(
        coriolis_matrix(model, q, np.zeros(model.n)), np.zeros((model.n, model.n))
    )


def _weight_scale(model, q):
    """Return the largest generalized force that the weight of any body alone can cause."""
    jacobian = closed_form.system_jacobian(model, q).reshape(model.body_count, 6, model.n)
    moments = np.abs(model.inertias[:, :, 3:]).max(axis=2, initial=0.0)
    forces = np.einsum('iaj,ia->j', np.abs(jacobian), moments)
    return np.abs(model.gravity).sum() * forces.max(initial=0.0)


@settings(max_examples=50)
@given(models(), seeds)
def test_gravity_forces_are_the_gradient_of_the_potential(model, seed):
    q = np.random.default_rng(seed).normal(size=model.n)
    difference = np.abs(gravity_forces(model, q) - closed_form.gravity_forces(model, q))
    # far heavy branches make the potential itself large, and its gradient rounds with it
    assert difference.max() <= ROUNDING * _weight_scale(model, q)


@settings(max_examples=50)
@given(models(scales=False), seeds)
def test_bias_forces_are_coriolis_and_gravity_forces(model, seed):
    q, qd = np.random.default_rng(seed).normal(size=(2, model.n))
    velocity_forces = coriolis_matrix(model, q, qd) @ qd
    difference = np.abs(bias_forces(model, q, qd) - velocity_forces - gravity_forces(model, q))
    speed = 1.0 + np.abs(model.multipliers).sum() * np.abs(qd).sum()
    scale = closed_form.mass_matrix_scale(model, q) * speed**2 + _weight_scale(model, q)
    assert difference.max() <= ROUNDING * scale


def test_bias_forces_at_rest_are_gravity_forces(rng):
    model = random_model(rng, 6)
    q = rng.normal(size=(5, 6))
    expected = gravity_forces(model, q)
    bound = ROUNDING * np.abs(expected).max()
    assert np.abs(bias_forces(model, q, np.zeros((5, 6))) - expected).max() <= bound


def test_terms_sum_up_to_inverse_dynamics(rng):
    model = random_model(rng, 7)
    jet = rng.normal(size=(10, 3, 7))
    q, qd, qdd = jet.swapaxes(0, 1)
    inertial = np.einsum('tij,tj->ti', mass_matrix(model, q), qdd)
    expected = inverse_dynamics(model, jet)[:, 0]
    difference = np.abs(inertial + bias_forces(model, q, qd) - expected)
    assert difference.max() <= ROUNDING * np.abs(expected).max()


def test_power_of_the_velocity_forces_balances_the_kinetic_energy(rng):
    # d/dt (q'^T M q' / 2) with q'' = 0 is q'^T C q'
    model = random_model(rng, 5)
    q, qd = rng.normal(size=(2, 5))
    rate = np.imag(closed_form.mass_matrix(model, q + 1j * closed_form.STEP * qd))
    power = qd @ (bias_forces(model, q, qd) - gravity_forces(model, q))
    expected = 0.5 * qd @ rate @ qd / closed_form.STEP
    assert power == pytest.approx(expected, rel=1e-12)

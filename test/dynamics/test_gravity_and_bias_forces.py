# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from oracles import closed_form
from oracles.random_models import random_model
from oracles.strategies import models, seeds

from screw_dynamics import inverse_dynamics
from screw_dynamics.dynamics.bias_forces import bias_forces
from screw_dynamics.dynamics.coriolis_matrix import coriolis_matrix
from screw_dynamics.dynamics.gravity_forces import gravity_forces
from screw_dynamics.dynamics.mass_matrix import mass_matrix

# Sums of a few dozen rounded terms: some 1e-14 of the largest term.
ROUNDING = 1e-12


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

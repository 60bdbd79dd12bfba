# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Christoffel symbols in three forms, energies and their gradients, balance along a motion."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles.random_models import BodyRecipe, random_joint_jet, random_model
from oracles.strategies import joint_jets, models
from scipy.integrate import solve_ivp

import screw_dynamics as sd
from screw_dynamics.theory.closed_form import nth_derivatives
from screw_dynamics.theory.closed_form.system_matrices import SystemMatrices
from screw_dynamics.theory.lagrange import christoffel, energies

STEP = 1e-30  # of complex steps, which do not cancel
TREE = [
    BodyRecipe('revolute'),
    BodyRecipe('helical'),
    BodyRecipe('prismatic', mimics=0),
    BodyRecipe('revolute', parent_back=2),
]


def slopes(function, q):
    """Return df/dq_i along the last axis."""
    units = np.eye(len(q))
    return np.stack([function(q + 1j * STEP * unit).imag / STEP for unit in units], axis=-1)


def assert_close(got, expected, size=None):
    size = np.abs(expected).max(initial=1e-30) if size is None else size
    np.testing.assert_allclose(got, expected, rtol=0, atol=1e-12 * size)


@pytest.mark.parametrize('form', ['brackets', 'matrices', 'binet'])
def test_christoffel_symbols_are_those_of_the_mass_matrix(form, rng):
    model = random_model(rng, TREE)
    q = random_joint_jet(rng, model.n, 0)[0]

    def mass(x):
        return SystemMatrices(model, np.stack([x, 0 * x])).mass_matrix

    d = slopes(mass, q)  # [i, k, j] = dM_ik / dq_j
    expected = 0.5 * (d.transpose(0, 2, 1) + d - d.transpose(2, 0, 1))
    assert_close(christoffel.christoffel_symbols(model, q, form), expected)


@given(data=st.data())
def test_forms_agree_and_give_the_coriolis_forces(data):
    model = data.draw(models(scales=False, max_bodies=5))
    jet = data.draw(joint_jets(model.n, 0))
    brackets, *others = (
        christoffel.christoffel_symbols(model, jet[0], form)
        for form in ('brackets', 'matrices', 'binet')
    )
    reach = 1.0 + np.abs(jet[0]).max() * np.abs(model.multipliers).max()
    size = max(np.abs(model.inertias).max(), 1e-30) * model.body_count * (10.0 * reach) ** 3
    for symbols in others:
        assert_close(symbols, brackets, size)
    forces = np.einsum('ijk,j,k', brackets, jet[1], jet[1])
    coriolis = nth_derivatives.coriolis_matrix(model, jet)[0] @ jet[1]
    assert_close(forces, coriolis, size * (1.0 + np.abs(jet[1]).max() ** 2))


def test_symbols_change_sign_where_the_first_joint_is_nearer_the_root(rng):
    """Gamma_ijk = -Gamma_kji for j <= i, k."""
    model = random_model(rng, 4)
    symbols = christoffel.christoffel_symbols(model, rng.normal(size=4))
    for j in range(4):
        for i in range(j, 4):
            for k in range(j, 4):
                assert symbols[i, j, k] == pytest.approx(-symbols[k, j, i], abs=1e-12)


def test_gradients_of_the_energies(rng):
    model = random_model(rng, TREE)
    q, qd = random_joint_jet(rng, model.n, 0)[:2]
    by_position, by_velocity = energies.kinetic_energy_gradients(model, q, qd)
    assert_close(by_position, slopes(lambda x: energies.kinetic_energy(model, x, qd), q))
    assert_close(by_velocity, slopes(lambda x: energies.kinetic_energy(model, q, x), qd))
    slope = slopes(lambda x: energies.potential_energy(model, x), q)
    assert_close(slope, sd.gravity_forces(model, q))
    mass = sd.mass_matrix(model, q)
    assert energies.kinetic_energy(model, q, qd) == pytest.approx(0.5 * qd @ mass @ qd, rel=1e-12)


def test_energy_is_kept_along_a_free_motion(rng):
    """The sum of both along a simulated fall, to the tolerance of the integration."""
    model = random_model(rng, TREE)
    state = np.concatenate(random_joint_jet(rng, model.n, 0)[:2])

    def rates(_, x):
        q, qd = np.split(x, 2)
        return np.concatenate((qd, sd.forward_dynamics(model, q, qd, np.zeros(model.n))))

    path = solve_ivp(rates, (0.0, 0.5), state, 'DOP853', rtol=1e-11, atol=1e-11).y.T
    total = [
        energies.kinetic_energy(model, q, qd) + energies.potential_energy(model, q)
        for q, qd in (np.split(x, 2) for x in path)
    ]
    exchanged = np.ptp([energies.potential_energy(model, np.split(x, 2)[0]) for x in path])
    assert np.ptp(total) < 1e-7 * exchanged

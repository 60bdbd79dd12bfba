# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Christoffel symbols in three forms, energies and their gradients, balance along a motion."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles.random_models import TREE, random_joint_jet, random_model
from oracles.strategies import joint_jets, models

import screw_dynamics as sd
from screw_dynamics.errors import InputError, ShapeError
from screw_dynamics.theory.closed_form.system_matrices import SystemMatrices
from screw_dynamics.theory.inverse_dynamics import body_fixed
from screw_dynamics.theory.lagrange import christoffel, energies

STEP = 1e-30  # of complex steps, which do not cancel


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


@given(data=st.data())
def test_lagrange_equations(data):
    """Forces and the Coriolis matrix of the Lagrangian are those of Newton and Euler."""
    model = data.draw(models(scales=False, max_bodies=5))
    jet = data.draw(joint_jets(model.n, 0))
    expected = body_fixed.inverse_dynamics(model, jet)[0]
    reach = 1.0 + np.abs(jet[0]).max() * np.abs(model.multipliers).max()
    size = max(np.abs(model.inertias).max(), 1e-30) * model.body_count * (10.0 * reach) ** 3
    pace = 10.0 + np.abs(jet[1]).max() ** 2 + np.abs(jet[2]).max()
    assert_close(energies.lagrange_efforts(model, jet), expected, size * pace)
    for form in ('brackets', 'matrices', 'binet'):
        assert_close(christoffel.efforts(model, jet, form), expected, size * pace)
    system = SystemMatrices(model, jet)
    matrix = energies.lagrange_coriolis_matrix(model, jet[0], jet[1])
    assert_close(matrix, system.coriolis_matrix, size * (1.0 + np.abs(jet[1]).max()))
    turning = system.a() @ system.J + system.b(system.V) @ system.X
    identity = system.b(system.V) @ system.J
    assert_close(system.A @ turning, identity, (1.0 + np.abs(identity).max()) * 1e1 * reach)


def test_what_cannot_be_used_is_named(rng):
    model = random_model(rng, 2)
    with pytest.raises(InputError, match='form: expected one of brackets, matrices, binet, got'):
        christoffel.christoffel_symbols(model, [0.0, 0.0], 'x')
    with pytest.raises(ShapeError, match=r'qd: expected shape \(2,\), got \(1,\)'):
        energies.kinetic_energy(model, [0.0, 0.0], [1.0])
    for efforts in (christoffel.efforts, energies.lagrange_efforts):
        with pytest.raises(ShapeError, match=r'joint_jet: expected shape \(r, 2\), r >= 3, got'):
            efforts(model, np.zeros((2, 2)))

# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Acceleration energies against mass points, their tensors, equations of motion from them."""

from math import factorial

import numpy as np
import pytest
from oracles.exact_model import body_poses, tree_joint_series
from oracles.golden import CHAIN_JET, chain
from oracles.random_models import TREE, BodyRecipe, random_joint_jet, random_model
from oracles.taylor import high_precision

import screw_dynamics as sd
from screw_dynamics.errors import InputError, ShapeError
from screw_dynamics.lie import exp_screw, pseudo_inertia
from screw_dynamics.theory.acceleration_energy import energies, equations
from screw_dynamics.theory.acceleration_energy.differential_matrices import (
    differential_matrices,
    differential_matrix,
    exponential_jacobian,
    factors,
    jacobian_columns,
)
from screw_dynamics.theory.acceleration_energy.tensors import EnergyTensors, energy_from_tensors
from screw_dynamics.theory.closed_form import nth_derivatives
from screw_dynamics.theory.kinematics import hybrid
from screw_dynamics.theory.lagrange import christoffel
from screw_dynamics.theory.tree import Tree

STEP = 1e-30  # of complex steps, which do not cancel
# digits of sums of squares, of at most a hundred terms
CLOSE = {'rtol': 1e-12, 'atol': 0.0}
forms = pytest.mark.parametrize(
    'energy', [energies.acceleration_energy, energies.energy_about_mass_centers]
)


@high_precision
def energy_of_points(model, jet, p):
    """Return E^(p) of four mass points per body that have its inertia."""
    poses = body_poses(model, tree_joint_series(model, jet))
    energy = 0.0
    for inertia, series in zip(model.inertias, poses, strict=True):
        factor = np.linalg.cholesky(pseudo_inertia(inertia))
        # turned so that the last entries are equal: then each column is a point of a quarter mass
        direction = factor[3] / np.linalg.norm(factor[3]) - 0.5 * np.ones(4)
        turned = factor - 2.0 * np.outer(factor @ direction, direction) / (direction @ direction)
        points = turned[:3] / turned[3]
        derivative = factorial(p + 1) * series[p + 1].astype(float)
        moved = derivative[:3, :3] @ points + derivative[:3, 3:]
        energy += 0.5 * inertia[5, 5] / 4 * np.sum(moved**2)
    return energy


@forms
@pytest.mark.parametrize('p', [0, 1, 5])
def test_energy_of_mass_points(energy, p, rng):
    model = random_model(rng, TREE)
    jet = random_joint_jet(rng, model.n, p)
    np.testing.assert_allclose(energy(model, jet, p), energy_of_points(model, jet, p), **CLOSE)


@pytest.mark.parametrize('p', [1, 2, 3])
def test_energies_from_tensors(p, rng):
    model = random_model(rng, TREE)
    jet = random_joint_jet(rng, model.n, p)
    expected = energies.acceleration_energy(model, jet, p)
    np.testing.assert_allclose(energy_from_tensors(model, jet, p), expected, **CLOSE)


def test_differential_matrices_are_derivatives(rng):
    """Each order is the complex step of the one below, repeated joints included."""
    model = random_model(rng, [*TREE[:2], BodyRecipe('prismatic'), TREE[3]])
    q = rng.normal(size=model.n)
    for body in range(model.body_count):
        for by in ([], [0], [1, 0], [0, 1, 1], [3, 0, 0], [2, 1]):
            for joint in range(model.n):
                step = 1j * STEP * np.eye(model.n)[joint]
                slope = differential_matrix(model, q + step, body, by).imag / STEP
                got = differential_matrix(model, q, body, [*by, joint])
                np.testing.assert_allclose(got, slope, rtol=0, atol=1e-12)


def test_jacobians_from_differential_matrices(rng):
    model = random_model(rng, TREE)
    jet = random_joint_jet(rng, model.n, 3)
    expected = hybrid.jacobian_columns(model, jet)
    got = jacobian_columns(model, jet)
    for k in range(len(jet)):
        bound = 1e-12 * np.abs(expected[:, :, k]).max()
        np.testing.assert_allclose(got[:, :, k], expected[:, :, k], rtol=0, atol=bound)


def test_jacobians_are_products_of_matrices_of_exponentials(rng):
    model = random_model(rng, TREE)
    q = rng.normal(size=model.n)
    for body in range(model.body_count):
        got = exponential_jacobian(model, q, body)
        expected = sd.frame_jacobian(model, q, f'body_{body + 1}', 'hybrid')
        np.testing.assert_allclose(got, expected, rtol=0, atol=1e-12 * np.abs(expected).max())
    # of a path of four joints, the second of them: i = 2, n = 4
    motions = [exp_screw(screw, 0.3) for screw in model.screws]
    shapes = [matrix.shape for matrix in factors(motions, model.screws[1], 1)]
    assert shapes == [(6, 6), (6, 9), (9, 12 + 3 * (4 - 2))]


def test_tensors_are_known_matrices(rng):
    model = random_model(rng, TREE)
    q = rng.normal(size=model.n)
    tensors = EnergyTensors(model, q)
    size = np.abs(tensors.M).max()
    np.testing.assert_allclose(tensors.M, sd.mass_matrix(model, q), rtol=0, atol=1e-12 * size)
    symbols = christoffel.christoffel_symbols(model, q)
    np.testing.assert_allclose(tensors.V, symbols, rtol=0, atol=1e-12 * np.abs(symbols).max())
    # d<A_i, A_j>/dq_l = <A_il, A_j> + <A_i, A_jl>
    slope = np.stack(
        [EnergyTensors(model, q + 1j * STEP * e).V.imag / STEP for e in np.eye(3)], -1
    )
    expected = tensors.D.transpose(0, 2, 3, 1) + tensors.H
    np.testing.assert_allclose(slope, expected, rtol=0, atol=1e-12 * np.abs(expected).max())


@pytest.mark.parametrize('k', [1, 4, 6])
def test_forces_do_not_depend_on_the_derivative(k, rng):
    """Q^(k - 1) for several m >= k + 1; without gravity they are the efforts."""
    model = random_model(rng, TREE, gravity=np.zeros(3))
    jet = random_joint_jet(rng, model.n, k - 1)
    expected = nth_derivatives.inverse_dynamics(model, jet)[k - 1]
    for m in (k + 1, k + 2, k + 5):
        forces = equations.inertia_forces(model, jet, k, m)
        np.testing.assert_allclose(forces, expected, rtol=0, atol=1e-11 * np.abs(expected).max())


def test_equations_from_the_kinetic_energy(rng):
    model = random_model(rng, TREE, gravity=np.zeros(3))
    jet = random_joint_jet(rng, model.n, 0)
    expected = sd.inverse_dynamics(model, jet)[0]
    close = {'rtol': 0, 'atol': 1e-12 * np.abs(expected).max()}
    for m in (1, 2, 3, 5):
        np.testing.assert_allclose(equations.mangeron_tsenov(model, jet, m), expected, **close)
    for m in (2, 3, 5):
        np.testing.assert_allclose(equations.gibbs_appell(model, jet, m), expected, **close)


def test_bad_arguments():
    with pytest.raises(ShapeError, match='5 or more'):
        energies.acceleration_energy(chain(), CHAIN_JET[:4], 3)
    with pytest.raises(InputError, match='p: expected 1, 2 or 3, got 4'):
        energy_from_tensors(chain(), CHAIN_JET, 4)
    with pytest.raises(InputError, match='m: expected a whole number of 3 or more, got 2'):
        equations.inertia_forces(chain(), CHAIN_JET, 2, 2)
    with pytest.raises(InputError, match='m: expected'):
        equations.mangeron_tsenov(chain(), CHAIN_JET, 0)
    tree = Tree(chain(), CHAIN_JET[:1])
    assert not differential_matrices(tree, 0, [1]).any()

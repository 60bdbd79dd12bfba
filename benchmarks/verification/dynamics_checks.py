# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Efforts, matrices, energies and accelerations against d'Alembert's principle in 60 digits."""

from __future__ import annotations

from collections.abc import Iterator
from math import comb

import numpy as np
from oracles.high_precision import reference_efforts

import screw_dynamics as sd
from benchmarks.verification.checks import Result, against
from benchmarks.verification.scenes import ROWS, Scene
from screw_dynamics.common.arrays import Array
from screw_dynamics.drives.workspace import Workspace
from screw_dynamics.theory.acceleration_energy import energies, equations, tensors
from screw_dynamics.theory.closed_form import nth_derivatives
from screw_dynamics.theory.closed_form.first_derivatives import FirstDerivatives
from screw_dynamics.theory.closed_form.second_derivatives import SecondDerivatives
from screw_dynamics.theory.closed_form.system_matrices import SystemMatrices
from screw_dynamics.theory.forward_dynamics import any_order, articulated_body
from screw_dynamics.theory.inverse_dynamics import (
    body_fixed,
    euler_jourdain,
    hybrid,
    momentum,
    spatial,
)
from screw_dynamics.theory.lagrange import christoffel
from screw_dynamics.theory.lagrange import energies as lagrange

EFFORTS = "d'Alembert"
ENERGIES = 'exact mass points'
FORMS = (body_fixed, spatial, hybrid, momentum, euler_jourdain, nth_derivatives, equations)


@against(EFFORTS)
def inverse_dynamics(scene: Scene) -> Iterator[Result]:
    """Compare the efforts with their derivatives, under wrenches."""
    model, jet, wrenches = scene.model, scene.jet, scene.wrenches
    exact = scene.efforts(wrenches=True)
    functions = [form.inverse_dynamics for form in FORMS]
    for function in (*functions, sd.inverse_dynamics):
        yield Result(function, function(model, jet, wrenches), exact.efforts, exact.scale)
    batch = sd.inverse_dynamics(model, np.stack([0 * jet, jet]), _batch(wrenches))
    yield Result(sd.inverse_dynamics, batch[1], exact.efforts, exact.scale)
    order = 2
    workspace = Workspace(model, order, list(wrenches))
    workspace.wrenches[...] = [wrench[: order + 1] for wrench in wrenches.values()]
    got = workspace.efforts(jet[: order + 3])
    yield Result(Workspace, got, exact.efforts[: order + 1], exact.scale[: order + 1])


def _batch(wrenches: dict[str, Array]) -> dict[str, Array]:
    return {name: np.stack([0 * wrench, wrench]) for name, wrench in wrenches.items()}


@against(EFFORTS)
def first_orders(scene: Scene) -> Iterator[Result]:
    """Compare efforts of order 0 from energies, and the explicit derivatives of orders 1 and 2."""
    exact = scene.efforts()
    got = lagrange.lagrange_efforts(scene.model, scene.jet[:3])
    yield Result(lagrange.lagrange_efforts, got, exact.efforts[0], exact.scale[0])
    for form in ('brackets', 'matrices', 'binet'):
        got = christoffel.efforts(scene.model, scene.jet[:3], form)
        yield Result(christoffel.efforts, got, exact.efforts[0], exact.scale[0])
    first = FirstDerivatives(scene.model, scene.jet)
    yield Result(FirstDerivatives, first.effort_rates, exact.efforts[1], exact.scale[1])
    second = SecondDerivatives(scene.model, scene.jet)
    yield Result(SecondDerivatives, second.effort_second_rates, exact.efforts[2], exact.scale[2])
    bias = reference_efforts(scene.model, [*scene.jet[:2], 0 * scene.jet[0]])
    got = sd.bias_forces(scene.model, *scene.jet[:2])
    yield Result(sd.bias_forces, got, bias.efforts[0], bias.scale[0])


@against(EFFORTS)
def gravity(scene: Scene) -> Iterator[Result]:
    """Compare gravity forces and their derivatives: efforts with and without gravity."""
    exact, rest = scene.efforts(), reference_efforts(scene.weightless, scene.jet)
    expected, sizes = exact.efforts - rest.efforts, exact.scale
    for function in (sd.dynamics.gravity_forces_jet, nth_derivatives.gravity_forces):
        yield Result(function, function(scene.model, scene.jet), expected, sizes)
    q = scene.jet[0]
    yield Result(sd.gravity_forces, sd.gravity_forces(scene.model, q), expected[0], sizes[0])
    system = SystemMatrices(scene.model, scene.jet)
    yield Result(SystemMatrices, system.gravity_forces, expected[0], sizes[0])


@against(EFFORTS)
def matrices(scene: Scene) -> Iterator[Result]:
    """Compare the mass matrix; C by C q', and by M' = C + C^T where it has the symbols."""
    model, jet = scene.model, scene.jet
    mass = scene.mass_matrices
    size = np.abs(mass[0]).max() * scene.growth[:ROWS]
    yield Result(sd.mass_matrix, sd.mass_matrix(model, jet[0]), mass[0])
    terms = sd.control_terms(model, jet[0], jet[1], f'body_{scene.body}')
    yield Result(sd.control_terms, terms.mass_matrix, mass[0])
    got = nth_derivatives.mass_matrix(model, jet)[:ROWS]
    yield Result(nth_derivatives.mass_matrix, got, mass, size)
    yield Result(SystemMatrices, SystemMatrices(model, jet).mass_matrix, mass[0])
    closed = nth_derivatives.ClosedForm(model, jet)
    yield Result(nth_derivatives.ClosedForm, closed.mass_matrices[:ROWS], mass, size)
    rest = reference_efforts(scene.weightless, jet)
    forces = np.array([rest.efforts[k] - leibniz(k, mass, jet[2:]) for k in range(ROWS)])
    loads = rest.scale[:ROWS]
    for skew in (False, True):
        matrix = nth_derivatives.coriolis_matrix(model, jet, skew=skew)
        got = [leibniz(k, matrix, jet[1:]) for k in range(ROWS)]
        yield Result(nth_derivatives.coriolis_matrix, got, forces, loads)
    got = matrix + matrix.swapaxes(1, 2)
    yield Result(nth_derivatives.coriolis_matrix, got[: ROWS - 1], mass[1:], size[1:])
    matrix = sd.coriolis_matrix(model, *jet[:2])
    yield Result(sd.coriolis_matrix, matrix @ jet[1], forces[0], loads[0])
    system = SystemMatrices(model, jet)
    for matrix in (system.coriolis_matrix, system.skew_coriolis_matrix):
        yield Result(SystemMatrices, matrix @ jet[1], forces[0], loads[0])
    matrix = lagrange.lagrange_coriolis_matrix(model, *jet[:2])
    yield Result(lagrange.lagrange_coriolis_matrix, matrix @ jet[1], forces[0], loads[0])


def leibniz(k: int, matrix: Array, vector: Array) -> Array:
    """Return the k-th derivative of a product."""
    return np.sum([comb(k, s) * matrix[s] @ vector[k - s] for s in range(k + 1)], axis=0)


@against('differences in 60 digits')
def symbols(scene: Scene) -> Iterator[Result]:
    """Compare Christoffel symbols and the tensors that have them."""
    by = scene.mass_matrix_partials  # [k, i, j]
    size = float(np.abs(scene.mass_matrices[0]).max())
    q = scene.jet[0]
    for form in ('brackets', 'matrices', 'binet'):
        got = christoffel.christoffel_symbols(scene.model, q, form)
        yield Result(christoffel.christoffel_symbols, got, _symbols(by), size)
    table = tensors.EnergyTensors(scene.model, q)
    yield Result(tensors.EnergyTensors, table.M, scene.mass_matrices[0])
    yield Result(tensors.EnergyTensors, table.V, _symbols(by), size)


def _symbols(by: Array) -> Array:
    """Return the symbols [i, j, k] from dM_ij/dq_k = by[k, i, j]."""
    m = np.moveaxis(by, 0, 2)
    return (m.transpose(0, 2, 1) + m - m.transpose(2, 0, 1)) / 2


@against(ENERGIES)
def energies_of_motion(scene: Scene) -> Iterator[Result]:
    """Compare kinetic energy and acceleration energies up to the order of the motion."""
    model, jet = scene.model, scene.jet
    kinetic = scene.energy(0)
    yield Result(lagrange.kinetic_energy, lagrange.kinetic_energy(model, *jet[:2]), kinetic)
    for p in range(6):
        exact = scene.energy(p)
        size = float(np.abs(scene.mass_matrices[0]).max() * scene.growth[p + 1] ** 2)
        for function in (energies.acceleration_energy, energies.energy_about_mass_centers):
            yield Result(function, function(model, jet, p), exact, size)
        if 1 <= p <= (3 if model.n < 6 else 2):
            got = tensors.energy_from_tensors(model, jet, p)
            yield Result(tensors.energy_from_tensors, got, exact, size)


@against(EFFORTS)
def equations_from_energies(scene: Scene) -> Iterator[Result]:
    """Compare generalized inertia forces and their derivatives with efforts without gravity."""
    exact = reference_efforts(scene.weightless, scene.jet)
    for k in range(1, 7):
        for m in (k + 1, k + 3):
            got = equations.inertia_forces(scene.model, scene.jet, k, m)
            yield Result(equations.inertia_forces, got, exact.efforts[k - 1], exact.scale[k - 1])
    for m in (2, 3, 5):
        for function in (equations.gibbs_appell, equations.mangeron_tsenov):
            got = function(scene.model, scene.jet, m)
            yield Result(function, got, exact.efforts[0], exact.scale[0])


@against('recurrence of the numbers')
def numbers(_: Scene) -> Iterator[Result]:
    """Compare the coefficients of the energies with sums of products of those before."""
    ballots = [1]
    for p in range(8):
        ballots.append(sum(ballots[s] * ballots[p - s] for s in range(p + 1)))
    got = [equations.catalan_number(p) for p in range(9)]
    yield Result(equations.catalan_number, got, ballots)


@against("d'Alembert of the result")
def forward_dynamics(scene: Scene) -> Iterator[Result]:
    """Compare the exact efforts of the motion that follows with those that were given."""
    if not scene.regular:
        return
    model, (q, qd) = scene.model, scene.jet[:2]
    efforts = scene.efforts().efforts
    jets = {
        any_order.forward_dynamics: any_order.forward_dynamics(model, q, qd, efforts),
        sd.forward_dynamics_jet: sd.forward_dynamics_jet(model, q, qd, efforts),
        sd.forward_dynamics: np.stack([q, qd, sd.forward_dynamics(model, q, qd, efforts[0])]),
    }
    if model.n == model.body_count:
        accelerations = articulated_body.forward_dynamics(model, q, qd, efforts[0])
        jets[articulated_body.forward_dynamics] = np.stack([q, qd, accelerations])
    for function, jet in jets.items():
        found = reference_efforts(model, jet)
        yield Result(function, found.efforts, efforts[: len(found.efforts)], found.scale)

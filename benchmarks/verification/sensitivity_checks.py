# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Partial derivatives against differences in 60 digits; regressors against other robots."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
from oracles.comparison import CANCELLATION
from oracles.exact_model import body_poses, pseudo_inertia, tree_joint_series
from oracles.high_precision import exact_efforts, reference_efforts
from oracles.random_models import random_inertia
from oracles.taylor import Series, exact, high_precision

import screw_dynamics as sd
from benchmarks.verification.checks import Result, against
from benchmarks.verification.lie_checks import exponential
from benchmarks.verification.scenes import Scene, slope, slopes
from screw_dynamics.theory.lagrange import energies as lagrange
from screw_dynamics.theory.sensitivities import (
    acceleration_partials,
    effort_partials,
    regressors,
    tangent,
)
from screw_dynamics.theory.sensitivities.matrix_partials import MatrixPartials

DIFFERENCES = 'differences in 60 digits'
ROUNDING = 1e-13  # what remains of dependent columns


@against(DIFFERENCES)
def by_state(scene: Scene) -> Iterator[Result]:
    """Compare derivatives of efforts and of the mass matrix by the motion."""
    model, jet = scene.model, scene.jet[:4]
    partials, loads = scene.effort_partials, scene.efforts(1).scale
    for function in (sd.effort_partials, effort_partials.effort_partials):
        yield Result(function, function(model, jet), partials, loads)
    first = effort_partials.first_partials(model, jet[:3])
    yield Result(effort_partials.first_partials, first, partials[0, :3], loads[0])
    variation = scene.rng.normal(size=jet.shape)
    got = tangent.effort_tangent(model, jet, variation)
    expected = np.einsum('drij,rj->di', partials, variation)
    yield Result(tangent.effort_tangent, got, expected, loads)
    size = float(np.abs(scene.mass_matrices[0]).max())
    got = MatrixPartials(model, jet[0]).mass_matrix_partials
    yield Result(MatrixPartials, got, scene.mass_matrix_partials, size)


@against(DIFFERENCES)
def of_energies(scene: Scene) -> Iterator[Result]:
    """Compare potential energy by its slope, gravity forces, and gradients of kinetic energy."""
    model, (q, qd) = scene.model, scene.jet[:2]
    yield Result(
        lagrange.potential_energy,
        lagrange.potential_energy(model, q),
        float(potential(scene, exact(q))),
        _potential_size(scene),
    )
    by_position = np.einsum('kij,i,j->k', scene.mass_matrix_partials, qd, qd) / 2
    by_rate = scene.mass_matrices[0] @ qd
    size = float(np.abs(scene.mass_matrices[0]).max() * np.abs(qd).max() ** 2)
    got = lagrange.kinetic_energy_gradients(model, q, qd)
    yield Result(lagrange.kinetic_energy_gradients, got[0], by_position, size)
    yield Result(lagrange.kinetic_energy_gradients, got[1], by_rate)


@high_precision
def potential(scene: Scene, q: Series) -> Any:
    """Return the potential energy of all mass points."""
    poses = body_poses(scene.model, tree_joint_series(scene.model, q[None]))
    energy = 0 * q[0]
    for pose, inertia in zip(poses, scene.model.inertias, strict=True):
        energy -= exact(scene.model.gravity) @ (pose[0] @ pseudo_inertia(inertia)[:, 3])[:3]
    return energy


def _potential_size(scene: Scene) -> float:
    reach = max(np.abs(pose[0].astype(float)).max() for pose in scene.poses)
    masses = np.abs(scene.model.inertias).max(axis=(1, 2)).sum()
    return float(reach * masses * np.abs(scene.model.gravity).max())


@against(DIFFERENCES)
def by_geometry(scene: Scene) -> Iterator[Result]:
    """Compare derivatives by displacements of home poses and axes, and by pitches."""
    model, jet, body = scene.model, scene.jet[:4], scene.body
    loads = scene.efforts(1).scale
    by_homes, by_screws = tangent.geometric_partials(model, jet)
    twist = scene.rng.normal(size=6)

    @high_precision
    def of_home(h: Series) -> Series:
        home = exact(model.home_poses[body]) @ exponential(twist * h[0])
        return exact_efforts(_changed(model, 'home_poses', body, home), jet)

    @high_precision
    def of_axis(h: Series) -> Series:
        moved = exponential(twist * h[0])
        screw = _moved_screw(moved, exact(model.screws[body]))
        return exact_efforts(_changed(model, 'screws', body, screw), jet)

    bracket = sd.lie.twist_cross(twist) @ model.screws[body]
    for function, got in (
        (of_home, by_homes[:, :, body] @ twist),
        (of_axis, by_screws[:, :, body] @ bracket),
    ):
        yield Result(tangent.geometric_partials, got, slopes(function, np.zeros(1))[0], loads)
    twists, values = scene.rng.normal(size=(2, 6)), scene.rng.normal(size=2)
    end = exponential_product(twists, exact(values)).astype(float)
    for a, got in enumerate(tangent.home_twists(twists, values)):
        unit = exact(np.eye(2)[a])
        expected = _slope_of_product(twists, values, unit)
        yield Result(tangent.home_twists, end @ sd.lie.hat(got), expected)


@high_precision
def exponential_product(twists: Any, values: Series) -> Series:
    """Return exp(U_1 pi_1) .. exp(U_m pi_m)."""
    result = exact(np.eye(4))
    for twist, value in zip(twists, values, strict=True):
        result = result @ exponential(twist * value)
    return result


def _slope_of_product(twists: Any, values: Any, direction: Series) -> Any:
    moved = slope(lambda x: exponential_product(twists, x), exact(values), direction)
    return moved.astype(float)


def _changed(model: sd.ScrewModel, field: str, body: int, value: Series) -> Any:
    """Return an object with the fields of a model, one row of one field exact."""
    names = ('parents', 'inertias', 'gravity', 'coordinates', 'multipliers', 'offsets')
    fields = {name: getattr(model, name) for name in names}
    fields |= {'home_poses': list(model.home_poses), 'screws': list(model.screws)}
    fields[field][body] = value
    return SimpleNamespace(**fields, n=model.n, body_count=model.body_count)


def _moved_screw(pose: Series, screw: Series) -> Series:
    """Return Ad_C X."""
    axis = pose[:3, :3] @ screw[:3]
    return np.concatenate([axis, np.cross(pose[:3, 3], axis) + pose[:3, :3] @ screw[3:]])


@against("d'Alembert")
def by_inertias(scene: Scene) -> Iterator[Result]:
    """Compare regressor times parameters with the efforts of a robot with other inertias."""
    model, jet = scene.model, scene.jet
    inertias = np.array([random_inertia(scene.rng) for _ in scene.bodies])
    other = replace(model, inertias=inertias)
    expected = reference_efforts(other, jet)
    for matrix, parameters in (
        (sd.regressor, sd.inertial_parameters),
        (regressors.regressor, regressors.parameters),
    ):
        got = matrix(model, jet) @ parameters(other)
        yield Result(matrix, got, expected.efforts, expected.scale)
        yield Result(parameters, got, expected.efforts, expected.scale)
    base = sd.base_parameters(other, tolerance=ROUNDING)
    got = sd.regressor(model, jet)[..., base.columns] @ base.values
    yield Result(sd.base_parameters, got, expected.efforts, expected.scale)


@against('differences in 60 digits')
def of_accelerations(scene: Scene) -> Iterator[Result]:
    """Compare M dq''/dx with -dtau/dx of the exact motion."""
    if not scene.regular:
        return
    model, (q, qd) = scene.model, scene.jet[:2]
    loads, mass = scene.efforts(0), scene.mass_matrices[0]
    tau, partials = loads.efforts[0], scene.effort_partials[0]
    expected = [-partials[0], -partials[1], np.eye(model.n)]
    for function in (
        sd.forward_dynamics_partials,
        acceleration_partials.forward_dynamics_partials,
        acceleration_partials.linearised_motion,
    ):
        result = function(model, q, qd, tau)
        if function is acceleration_partials.linearised_motion:
            a, b = result
            result = (a[model.n :, : model.n], a[model.n :, model.n :], b[model.n :])
        for got, right in zip(result, expected, strict=True):
            # terms of the product that has to vanish, or of the loads
            terms = float(np.abs(mass).max() * np.abs(got).max()) / CANCELLATION
            yield Result(function, mass @ got, right, max(terms, float(loads.scale[0])))

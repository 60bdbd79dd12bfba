# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Centre of mass, its Jacobian and energies, against sums over bodies and differences."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from oracles import closed_form
from oracles.strategies import models, seeds

import screw_dynamics as sd
from screw_dynamics.errors import ModelError, NotFiniteError
from screw_dynamics.lie import exp_screw

ROUNDING = 1e-12
STEP = 1e-5
# Of a central difference: its error is STEP^2 / 6 = 2e-11 times the third derivative, and rounding
# of the centre, about 1e-15 / STEP = 1e-10, both times a size that is at most some hundreds here.
DIFFERENCE = 1e-7


def moments_of_bodies(model, q):
    """Return masses (N,) and first moments (N, 3), by the product of exponentials."""
    s = model.multipliers * q[model.coordinates] + model.offsets
    poses, moments = [], []
    masses = model.inertias[:, 3, 3]
    for i, parent in enumerate(model.parents):
        pose = model.home_poses[i] @ exp_screw(model.screws[i], s[i])
        poses.append(pose if parent < 0 else poses[parent] @ pose)
        moment = model.inertias[i][[2, 0, 1], [4, 5, 3]]
        moments.append(poses[i][:3, :3] @ moment + masses[i] * poses[i][:3, 3])
    return masses, np.array(moments)


@given(models(scales=False), seeds)
def test_centre_and_energies_are_sums_over_bodies(model, seed):
    q, qd = np.random.default_rng(seed).normal(size=(2, model.n))
    masses, moments = moments_of_bodies(model, q)
    assume(masses.sum() > 0.0)
    size = np.abs(moments).sum() + masses.sum()
    # sums of some dozen rounded terms
    centre = moments.sum(axis=0) / masses.sum()
    error = np.abs(sd.centre_of_mass(model, q) - centre).max()
    assert error <= ROUNDING * size / masses.sum()
    energy = -(moments @ model.gravity).sum()
    weight = np.abs(model.gravity).sum() * size
    assert abs(sd.potential_energy(model, q) - energy) <= ROUNDING * weight
    twists = closed_form.system_jacobian(model, q).reshape(model.body_count, 6, model.n) @ qd
    moving = 0.5 * np.einsum('ia,iab,ib->i', twists, model.inertias, twists)
    scale = closed_form.mass_matrix_scale(model, q) * (qd @ qd)
    assert abs(sd.kinetic_energy(model, q, qd) - moving.sum()) <= ROUNDING * scale


@given(models(scales=False), seeds)
def test_jacobian_is_the_derivative_of_the_centre_and_carries_the_weight(model, seed):
    q = np.random.default_rng(seed).normal(size=model.n)
    assume(model.inertias[:, 3, 3].sum() > 0.0)
    jacobian = sd.centre_of_mass_jacobian(model, q)
    steps = STEP * np.eye(model.n)
    forward, back = sd.centre_of_mass(model, q + steps), sd.centre_of_mass(model, q - steps)
    scale = 1.0 + np.abs(jacobian).max()
    assert np.abs(jacobian - (forward - back).T / (2.0 * STEP)).max() <= DIFFERENCE * scale
    mass = model.inertias[:, 3, 3].sum()
    weight = -mass * jacobian.T @ model.gravity
    assert np.abs(weight - sd.gravity_forces(model, q)).max() <= 10 * ROUNDING * mass * scale


def test_batches_are_their_samples():
    model = sd.read_urdf(sd.share_path('urdf/branched_gripper.urdf'))
    q, qd = model.random_configuration(6, seed=1).reshape(2, 3, -1), np.ones((2, 3, model.n))
    for function, inputs in (
        (sd.centre_of_mass, (q,)),
        (sd.centre_of_mass_jacobian, (q,)),
        (sd.kinetic_energy, (q, qd)),
        (sd.potential_energy, (q,)),
    ):
        alone = [
            [function(model, *x) for x in zip(*rows, strict=True)]
            for rows in zip(*inputs, strict=True)
        ]
        np.testing.assert_allclose(function(model, *inputs), alone, rtol=1e-13, atol=1e-13)


def test_robots_without_mass_and_positions_that_are_not_finite():
    point = sd.ScrewModel.from_screws([-1], [np.eye(4)], [[0, 0, 1, 0, 0, 0]], [np.zeros((6, 6))])
    with pytest.raises(ModelError, match='mass above 0, got 0 kg'):
        sd.centre_of_mass(point, [0.0])
    assert sd.potential_energy(point, [0.0]) == 0.0
    for function in (sd.centre_of_mass, sd.potential_energy):
        with pytest.raises(NotFiniteError, match=r'q\[0\]'):
            function(point, [np.nan])

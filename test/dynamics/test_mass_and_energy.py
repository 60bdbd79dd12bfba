# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Centre of mass, its Jacobian and energies, in 60 digits and beside Pinocchio."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from oracles.exact_model import body_poses, pseudo_inertia, tree_joint_series
from oracles.strategies import models, seeds
from oracles.taylor import exact, high_precision

import screw_dynamics as sd
from screw_dynamics.errors import ModelError, NotFiniteError

# of sums of some dozen rounded terms, relative to the sum of their sizes; the worst is 1.2e-16
ROUNDING = 1e-15


@high_precision
def reference(model, q, qd):
    """Return mass, first moment (3,) and kinetic energy, and the first moment per rate (n, 3)."""
    motions = [body_poses(model, tree_joint_series(model, [q, rate])) for rate in np.eye(model.n)]
    masses = [pseudo_inertia(inertia) for inertia in model.inertias]
    mass = sum(points[3, 3] for points in masses)
    moment, rates = exact(np.zeros(3)), exact(np.zeros((model.n, 3)))
    for i, points in enumerate(masses):
        moment += (motions[0][i][0] @ points[:, 3])[:3]
        for j, motion in enumerate(motions):
            rates[j] += (motion[i][1] @ points[:, 3])[:3]
    moving = body_poses(model, tree_joint_series(model, [q, qd]))
    kinetic = sum(
        np.trace(pose[1] @ points @ pose[1].T) for pose, points in zip(moving, masses, strict=True)
    )
    floats = (np.asarray(x, dtype=np.float64) for x in (mass, moment, kinetic / 2, rates))
    return tuple(floats)


def sizes(model, q):
    """Return how far a body, and how large the moments of the bodies can be, roughly."""
    travel = np.abs(model.multipliers * q[model.coordinates] + model.offsets) + 1.0
    slides = np.abs(model.screws[:, 3:]).sum(axis=1) * travel
    reach = np.abs(model.home_poses[:, :3, 3]).sum() + 2.0 * slides.sum()
    masses, moments = model.inertias[:, 3, 3], np.abs(model.inertias[:, :3, 3:]).sum(axis=(1, 2))
    return reach, (moments + masses * reach).sum()


@settings(max_examples=60)
@given(models(), seeds)
def test_all_are_those_of_60_digits(model, seed):
    q, qd = np.random.default_rng(seed).normal(size=(2, model.n))
    mass, moment, kinetic, rates = reference(model, q, qd)
    assume(mass > 0.0)
    reach, size = sizes(model, q)
    assert np.abs(sd.centre_of_mass(model, q) - moment / mass).max() <= ROUNDING * size / mass
    energy, weight = -moment @ model.gravity, np.abs(model.gravity).sum() * size
    assert abs(sd.potential_energy(model, q) - energy) <= ROUNDING * weight
    factor = np.abs(model.multipliers).sum()
    error = np.abs(sd.centre_of_mass_jacobian(model, q) - rates.T / mass).max()
    assert error <= ROUNDING * factor * (size + mass) / mass
    # about the base, bodies can turn and slide at all rates together
    inertias = np.abs(model.inertias[:, :3, :3]).sum() + 2.0 * reach * size
    turning = (factor * np.abs(qd).sum()) ** 2
    scale = (inertias + 2.0 * size + model.inertias[:, 3, 3].sum()) * turning
    assert abs(sd.kinetic_energy(model, q, qd) - kinetic) <= ROUNDING * scale


def test_batches_are_their_samples():
    model = sd.read_urdf(sd.share_path('urdf/branched_gripper.urdf'))
    q, qd = model.random_configuration(10, seed=1).reshape(2, 5, -1), np.ones((2, 5, model.n))
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
        lists = function(model, *(x[0, 0].tolist() for x in inputs))
        np.testing.assert_array_equal(lists, alone[0][0])
        assert isinstance(lists, float) == isinstance(alone[0][0], float)
        assert function(model, *(x[:0] for x in inputs)).shape == (0, 5, *np.shape(lists))


def test_energies_of_one_state_are_floats():
    model, q = sd.read_urdf(sd.share_path('urdf/planar_2r.urdf')), np.array([0.3, -0.2])
    assert isinstance(sd.potential_energy(model, q), float)
    assert isinstance(sd.kinetic_energy(model, q, q), float)
    post = sd.read_urdf('<robot name="post">\n<link name="base"/></robot>')
    assert sd.potential_energy(post, []) == sd.kinetic_energy(post, [], []) == 0.0


def test_robots_without_mass_and_positions_that_are_not_finite():
    point, slider = (
        sd.ScrewModel.from_screws([-1], [np.eye(4)], [[0, 0, 0, 0, 0, 1]], [inertia])
        for inertia in (np.zeros((6, 6)), np.eye(6))
    )
    for function in (sd.centre_of_mass, sd.centre_of_mass_jacobian):
        for q in ([0.0], np.zeros(1)):
            with pytest.raises(ModelError, match='mass above 0, got 0 kg'):
                function(point, q)
    assert sd.potential_energy(point, [0.0]) == 0.0
    for function in (sd.centre_of_mass, sd.centre_of_mass_jacobian, sd.potential_energy):
        for q in ([np.nan], np.array([np.nan])):
            with pytest.raises(NotFiniteError, match=r'q\[0\]'):
                function(slider, q)

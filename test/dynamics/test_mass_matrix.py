# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles import closed_form
from oracles.random_models import BodyRecipe, random_model
from oracles.strategies import models, seeds

from screw_dynamics import ScrewModel
from screw_dynamics.dynamics.mass_matrix import mass_matrix
from screw_dynamics.lie import inertia_matrix, pose

# Both sides sum products of a few dozen rounded terms: some 1e-14 of the size of the terms.
ROUNDING = 1e-13


@settings(max_examples=50)
@given(models(), seeds)
def test_equals_the_closed_form(model, seed):
    q = np.random.default_rng(seed).normal(size=model.n)
    difference = np.abs(mass_matrix(model, q) - closed_form.mass_matrix(model, q))
    assert difference.max() <= ROUNDING * closed_form.mass_matrix_scale(model, q)


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
        np.testing.assert_allclose(matrix, one, rtol=0.0, atol=ROUNDING * scale)


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

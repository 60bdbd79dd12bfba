# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import numpy as np
import pytest
from oracles.random_models import BodyRecipe, random_inertia, random_model

from screw_dynamics import ScrewModel, inverse_dynamics
from screw_dynamics.dynamics.bias_forces import bias_forces
from screw_dynamics.dynamics.forward_dynamics import forward_dynamics
from screw_dynamics.dynamics.mass_matrix import mass_matrix
from screw_dynamics.errors import NotFiniteError, ShapeError, SingularMassMatrixError
from screw_dynamics.lie import inertia_matrix

TYPES = ['revolute', 'prismatic', 'helical', 'revolute', 'helical', 'prismatic']
SLIDE = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0]
TURN = [0.0, 0.0, 1.0, 0.0, 0.0, 0.0]


def _chain(screws, inertias):
    count = len(screws)
    homes = np.broadcast_to(np.eye(4), (count, 4, 4))
    return ScrewModel.from_screws(range(-1, count - 1), homes, screws, inertias)


def _solve(model):
    return forward_dynamics(model, *np.zeros((3, model.n)))


@pytest.mark.parametrize('mimics', [None, 0])
def test_inverts_inverse_dynamics(rng, mimics):
    recipes = [BodyRecipe(t, parent_back=1 + i % 3) for i, t in enumerate(TYPES)]
    model = random_model(rng, [*recipes, BodyRecipe(mimics=mimics)])
    jet = rng.normal(size=(8, 3, model.n))
    tau = inverse_dynamics(model, jet)[:, 0]
    accelerations = forward_dynamics(model, jet[:, 0], jet[:, 1], tau)
    # the error of a solution grows with the condition number
    condition = np.linalg.cond(mass_matrix(model, jet[:, 0])).max()
    np.testing.assert_allclose(accelerations, jet[:, 2], rtol=0.0, atol=1e-14 * condition)


def test_residual_is_rounding(rng):
    model = random_model(rng, 12)
    q, qd, tau = rng.normal(size=(3, 5, 12))
    accelerations = forward_dynamics(model, q, qd, tau)
    matrices = mass_matrix(model, q)
    residual = np.einsum('tij,tj->ti', matrices, accelerations) + bias_forces(model, q, qd) - tau
    # a backward stable solution has a residual of rounding times |M| |q''|
    scale = np.abs(matrices).sum(axis=2).max() * np.abs(accelerations).max()
    assert np.abs(residual).max() <= 1e-13 * scale


def test_solves_with_very_unlike_inertias():
    # 1 kg at the base, a microgram of a microgram at the tip: regular, however ill scaled
    masses = [1.0, 1e-18]
    inertias = [np.diag([0.0, 0.0, 0.0, mass, mass, mass]) for mass in masses]
    model = _chain([SLIDE, [0.0, 0.0, 0.0, 0.0, 1.0, 0.0]], inertias)
    accelerations = forward_dynamics(model, [0.0, 0.0], [0.0, 0.0], [2.0, 3e-18])
    np.testing.assert_allclose(accelerations, [2.0, 3.0], rtol=1e-15)


def test_names_a_joint_that_moves_massless_links_only(rng):
    model = _chain([TURN, SLIDE], [random_inertia(rng), np.zeros((6, 6))])
    expected = (
        r"singular: joint 'joint_2': expected a relative inertia above 1e-13, got 0: "
        r'all it moves is massless \(body_2\)'
    )
    with pytest.raises(SingularMassMatrixError, match=expected) as caught:
        _solve(model)
    assert caught.value.joint == 'joint_2'
    assert caught.value.pivot == 0.0


def test_names_the_massless_link_between_two_joints_along_one_axis(rng):
    model = _chain([SLIDE, SLIDE], [np.zeros((6, 6)), random_inertia(rng)])
    with pytest.raises(SingularMassMatrixError, match=r"'joint_1'.*massless: body_1") as caught:
        _solve(model)
    assert abs(caught.value.pivot) < 1e-15


def test_names_a_joint_whose_axis_carries_all_its_mass():
    # a point mass on the axis, where rounding leaves an inertia that is not quite zero
    axis = np.array([1.0, 2.0, 3.0]) / np.sqrt(14.0)
    point = inertia_matrix(2.0, 0.7 * axis, np.zeros((3, 3)))
    model = _chain([[*axis, 0.0, 0.0, 0.0]], [point])
    with pytest.raises(SingularMassMatrixError, match=r"'joint_1'.*no inertia along it"):
        _solve(model)


def test_names_the_sample_of_a_batch():
    # the tip's inertia about joint 1 vanishes where joint 2 has drawn it onto the axis
    model = _chain([TURN, SLIDE], [np.zeros((6, 6)), np.diag([0.0, 0.0, 0.0, 1.0, 1.0, 1.0])])
    q = np.array([[0.0, 1.0], [0.0, 0.5], [0.0, 0.0]])
    with pytest.raises(SingularMassMatrixError, match=r"at sample 2: joint 'joint_1'") as caught:
        forward_dynamics(model, q, np.zeros((3, 2)), np.zeros((3, 2)))
    assert caught.value.sample == 2
    forward_dynamics(model, q[:2], np.zeros((2, 2)), np.zeros((2, 2)))


def test_names_wrong_shapes_and_numbers(rng):
    model = random_model(rng, 2)
    with pytest.raises(ShapeError, match=r'tau: expected shape \(2,\), that of q, got \(1, 2\)'):
        forward_dynamics(model, [0.0, 0.0], [0.0, 0.0], [[0.0, 0.0]])
    with pytest.raises(NotFiniteError, match=r'tau\[1\]: expected a finite number, got nan'):
        forward_dynamics(model, [0.0, 0.0], [0.0, 0.0], [0.0, np.nan])


def test_names_an_inertia_that_overflows_only_as_seen_from_the_joint():
    # finite in the frame of its body, 1e320 kg m^2 about the first joint
    homes = np.array([np.eye(4), np.eye(4)])
    homes[1, 0, 3] = 1e10
    heavy = inertia_matrix(1e300, np.zeros(3), 1e300 * np.eye(3))
    model = ScrewModel.from_screws([-1, 0], homes, [TURN, TURN], [np.eye(6), heavy], np.zeros(3))
    with pytest.raises(NotFiniteError, match='overflow'):
        forward_dynamics(model, np.zeros(2), np.zeros(2), np.ones(2))

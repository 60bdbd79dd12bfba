# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Accelerations and joint jets that efforts cause."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from oracles.high_precision import reference_efforts
from oracles.random_models import BodyRecipe, random_inertia, random_model, random_wrench_jets
from oracles.strategies import models, seeds

import screw_dynamics as sd
from screw_dynamics import ScrewModel
from screw_dynamics.dynamics.forward_dynamics import forward_dynamics
from screw_dynamics.errors import (
    InputError,
    NotFiniteError,
    ScrewDynamicsError,
    ShapeError,
    SingularMassMatrixError,
)
from screw_dynamics.lie import inertia_matrix

SLIDE = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0]
TURN = [0.0, 0.0, 1.0, 0.0, 0.0, 0.0]


def _chain(screws, inertias):
    count = len(screws)
    homes = np.broadcast_to(np.eye(4), (count, 4, 4))
    return ScrewModel.from_screws(range(-1, count - 1), homes, screws, inertias)


def _solve(model):
    return forward_dynamics(model, *np.zeros((3, model.n)))


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


@settings(max_examples=12)
@given(models(max_bodies=5, scales=False), seeds, st.integers(0, 5))
def test_the_jet_has_these_efforts(model, seed, order):
    """The residual in 60 digits is rounding; it does not grow with the condition number."""
    rng = np.random.default_rng(seed)
    q, qd = rng.normal(size=(2, model.n))
    efforts = rng.normal(size=(order + 1, model.n))
    try:
        jet = sd.forward_dynamics_jet(model, q, qd, efforts)
    except SingularMassMatrixError:
        assume(False)
    np.testing.assert_array_equal(jet[:2], [q, qd])
    reference = reference_efforts(model, jet)
    mass = np.abs(sd.mass_matrix(model, q))
    for d, row in enumerate(efforts):
        size = reference.scale[d] + (mass @ np.abs(jet[d + 2])).max() + np.abs(row).max()
        np.testing.assert_allclose(reference.efforts[d], row, rtol=0.0, atol=1e-12 * size)


@pytest.mark.parametrize('samples', [None, 3])
def test_wrenches_and_batches(rng, samples):
    recipes = [BodyRecipe(), BodyRecipe('prismatic'), BodyRecipe('helical', parent_back=2)]
    model = random_model(rng, recipes)
    jets = rng.normal(size=(*([] if samples is None else [samples]), 5, model.n))
    wrenches = random_wrench_jets(rng, model, 2)
    efforts = sd.inverse_dynamics(model, jets, wrenches)
    q, qd = jets[..., 0, :], jets[..., 1, :]
    got = sd.forward_dynamics_jet(model, q, qd, efforts, wrenches)
    assert got.shape == jets.shape
    condition = np.linalg.cond(sd.mass_matrix(model, q)).max()
    np.testing.assert_allclose(got, jets, rtol=0.0, atol=1e-12 * condition * np.abs(jets).max())


def test_errors_name_the_argument(rng):
    model = random_model(rng, 2)
    with pytest.raises(ShapeError, match=r'effort_jet: expected shape \(k \+ 1, 2\).*\(2,\)'):
        sd.forward_dynamics_jet(model, [0.0] * 2, [0.0] * 2, [0.0] * 2)
    with pytest.raises(ShapeError, match=r'effort_jet: expected shape \(3, k \+ 1, 2\)'):
        sd.forward_dynamics_jet(model, np.zeros((3, 2)), np.zeros((3, 2)), np.zeros((4, 1, 2)))
    with pytest.raises(ShapeError):
        sd.forward_dynamics_jet(model, [0.0] * 2, [0.0] * 2, np.zeros((0, 2)))
    with pytest.raises(NotFiniteError, match=r'effort_jet\[1, 0\]'):
        sd.forward_dynamics_jet(model, [0.0] * 2, [0.0] * 2, [[0.0] * 2, [np.inf, 0.0]])
    with pytest.raises(NotFiniteError, match=r'qd\[1\]|joint_jet'):
        sd.forward_dynamics_jet(model, [0.0] * 2, [0.0, np.nan], np.zeros((1, 2)))
    with pytest.raises(ScrewDynamicsError):
        sd.forward_dynamics_jet(model, [0.0] * 2, [1e200] * 2, np.zeros((1, 2)))
    with pytest.raises(InputError):
        sd.forward_dynamics_jet(model, [0.0] * 2, [0.0] * 2, [['a', 'b']])

# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The forms of inverse dynamics: recursions, Newton and Euler, and each against the others."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.comparison import assert_agrees
from oracles.high_precision import reference_efforts
from oracles.random_models import BodyRecipe, random_joint_jet, random_model, random_wrench_jets
from oracles.strategies import joint_jets, models, seeds

import screw_dynamics as sd
from screw_dynamics.errors import InputError, ShapeError
from screw_dynamics.lie import adjoint, inverse_pose
from screw_dynamics.series import jet_of_series, series_of_jet
from screw_dynamics.theory.acceleration_energy import equations
from screw_dynamics.theory.closed_form import nth_derivatives
from screw_dynamics.theory.forward_dynamics import any_order
from screw_dynamics.theory.inverse_dynamics import (
    body_fixed,
    euler_jourdain,
    hybrid,
    momentum,
    spatial,
)
from screw_dynamics.theory.tree import Tree

FORMS = [body_fixed, spatial, hybrid, momentum, euler_jourdain, nth_derivatives, equations]
forms = pytest.mark.parametrize('form', FORMS, ids=lambda form: form.__name__.split('.')[-1])


@settings(max_examples=12)
@given(data=st.data(), order=st.integers(0, 5), seed=seeds)
def test_random_trees(data, order, seed):
    model = data.draw(models(scales=False, max_bodies=5))
    jet = data.draw(joint_jets(model.n, order))
    wrenches = random_wrench_jets(np.random.default_rng(seed), model, order)
    reference = reference_efforts(model, jet, wrenches)
    for form in FORMS:
        efforts = form.inverse_dynamics(model, jet, wrenches)
        assert_agrees(efforts, reference, name=form.__name__)


@pytest.mark.parametrize('representation', ['spatial', 'hybrid', 'mixed', 'tool_1', 'base'])
def test_wrenches_in_any_representation(representation, rng):
    """All forms with such wrenches, against body-fixed components made by series arithmetic."""
    recipes = [BodyRecipe(), BodyRecipe('helical'), BodyRecipe('prismatic', mimics=0)]
    model = random_model(rng, [*recipes, BodyRecipe(parent_back=2)])
    order = 4
    jet = random_joint_jet(rng, model.n, order)
    wrenches = random_wrench_jets(rng, model, order, count=4)
    poses = Tree(model, series_of_jet(jet)[None]).poses

    def pose_of(name):
        frame = model.frames[name]
        return poses[frame.body] @ frame.pose if frame.body >= 0 else frame.pose

    in_frames = {}
    for name, wrench in wrenches.items():
        own, components = pose_of(name), series_of_jet(wrench)
        if representation in ('hybrid', 'mixed'):
            turned = np.kron(np.eye(2), own[:3, :3].T) @ components
            if representation == 'mixed':
                turned[:3] = components[:3]
        else:
            source = np.eye(4) if representation == 'spatial' else pose_of(representation)
            turned = adjoint(inverse_pose(source) @ own).T @ components
        in_frames[name] = jet_of_series(turned, order).astype(float)
    expected = reference_efforts(model, jet, in_frames)
    for form in FORMS:
        efforts = form.inverse_dynamics(model, jet, wrenches, wrench_representation=representation)
        assert_agrees(efforts, expected, name=form.__name__)
    back = any_order.forward_dynamics(
        model, jet[0], jet[1], efforts, wrenches, wrench_representation=representation
    )
    np.testing.assert_allclose(back, jet, rtol=1e-8, atol=1e-8)


def test_an_unknown_representation(rng):
    model = random_model(rng, 2)
    expected = "^wrench_representation: expected 'body', .* or the name of a frame, got 'world'$"
    with pytest.raises(InputError, match=expected):
        spatial.inverse_dynamics(model, np.zeros((3, 2)), wrench_representation='world')


@forms
def test_fifty_digits(form, rng):
    """A scalar type of its own all the way through; floats are its rounded result."""
    model = random_model(rng, 3)
    jet = random_joint_jet(rng, model.n, 2)
    with mpmath.workdps(50):
        digits = np.vectorize(lambda x: mpmath.mpf(float(x)), otypes=[object])(jet)
        exact = form.inverse_dynamics(model, digits)
    assert isinstance(exact[0, 0], mpmath.mpf)
    floats = form.inverse_dynamics(model, jet)
    size = 1e-12 * np.abs(floats).max()  # twelve digits of the largest effort
    np.testing.assert_allclose(floats, exact.astype(float), rtol=0, atol=size)


@pytest.fixture
def model(rng: np.random.Generator) -> sd.ScrewModel:
    return random_model(rng, 3)


def test_samples_are_computed_one_by_one(model, rng):
    jets, own, shared = rng.normal(size=(3, 4, 3)), rng.normal(size=(3, 2, 6)), np.ones((2, 6))
    efforts = sd.recursive_body_fixed(model, jets, {'body_1': own, 'tool_3': shared})
    for jet, wrench, row in zip(jets, own, efforts, strict=True):
        loads = {'body_1': wrench, 'tool_3': shared}
        np.testing.assert_array_equal(sd.recursive_body_fixed(model, jet, loads), row)


def test_unusable_arguments_are_named(model):
    jet, body = np.zeros((4, model.n)), model.body_names[0]
    for wrong in (jet[0], jet[:2], jet[:, 1:], jet[None, None]):
        with pytest.raises(ShapeError, match=r'joint_jet: expected shape \(k \+ 3, 3\) or \(T,'):
            sd.recursive_body_fixed(model, wrong)
    with pytest.raises(InputError, match='^model: expected a ScrewModel, got str$'):
        sd.recursive_body_fixed('robot.urdf', jet)
    with pytest.raises(InputError, match=r'^wrench_jets: expected a mapping .*, got list$'):
        sd.recursive_body_fixed(model, jet, [np.zeros((2, 6))])
    with pytest.raises(ShapeError, match=r'expected shape \(2, 6\), got \(1, 6\)'):
        sd.recursive_body_fixed(model, jet, {body: np.zeros((1, 6))})
    with pytest.raises(ShapeError, match=r'expected shape \(2, 6\) or \(5, 2, 6\), got \(4, 2, 6'):
        sd.recursive_body_fixed(model, np.array([jet] * 5), {body: np.zeros((4, 2, 6))})

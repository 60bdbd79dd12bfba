# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Twists in four representations against derivatives of the poses; columns and partials."""

from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.random_models import BodyRecipe, random_joint_jet, random_model
from oracles.strategies import joint_jets, models

import screw_dynamics as sd
from screw_dynamics.errors import ShapeError
from screw_dynamics.series import jet_of_series, series_of_jet
from screw_dynamics.theory.kinematics import accelerations, body_fixed, hybrid, mixed, spatial
from screw_dynamics.theory.tree import Tree

FORMS = [body_fixed, spatial, hybrid, mixed]
forms = pytest.mark.parametrize('form', FORMS, ids=lambda form: form.__name__.split('.')[-1])
STEP = 1e-30  # of complex steps, which do not cancel
RECIPES = [
    BodyRecipe('revolute'),
    BodyRecipe('helical'),
    BodyRecipe('prismatic'),
    BodyRecipe('revolute', parent_back=2),
    BodyRecipe('helical'),
]


def defined_twists(form, poses, orders):
    """Return the twists as they are defined, from poses as truncated series in time."""
    twists = np.zeros((len(poses), orders, 6))
    for i, pose in enumerate(poses):
        c = jet_of_series(pose, orders).astype(float)
        r, x = c[:, :3, :3], c[:, :3, 3]
        in_base = [leibniz(k, r[1:], r.transpose(0, 2, 1)) for k in range(orders)]
        in_body = [leibniz(k, r.transpose(0, 2, 1), r[1:]) for k in range(orders)]
        w = np.array([sd.lie.vee(m) for m in in_base])
        if form in (body_fixed, mixed):
            twists[i, :, :3] = [sd.lie.vee(m) for m in in_body]
        else:
            twists[i, :, :3] = w
        for k in range(orders):
            if form is body_fixed:
                twists[i, k, 3:] = leibniz(k, r.transpose(0, 2, 1), x[1:])
            else:
                twists[i, k, 3:] = x[k + 1]
            if form is spatial:
                for s in range(k + 1):
                    twists[i, k, 3:] += comb(k, s) * np.cross(x[s], w[k - s])
    return twists


def leibniz(k, a, b):
    return sum(comb(k, s) * a[s] @ b[k - s] for s in range(k + 1))


def assert_close(got, expected, size, form=None):
    """Compare twelve digits of a size that the numbers come from."""
    name = getattr(form, '__name__', '')
    np.testing.assert_allclose(got, expected, rtol=0, atol=1e-12 * size, err_msg=name)


def twists_and_their_size(model, jet):
    """
    Return the twists in four forms, and the largest entry of all.

    A spatial twist is made of what the others are, at the base's origin: its size bounds all.
    """
    twists = {form: form.twists(model, jet) for form in FORMS}
    return twists, max(np.abs(entry).max(initial=1e-30) for entry in twists.values())


@given(data=st.data(), order=st.integers(0, 4))
def test_twists_are_the_derivatives_of_the_poses(data, order):
    model = data.draw(models(scales=False))
    jet = data.draw(joint_jets(model.n, order))
    twists, size = twists_and_their_size(model, jet)
    poses = Tree(model, series_of_jet(jet)[None]).poses
    # a body's origin on its axis rests: derivatives of the pose cancel there
    size = max([size, *(np.abs(jet_of_series(pose, len(jet) - 1)).max() for pose in poses)])
    for form in FORMS:
        assert_close(twists[form], defined_twists(form, poses, len(jet) - 1), size, form)


@settings(max_examples=10)
@given(data=st.data())
def test_columns_make_up_the_twists(data):
    model = data.draw(models(scales=False))
    jet = data.draw(joint_jets(model.n, 2))
    twists, size = twists_and_their_size(model, jet)
    rates = Tree(model, jet).joints[1:]
    for form in FORMS:
        columns = form.jacobian_columns(model, jet)
        for k in range(len(rates)):
            total = sum(
                comb(k, s) * np.einsum('ijx,j->ix', columns[:, :, s], rates[k - s])
                for s in range(k + 1)
            )
            assert_close(twists[form][:, k], total, size, form)


@forms
def test_partial_derivatives_of_three_orders(form, rng):
    """Each order against a complex step of the one before; the order of the joints is free."""
    model = random_model(rng, RECIPES)
    q = random_joint_jet(rng, model.n, 0)[0]
    numbers = range(model.n)
    for by in numbers:
        moved = q.astype(complex)
        moved[by] += 1j * STEP
        slopes = form.jacobian_columns(model, moved[None])[:, :, 0].imag / STEP
        for i in numbers:
            for j in numbers:
                assert_close(form.partial_derivative(model, q, i, j, [by]), slopes[i, j], 1.0)
            for others in ([0], [4], [1, 1], [3, 0]):
                slope = form.partial_derivative(model, moved, i, by, others).imag / STEP
                got = form.partial_derivative(model, q, i, by, [by, *others])
                assert_close(got, slope, 1.0)


@settings(max_examples=10)
@given(data=st.data())
def test_explicit_accelerations_and_jerks(data):
    model = data.draw(models(scales=False))
    jet = data.draw(joint_jets(model.n, 1))
    twists, size = twists_and_their_size(model, jet)
    for form in FORMS:
        name = form.__name__.split('.')[-1]
        for kind, row in (('accelerations', 1), ('jerks', 2)):
            explicit = getattr(accelerations, f'{name}_{kind}')(model, jet[: row + 2])
            assert_close(explicit, twists[form][:, row], size, form)
    system = spatial.system_accelerations(model, jet)
    assert_close(system, twists[spatial][:, 1], size, spatial)


def test_partial_derivatives_of_relative_poses(rng):
    model = random_model(rng, RECIPES)
    q = random_joint_jet(rng, model.n, 0)[0]
    for joint in range(model.n):
        moved = q.astype(complex)
        moved[joint] += 1j * STEP
        poses = Tree(model, moved[None]).poses
        for i, j in ((4, 0), (0, 4), (4, 1), (3, 3)):
            slope = (sd.lie.inverse_pose(poses[i]) @ poses[j]).imag / STEP
            assert_close(body_fixed.partial_of_relative_pose(model, q, i, j, joint), slope, 1.0)


def test_jets_with_too_few_rows_are_named(rng):
    model = random_model(rng, 2)
    functions = [(3, spatial.system_accelerations), *((2, form.twists) for form in FORMS)]
    for form in ('body_fixed', 'spatial', 'hybrid', 'mixed'):
        functions.append((3, getattr(accelerations, f'{form}_accelerations')))
        functions.append((4, getattr(accelerations, f'{form}_jerks')))
    for least, function in functions:
        function(model, np.ones((least, 2)))
        with pytest.raises(ShapeError, match=rf'joint_jet: expected shape .*r >= {least}, got'):
            function(model, np.ones((least - 1, 2)))

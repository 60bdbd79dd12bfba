# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Twists in four representations against derivatives of the poses; columns and partials."""

from __future__ import annotations

from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles.random_models import BodyRecipe, random_joint_jet, random_model
from oracles.strategies import joint_jets, models

import screw_dynamics as sd
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


def defined_twists(form, model, jet):
    """Return the twists as they are defined, from poses as truncated series in time."""
    orders = len(jet) - 1
    twists = np.zeros((model.body_count, orders, 6))
    for i, pose in enumerate(Tree(model, series_of_jet(jet)[None]).poses):
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


def assert_close(got, expected, size=None):
    """Compare twelve digits of the largest number, or of that which it comes from."""
    size = np.abs(expected).max(initial=1e-30) if size is None else size
    np.testing.assert_allclose(got, expected, rtol=0, atol=1e-12 * size)


@forms
@given(data=st.data(), order=st.integers(0, 4))
def test_twists_are_the_derivatives_of_the_poses(form, data, order):
    model = data.draw(models(scales=False))
    jet = data.draw(joint_jets(model.n, order))
    twists = form.twists(model, jet)
    expected = defined_twists(form, model, jet)
    # a spatial twist is made of what the others are, at the base's origin
    size = max(np.abs(other.twists(model, jet)).max() for other in FORMS)
    assert_close(twists, expected, max(size, 1e-30))


@forms
@given(data=st.data())
def test_columns_make_up_the_twists(form, data):
    model = data.draw(models(scales=False))
    jet = data.draw(joint_jets(model.n, 2))
    columns, rates = form.jacobian_columns(model, jet), Tree(model, jet).joints[1:]
    for k in range(len(rates)):
        total = sum(
            comb(k, s) * np.einsum('ijx,j->ix', columns[:, :, s], rates[k - s])
            for s in range(k + 1)
        )
        size = max(np.abs(other.twists(model, jet)).max() for other in FORMS)
        assert_close(form.twists(model, jet)[:, k], total, max(size, 1e-30))


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


@forms
@given(data=st.data())
def test_explicit_accelerations_and_jerks(form, data):
    model = data.draw(models(scales=False))
    jet = data.draw(joint_jets(model.n, 1))
    name, twists = form.__name__.split('.')[-1], form.twists(model, jet)
    size = max(np.abs(other.twists(model, jet)).max() for other in FORMS)
    for kind, row in (('accelerations', 1), ('jerks', 2)):
        explicit = getattr(accelerations, f'{name}_{kind}')(model, jet[: row + 2])
        assert_close(explicit, twists[:, row], max(size, 1e-30))

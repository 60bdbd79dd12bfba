# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Seven forms of inverse dynamics against 60-digit arithmetic on random trees, orders 0 to 5."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles.comparison import assert_agrees
from oracles.high_precision import reference_efforts
from oracles.random_models import random_joint_jet, random_model, random_wrench_jets
from oracles.strategies import joint_jets, models, seeds

import screw_dynamics as sd
from screw_dynamics.theory.acceleration_energy import equations
from screw_dynamics.theory.closed_form import nth_derivatives
from screw_dynamics.theory.inverse_dynamics import (
    body_fixed,
    euler_jourdain,
    hybrid,
    momentum,
    spatial,
)

FORMS = [body_fixed, spatial, hybrid, momentum, euler_jourdain, nth_derivatives, equations]
forms = pytest.mark.parametrize('form', FORMS, ids=lambda form: form.__name__.split('.')[-1])


@forms
@given(data=st.data(), order=st.integers(0, 5), seed=seeds)
def test_random_trees(form, data, order, seed):
    model = data.draw(models(scales=False, max_bodies=5))
    jet = data.draw(joint_jets(model.n, order))
    wrenches = random_wrench_jets(np.random.default_rng(seed), model, order)
    efforts = form.inverse_dynamics(model, jet, wrenches)
    assert_agrees(efforts, reference_efforts(model, jet, wrenches))


@forms
@pytest.mark.parametrize('robot', ['iiwa14', 'panda', 'branched_gripper', 'planar_2r'])
@pytest.mark.filterwarnings('ignore::screw_dynamics.errors.InertiaWarning')
def test_robots_of_the_package(form, robot, rng):
    model = sd.read_urdf(sd.share_path(f'urdf/{robot}.urdf'))
    jet = random_joint_jet(rng, model.n, 3)
    assert_agrees(form.inverse_dynamics(model, jet), reference_efforts(model, jet))


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

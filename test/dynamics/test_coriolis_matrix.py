# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from oracles import closed_form
from oracles.strategies import models, seeds

from screw_dynamics.dynamics.coriolis_matrix import coriolis_matrix

# See test_mass_matrix.py; the reference adds some rounding of its own, as it sums n products.
ROUNDING = 1e-12


def _state(model, seed):
    return np.random.default_rng(seed).normal(size=(2, model.n))


def _bound(model, q, qd):
    # C is M' along one joint at a time: angles are of order 1, lengths are in the mass matrix,
    # and sliding joints contribute their speed over the length that they reach
    scale = closed_form.mass_matrix_scale(model, q)
    gradient = np.abs(closed_form.mass_matrix_gradient(model, q)).max()
    return ROUNDING * max(scale, gradient) * np.abs(qd).sum()


@settings(max_examples=30)
@given(models(max_bodies=6), seeds)
def test_consists_of_the_christoffel_symbols(model, seed):
    q, qd = _state(model, seed)
    expected = closed_form.christoffel_coriolis_matrix(model, q, qd)
    difference = np.abs(coriolis_matrix(model, q, qd) - expected)
    assert difference.max() <= _bound(model, q, qd)


@settings(max_examples=30)
@given(models(max_bodies=6), seeds)
def test_mass_matrix_rate_minus_twice_it_is_skew(model, seed):
    q, qd = _state(model, seed)
    rate = np.imag(closed_form.mass_matrix(model, q + 1j * closed_form.STEP * qd))
    skew = rate / closed_form.STEP - 2.0 * coriolis_matrix(model, q, qd)
    assert np.abs(skew + skew.T).max() <= 2.0 * _bound(model, q, qd)


@given(models(), seeds)
def test_is_linear_in_the_rates(model, seed):
    q, qd = _state(model, seed)
    np.testing.assert_array_equal(
        coriolis_matrix(model, q, 4.0 * qd), 4.0 * coriolis_matrix(model, q, qd)
    )
    np.testing.assert_array_equal(
        coriolis_matrix(model, q, np.zeros(model.n)), np.zeros((model.n, model.n))
    )

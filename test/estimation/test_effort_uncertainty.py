# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Uncertainty of the efforts: against random draws, and through the whole estimate."""

from __future__ import annotations

import numpy as np
import pytest
from oracles.random_models import random_model

import screw_dynamics as sd
from screw_dynamics.errors import NotFiniteError, ShapeError
from screw_dynamics.estimation import measured_motion
from screw_dynamics.estimation.effort_uncertainty import (
    effort_standard_deviations,
    propagate_uncertainty,
)


def test_it_is_the_spread_of_random_draws(rng):
    model = random_model(rng, 3)
    jets = rng.normal(size=(4, 5, 3))
    scale = 1e-3 * np.array([1.0, 10.0, 100.0, 1e3, 1e4])
    roots = np.tril(rng.normal(size=(4, 3, 5, 5))) * scale[:, None]
    covariances = roots @ roots.transpose(0, 1, 3, 2)
    draws = 40_000
    noise = np.einsum('tjab,stjb->staj', roots, rng.normal(size=(draws, 4, 3, 5)))
    efforts = sd.inverse_dynamics(model, (jets + noise).reshape(-1, 5, 3)).reshape(draws, 4, 3, 3)
    expected = efforts.std(axis=0)
    found = effort_standard_deviations(model, jets, covariances)
    np.testing.assert_allclose(found, expected, rtol=0.03)


def test_no_uncertainty_in_none_out(rng):
    model = random_model(rng, 2)
    found = effort_standard_deviations(model, rng.normal(size=(3, 4, 2)), np.zeros((3, 2, 4, 4)))
    assert found.shape == (3, 2, 2) and not found.any()


def test_covariances_of_very_unequal_rows(rng):
    """Of a nearly certain position and a hardly known snap; singular, too."""
    model = random_model(rng, 2)
    jets = rng.normal(size=(1, 5, 2))
    deviations = np.array([1e-9, 1e-6, 1e-3, 1.0, 1e3])
    covariance = np.broadcast_to(np.outer(deviations, deviations), (1, 2, 5, 5))
    found = effort_standard_deviations(model, jets, covariance)
    # fully correlated rows: one direction per joint
    expected = np.zeros((1, 3, 2))
    for j in range(2):
        step = np.zeros((1, 5, 2))
        step[:, :, j] = deviations
        difference = sd.inverse_dynamics(model, jets + step) - sd.inverse_dynamics(
            model, jets - step
        )
        expected += (0.5 * difference) ** 2
    np.testing.assert_allclose(found, np.sqrt(expected), rtol=1e-6)


def test_odd_terms_count_and_even_ones_do_not():
    covariances = np.zeros((1, 1, 3, 3))
    covariances[0, 0, 0, 0] = 0.25

    def found(function):
        jets = np.zeros((1, 3, 1))
        return propagate_uncertainty(lambda x: function(x[:, 0, 0]), jets, covariances)

    assert found(lambda q: q + q**3) == pytest.approx(0.5 + 0.5**3, rel=1e-14)
    assert found(lambda q: 3.0 * q + q**2) == pytest.approx(1.5, rel=1e-14)


def test_bands_of_the_efforts_cover_the_true_efforts(rng):
    model = sd.read_urdf(sd.share_path('urdf/planar_2r.urdf'))
    rates = np.array([2.0, 3.0])
    shifts = np.arange(5) * np.pi / 2

    def true(times):
        angles = times[:, None, None] * rates + shifts[:, None]
        return rates ** np.arange(5)[:, None] * np.sin(angles)

    times = np.linspace(0.0, 5.0, 1500)
    samples = true(times)[:, 0] + 1e-4 * rng.normal(size=(1500, 2))
    motion = measured_motion(times, samples)
    jets, covariances = motion.jets(times), motion.covariances(times)
    found = effort_standard_deviations(model, jets, covariances)
    error = sd.inverse_dynamics(model, jets) - sd.inverse_dynamics(model, true(times))
    assert (np.abs(error) < 2 * found).mean(axis=(0, 2)).min() > 0.9
    assert (np.abs(error) > 0.1 * found).mean() > 0.5


def test_arguments_are_checked(rng):
    model = random_model(rng, 2)
    with pytest.raises(ShapeError, match=r'joint_jet: expected shape \(T, r, n\)'):
        effort_standard_deviations(model, np.zeros((3, 2)), np.zeros((1, 2, 3, 3)))
    with pytest.raises(ShapeError, match=r'covariances: expected shape \(4, 2, 3, 3\)'):
        effort_standard_deviations(model, np.zeros((4, 3, 2)), np.zeros((3, 2, 3, 3)))
    with pytest.raises(ShapeError, match=r'joint_jet: expected shape .*k \+ 3, 2'):
        effort_standard_deviations(model, np.zeros((4, 3, 5)), np.zeros((4, 5, 3, 3)))
    with pytest.raises(NotFiniteError, match='covariances'):
        effort_standard_deviations(model, np.zeros((1, 3, 2)), np.full((1, 2, 3, 3), np.nan))

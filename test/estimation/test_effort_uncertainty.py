# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Uncertainty of efforts, and the splines behind it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles.random_models import random_model
from scipy.interpolate import BSpline
from sine_motions import sines

import screw_dynamics as sd
from screw_dynamics.errors import NotFiniteError, ShapeError
from screw_dynamics.estimation import measured_motion
from screw_dynamics.estimation.effort_uncertainty import (
    effort_standard_deviations,
    propagate_uncertainty,
)
from screw_dynamics.estimation.spline_system import SmoothingSystem, UniformKnots, band_of_inverse


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


def test_bands_of_the_efforts_cover_the_true_efforts(rng, planar):
    times = np.linspace(0.0, 5.0, 1500)
    true = sines(times, [2.0, 3.0])
    samples = true[:, 0] + 1e-4 * rng.normal(size=(1500, 2))
    motion = measured_motion(times, samples)
    jets, covariances = motion.jets(times), motion.covariances(times)
    found = effort_standard_deviations(planar, jets, covariances)
    error = sd.inverse_dynamics(planar, jets) - sd.inverse_dynamics(planar, true)
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


KNOTS = UniformKnots(-0.3, 0.25, 12, 5)


def scipy_basis(knots: UniformKnots, times, derivative=0):
    """Return (T, K + degree) values by scipy."""
    p = knots.degree
    places = knots.start + knots.spacing * np.arange(-p, knots.intervals + p + 1)
    size = knots.intervals + p
    functions = [BSpline(places, row, p).derivative(derivative) for row in np.eye(size)]
    return np.column_stack([function(times) for function in functions])


def gathered(knots, times, derivative):
    index, part = knots.intervals_of(times)
    full = np.zeros((len(times), knots.intervals + knots.degree))
    rows = np.arange(len(times))[:, None]
    full[rows, index[:, None] + np.arange(knots.degree + 1)] = knots.weights(part, derivative + 1)[
        -1
    ]
    return full


@pytest.mark.parametrize('derivative', range(6))
@pytest.mark.parametrize('degree', [1, 3, 5])
def test_basis_functions_are_those_of_scipy(degree, derivative, rng):
    knots = KNOTS._replace(degree=degree)
    times = rng.uniform(-0.3, 2.7, 50)
    if derivative <= degree:
        expected = scipy_basis(knots, times, derivative)
        scale = np.abs(expected).max()
        np.testing.assert_allclose(
            gathered(knots, times, derivative), expected, atol=1e-12 * scale, rtol=0
        )


class Dense:
    """The same problem with full matrices; the penalty is an integral by quadrature."""

    def __init__(self, knots, times, samples, smoothing):
        self.basis = scipy_basis(knots, times)
        middles = knots.start + knots.spacing * (np.arange(knots.intervals) + 0.5)
        bends = scipy_basis(knots, middles, knots.degree)  # constant on each interval
        integral = knots.spacing ** (2 * knots.degree) * (bends.T * smoothing) @ bends
        self.matrix = self.basis.T @ self.basis + integral
        self.coefficients = np.linalg.solve(self.matrix, self.basis.T @ samples)
        residual = samples - self.basis @ self.coefficients
        self.minimum = (residual**2).sum(axis=0) + np.einsum(
            'in,ij,jn->n', self.coefficients, integral, self.coefficients
        )

    def deviance(self, samples, smoothing):
        free = len(samples) - 5
        determinant = np.linalg.slogdet(self.matrix)[1] - np.log(smoothing).sum()
        return free * np.log(self.minimum / free) + determinant


@pytest.mark.parametrize('size', [2.0**-13, 1.0, 300.0])
def test_solution_minimum_likelihood_and_covariance_are_those_of_dense_algebra(size, rng):
    smoothing = size / 8.0 * np.arange(4.0, 16.0)  # of each interval
    times = rng.uniform(-0.3, 2.7, 60)
    samples = np.column_stack((np.sin(3 * times), rng.normal(size=60)))
    system = SmoothingSystem(KNOTS, times, samples)
    dense = Dense(KNOTS, times, samples, smoothing)
    factor = system.factor(smoothing)
    coefficients, minimum = system.solve(smoothing, factor)
    np.testing.assert_allclose(coefficients, dense.coefficients, rtol=1e-8, atol=1e-8)
    np.testing.assert_allclose(minimum, dense.minimum, rtol=1e-8)
    inverse = np.linalg.inv(dense.matrix)
    band = band_of_inverse(factor)
    for k in range(6):
        diagonal = np.diagonal(inverse, k)
        np.testing.assert_allclose(
            band[k, : len(diagonal)], diagonal, rtol=1e-7, atol=1e-9 * np.abs(inverse).max()
        )
    # likelihoods are compared up to the constant that they are known to
    other = 3.0 * smoothing
    difference = system.deviance(other) - system.deviance(smoothing)
    expected = Dense(KNOTS, times, samples, other).deviance(samples, other)
    expected = expected - dense.deviance(samples, smoothing)
    np.testing.assert_allclose(difference, expected, rtol=1e-6, atol=1e-6)


@given(st.integers(1, 12), st.integers(0, 5), st.integers(0, 2**32 - 1))
def test_band_of_the_inverse_of_any_band_matrix(count, bandwidth, seed):
    rng = np.random.default_rng(seed)
    lower = np.tril(rng.normal(size=(count, count)))
    lower = lower - np.tril(lower, -bandwidth - 1)
    np.fill_diagonal(lower, rng.uniform(0.5, 2.0, count))
    factor = np.zeros((bandwidth + 1, count))
    for k in range(min(bandwidth + 1, count)):
        factor[k, : count - k] = np.diagonal(lower, -k)
    inverse = np.linalg.inv(lower @ lower.T)
    band = band_of_inverse(factor)
    for k in range(min(bandwidth + 1, count)):
        np.testing.assert_allclose(
            band[k, : count - k], np.diagonal(inverse, -k), atol=1e-8 * np.abs(inverse).max()
        )


def test_heavy_smoothing_leaves_a_polynomial_untouched():
    """Refinement makes up for the digits lost in the normal equations."""
    times = np.linspace(0.0, 1.0, 400)
    samples = np.polyval([3.0, -2.0, 0.7, 1.1, 5.0], times)[:, None]
    knots = UniformKnots(0.0, 1.0 / 200, 200, 5)
    system = SmoothingSystem(knots, times, samples)
    smoothing = np.full(200, 2e10)
    coefficients, _ = system.solve(smoothing, system.factor(smoothing))
    index, part = knots.intervals_of(times)
    fit = (knots.weights(part, 1)[0] * coefficients[index[:, None] + np.arange(6), 0]).sum(axis=1)
    np.testing.assert_allclose(fit, samples[:, 0], atol=1e-10)


def test_noise_is_what_a_polynomial_leaves_per_degree_of_freedom(rng):
    times = np.linspace(0.0, 1.0, 20)
    samples = np.column_stack((rng.normal(size=20), 1e3 + 0.01 * rng.normal(size=20)))
    system = SmoothingSystem(UniformKnots(0.0, 1.0 / 8, 8, 5), times, samples)
    smoothing = np.full(8, 1e9)
    _, minimum = system.solve(smoothing, system.factor(smoothing))
    residuals = [np.polyfit(times, column, 4, full=True)[1][0] for column in samples.T]
    np.testing.assert_allclose(
        system.noise_variance(minimum), np.array(residuals) / (20 - 5), rtol=1e-6
    )
    # no less than what the last digits of the samples are worth
    least = (np.finfo(float).eps * np.abs(samples).max(axis=0)) ** 2
    np.testing.assert_array_equal(system.noise_variance(np.zeros(2)), least)

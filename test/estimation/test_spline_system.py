# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The banded algebra of the smoothing spline against dense algebra and another B-spline code."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.interpolate import BSpline

from screw_dynamics.estimation.spline_system import SmoothingSystem, UniformKnots, band_of_inverse

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
    full[rows, index[:, None] + np.arange(knots.degree + 1)] = knots.weights(part, derivative)
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
        integral = knots.spacing * bends.T @ bends
        weight = smoothing * knots.spacing ** (2 * knots.degree - 1)
        self.matrix = self.basis.T @ self.basis + weight * integral
        self.coefficients = np.linalg.solve(self.matrix, self.basis.T @ samples)
        residual = samples - self.basis @ self.coefficients
        self.minimum = (residual**2).sum(axis=0) + weight * np.einsum(
            'in,ij,jn->n', self.coefficients, integral, self.coefficients
        )

    def deviance(self, samples, intervals, smoothing):
        free = len(samples) - 5
        determinant = np.linalg.slogdet(self.matrix)[1] - intervals * np.log(smoothing)
        return free * np.log(self.minimum / free) + determinant


@pytest.mark.parametrize('smoothing', [1e-4, 1.0, 300.0])
def test_solution_minimum_likelihood_and_covariance_are_those_of_dense_algebra(smoothing, rng):
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
    expected = Dense(KNOTS, times, samples, other).deviance(samples, 12, other)
    expected = expected - dense.deviance(samples, 12, smoothing)
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
    smoothing = 2e10
    coefficients, _ = system.solve(smoothing, system.factor(smoothing))
    index, part = knots.intervals_of(times)
    fit = (knots.weights(part) * coefficients[index[:, None] + np.arange(6), 0]).sum(axis=1)
    np.testing.assert_allclose(fit, samples[:, 0], atol=1e-10)


def test_noise_is_what_a_polynomial_leaves_per_degree_of_freedom(rng):
    times = np.linspace(0.0, 1.0, 20)
    samples = np.column_stack((rng.normal(size=20), 1e3 + 0.01 * rng.normal(size=20)))
    system = SmoothingSystem(UniformKnots(0.0, 1.0 / 8, 8, 5), times, samples)
    smoothing = 1e9
    _, minimum = system.solve(smoothing, system.factor(smoothing))
    residuals = [np.polyfit(times, column, 4, full=True)[1][0] for column in samples.T]
    np.testing.assert_allclose(
        system.noise_variance(minimum), np.array(residuals) / (20 - 5), rtol=1e-6
    )
    # no less than what the last digits of the samples are worth
    least = (np.finfo(float).eps * np.abs(samples).max(axis=0)) ** 2
    np.testing.assert_array_equal(system.noise_variance(np.zeros(2)), least)

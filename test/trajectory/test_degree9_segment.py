# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The matrices of the degree-9 segment against rational arithmetic and quadrature."""

from __future__ import annotations

from fractions import Fraction
from math import factorial, perm

import numpy as np
import pytest

from screw_dynamics.trajectory.smooth import degree9_segment as nonic


def derivative(coefficients, order, u):
    """Evaluate a derivative of a power series in u exactly."""
    return sum(
        perm(k, order) * c * u ** (k - order) for k, c in enumerate(coefficients) if k >= order
    )


@pytest.mark.parametrize('datum', range(10))
def test_each_column_of_the_hermite_matrix_takes_on_one_datum(datum):
    column = [Fraction(c).limit_denominator(1000) for c in nonic.HERMITE[:, datum]]
    np.testing.assert_allclose([float(c) for c in column], nonic.HERMITE[:, datum], rtol=1e-15)
    data = [derivative(column, r, u) for u in (0, 1) for r in range(5)]
    assert data == [int(i == datum) for i in range(10)]


def test_the_bernstein_matrix_of_the_position_reproduces_the_polynomial():
    rng = np.random.default_rng(0)
    coefficients = rng.normal(size=10)
    u = np.linspace(0.0, 1.0, 11)
    hull = nonic.bernstein_matrix(9) @ coefficients
    basis = np.array(
        [
            factorial(9) / factorial(i) / factorial(9 - i) * u**i * (1 - u) ** (9 - i)
            for i in range(10)
        ]
    )
    np.testing.assert_allclose(hull @ basis, np.polyval(coefficients[::-1], u), atol=1e-14)


def test_the_velocity_hull_bounds_the_velocity():
    rng = np.random.default_rng(1)
    u = np.linspace(0.0, 1.0, 101)
    for data in rng.normal(size=(50, 10)):
        velocity = np.polyval(np.polyder((nonic.HERMITE @ data)[::-1]), u)
        hull = nonic.VELOCITY_HULL @ data
        margin = 1e-12 * np.abs(hull).max()
        assert hull.min() - margin <= velocity.min()
        assert velocity.max() <= hull.max() + margin
        np.testing.assert_allclose(hull[[0, -1]], data[[1, 6]], atol=1e-12)


def test_roughness_is_the_stated_integral():
    rng = np.random.default_rng(2)
    nodes, weights = np.polynomial.legendre.leggauss(10)
    u, weights = (nodes + 1.0) / 2.0, weights / 2.0
    for data in rng.normal(size=(10, 10)):
        power = (nonic.HERMITE @ data)[::-1]
        expected = sum(
            factor * weights @ np.polyval(np.polyder(power, order), u) ** 2
            for factor, order in ((300.0, 3), (1.0, 4), (0.02, 5))
        )
        assert data @ nonic.ROUGHNESS @ data == pytest.approx(expected, rel=1e-9)


def test_a_large_common_offset_costs_no_accuracy():
    h = np.array([0.5])
    jets = np.zeros((2, 5, 1))
    jets[1, 0] = 1.0
    plain = nonic.segment_coefficients(h, jets)
    jets[:, 0] += 2.0**20
    shifted = nonic.segment_coefficients(h, jets)
    np.testing.assert_array_equal(shifted[:, 1:], plain[:, 1:])
    assert shifted[0, 0, 0] == 2.0**20

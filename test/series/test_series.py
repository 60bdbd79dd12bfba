# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Series as scalars, jets and series of matrices, compared with mpmath and with calculus."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from screw_dynamics.errors import InputError, ShapeError
from screw_dynamics.lie.scalars import atan, cos, sin, sqrt
from screw_dynamics.series import (
    Series,
    jet_of_coefficients,
    jet_of_series,
    leibniz_terms,
    matrix_series,
    series_of_jet,
    taylor_coefficients,
    taylor_shifted,
)
from screw_dynamics.series.jets import jet

ORDER = 5


def random_series(seed: int, constant: float, order: int = ORDER) -> Series:
    rates = np.random.default_rng(seed).normal(size=order).tolist()
    return Series([constant, *rates])


def at(series: Series, time: mpmath.mpf) -> mpmath.mpf:
    return sum(mpmath.mpf(a) * time**k for k, a in enumerate(series.coefficients))


@pytest.mark.parametrize(
    ('function', 'reference'),
    [
        (sin, mpmath.sin),
        (cos, mpmath.cos),
        (atan, mpmath.atan),
        (sqrt, mpmath.sqrt),
        (lambda x: 1 / x, lambda x: 1 / x),
        (lambda x: (2 - x) / (x + 3), lambda x: (2 - x) / (x + 3)),
        (lambda x: x**3 - 2 * x, lambda x: x**3 - 2 * x),
    ],
)
@pytest.mark.parametrize('constant', [0.5, 2.0])
def test_functions_have_the_taylor_coefficients_of_mpmath(function, reference, constant):
    series = random_series(1, constant)
    with mpmath.workdps(60):
        expected = mpmath.taylor(lambda t: reference(at(series, t)), 0, ORDER)
    # coefficients grow up to 1e3 with the powers of rates of order one
    np.testing.assert_allclose(function(series).coefficients, [float(e) for e in expected], 1e-11)


@given(seeds=st.tuples(*[st.integers(0, 2**32 - 1)] * 3))
def test_series_are_a_commutative_ring(seeds):
    a, b, c = (random_series(seed, seed % 7 / 3.0) for seed in seeds)

    def close(one: Series, other: Series) -> bool:
        return np.allclose(one.coefficients, other.coefficients, rtol=1e-12, atol=1e-12)

    assert close(a * b, b * a)
    assert close((a * b) * c, a * (b * c))
    assert close(a * (b + c), a * b + a * c)
    assert close(a - a, Series([0.0] * (ORDER + 1))) and not a - a
    assert close(sin(a) ** 2 + cos(a) ** 2, 1 + 0 * a)


def test_the_order_of_a_result_is_the_smaller_one():
    assert (random_series(1, 1.0, 2) * random_series(2, 1.0, 4)).order == 2
    assert (random_series(1, 1.0, 2) + 1).order == 2
    assert Series([1.0, 0.0]) == 1.0 and hash(Series([1.0, 0.0])) == hash(1.0)
    assert Series([1.0, 2.0]) != Series([1.0, 3.0])


def test_arrays_of_series_and_numbers_mix():
    a = np.array([Series([1.0, 2.0]), Series([0.0, 1.0])])
    assert (np.array([2.0, 3.0]) @ a).coefficients == (2.0, 7.0)
    assert [entry.coefficients for entry in a[0] * np.array([1.0, 2.0])] == [
        (1.0, 2.0),
        (2.0, 4.0),
    ]
    assert (np.float64(2.0) * a[0] - np.float64(1.0)).coefficients == (1.0, 4.0)
    assert (3.0 - a[0]).coefficients == (2.0, -2.0)


def test_jets_and_series_are_inverse(rng):
    jet = rng.normal(size=(5, 2, 3))
    np.testing.assert_allclose(jet_of_coefficients(taylor_coefficients(jet)), jet, rtol=1e-15)
    series = series_of_jet(jet)
    assert series.shape == (2, 3)
    np.testing.assert_allclose(jet_of_series(series, 4).astype(float), jet, rtol=1e-15)
    constant = jet_of_series(np.array([2.5]), 2)
    assert constant.tolist() == [[2.5], [0], [0]]


def test_series_continue_a_motion_like_its_jet(rng):
    """The polynomial of a jet, taken at a later time, has the shifted jet."""
    jet = rng.normal(size=(5, 1))
    later = series_of_jet(jet)[0]
    # q(0.3 + t) by substitution of the series 0.3 + t
    time = Series([0.3, 1.0, 0.0, 0.0, 0.0])
    total = Series([0.0] * 5)
    for coefficient in reversed(later.coefficients):
        total = total * time + coefficient
    found = jet_of_series(np.array([total]), 4).astype(float)
    np.testing.assert_allclose(found, taylor_shifted(jet, 0.3), atol=1e-14)


def test_leibniz_terms_are_those_of_the_product(rng):
    a, b = rng.normal(size=(5, 3, 3)), rng.normal(size=(5, 3, 2))
    product = jet_of_coefficients(
        matrix_series.product(taylor_coefficients(a), taylor_coefficients(b))
    )
    for k in range(5):
        np.testing.assert_allclose(sum(leibniz_terms(k, a, b)), product[k], rtol=1e-12, atol=1e-13)


def test_the_inverse_of_a_series_of_matrices(rng):
    a = rng.normal(size=(4, 3, 3)) + 3.0 * np.eye(3)
    inverse = matrix_series.inverse(a, np.linalg.inv(a[0]))
    identity = np.concatenate([[np.eye(3)], np.zeros((3, 3, 3))])
    # the coefficients of the inverse are products of up to four inverses
    np.testing.assert_allclose(matrix_series.product(a, inverse), identity, atol=1e-11)


def test_the_exponential_of_a_series_of_matrices(rng):
    m = rng.normal(size=(3, 3))
    line = np.zeros((5, 3, 3))
    line[1] = m
    powers = [np.linalg.matrix_power(m, k) for k in range(5)]
    np.testing.assert_allclose(jet_of_coefficients(matrix_series.exponential(line)), powers)


def test_rows_make_a_jet():
    rows = np.random.default_rng(0).normal(size=(3, 4, 2))
    np.testing.assert_array_equal(jet(*rows), rows.transpose(1, 0, 2))
    np.testing.assert_array_equal(jet([1, 2], [3, 4]), [[1.0, 2.0], [3.0, 4.0]])
    with pytest.raises(ShapeError, match=r'row 1 of the jet: expected shape \(2,\), got \(1,\)'):
        jet([1, 2], [3])
    with pytest.raises(ShapeError, match=r'row 0 of the jet: expected shape \(n,\)'):
        jet(1.0)
    with pytest.raises(InputError, match='got none'):
        jet()

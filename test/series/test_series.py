# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Truncated series of scalars and of arrays."""

from __future__ import annotations

import math

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles import taylor

from screw_dynamics.errors import InputError, ShapeError
from screw_dynamics.lie.scalars import atan, cos, sin, sqrt
from screw_dynamics.series import (
    Series,
    jet_of_coefficients,
    jet_of_series,
    leibniz_terms,
    series_of_jet,
    taylor_coefficients,
)
from screw_dynamics.series import array_functions as plain
from screw_dynamics.series.jets import jet
from screw_dynamics.series.series_array import SeriesArray, stumpff

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


def test_leibniz_terms_are_those_of_the_product(rng):
    a, b = rng.normal(size=(5, 3, 3)), rng.normal(size=(5, 3, 2))
    product = jet_of_coefficients(taylor.product(taylor_coefficients(a), taylor_coefficients(b)))
    for k, row in enumerate(product.astype(float)):
        np.testing.assert_allclose(sum(leibniz_terms(k, a, b)), row, rtol=1e-12, atol=1e-13)


LAST = 6
# each function, and values at which it is analytic
FUNCTIONS = {
    'sin': 0.7, 'cos': 0.7, 'tan': 0.7, 'exp': -0.4, 'log': 1.3, 'sqrt': 0.6, 'sinh': 0.5,
    'cosh': 0.5, 'tanh': 0.9, 'arctan': 0.4, 'reciprocal': -1.7, 'square': 0.3,
}  # fmt: skip
IN_MPMATH = {'arctan': mpmath.atan, 'reciprocal': lambda x: 1 / x, 'square': lambda x: x * x}


def motion(rng, n=3, order=LAST):
    return rng.normal(size=(order + 1, n))


@pytest.mark.parametrize('name', FUNCTIONS)
def test_functions_have_the_derivatives_of_mpmath(name):
    jet = motion(np.random.default_rng(1), 1)
    jet[0] = FUNCTIONS[name]
    found = getattr(np, name)(SeriesArray.variables(jet)[0])
    mpmath.mp.dps = 40
    terms = [mpmath.mpf(float(x)) / math.factorial(k) for k, x in enumerate(jet[:, 0])]
    function = IN_MPMATH.get(name) or getattr(mpmath, name)
    inner = lambda t: mpmath.polyval(terms[::-1], t)  # noqa: E731
    expected = mpmath.taylor(lambda t: function(inner(t)), 0, LAST)
    slope = mpmath.taylor(lambda t: mpmath.diff(function, inner(t)), 0, 3)
    # products of up to 7 terms; mpmath's inner difference of `slope` has 10 digits less
    scale = float(max(map(abs, expected)))
    np.testing.assert_allclose(
        found.coefficients, [float(x) for x in expected], atol=1e-14 * scale
    )
    partials = found.partials()[:4, 0]
    np.testing.assert_allclose(partials, [float(x) for x in slope], rtol=1e-10, atol=1e-12)


@given(st.floats(-60.0, 400.0), st.integers(0, 12))
def test_stumpff_functions_are_their_power_series(s, n):
    with mpmath.workdps(60):
        x = mpmath.mpf(s)
        exact = mpmath.nsum(lambda j: (-x) ** j / mpmath.factorial(n + 2 * j), [0, mpmath.inf])
        found = plain.stumpff_values(np.array(s), 12)[n]
        size = mpmath.mpf(1) / mpmath.factorial(n)
        # as exact as a closed form: relative to the largest value at real angles, or to itself
        bound = 1e-14 * max(size, abs(exact))
        assert abs(mpmath.mpf(float(found)) - exact) < bound * max(1, abs(s) ** 0.5)


@pytest.mark.parametrize('constant', [0.0, 1e-12, 0.3, 0.999, 1.001, 7.0, 40.0])
def test_series_of_stumpff_functions_need_no_division(constant):
    rng = np.random.default_rng(2)
    terms = np.concatenate([[constant], rng.normal(size=LAST)])
    found = plain.stumpff(terms, 5)
    with mpmath.workdps(50):
        inner = [mpmath.mpf(x) for x in terms]

        def exact(n, t):
            s = mpmath.polyval(inner[::-1], t)
            total = term = 1 / mpmath.factorial(n)
            k = n
            while k * k < abs(s) or abs(term) > mpmath.eps * abs(total):
                k += 2
                term *= -s / (k * (k - 1))
                total += term
            return total

        for n in (0, 3, 5):
            expected = [float(x) for x in mpmath.taylor(lambda t, n=n: exact(n, t), 0, LAST)]
            np.testing.assert_allclose(
                found[n], expected, rtol=0, atol=2e-14 * max(np.abs(expected))
            )


def test_partials_are_the_jacobian_along_the_motion(rng):
    jet = motion(rng)
    weights = rng.normal(size=(4, 3))

    def function(q):
        pose = np.stack([np.sin(q[0] * q[1]), q[2] ** 2, 1.0 / (2.0 + q[0] ** 2)])
        return np.cross(weights @ pose[:, None] @ np.ones((1, 3)), weights[:, ::-1]).sum(axis=0)

    found = function(SeriesArray.variables(jet))
    powers = np.array([1.0 / math.factorial(k) for k in range(LAST + 1)])
    for t in (0.0, 1e-3):
        q = (powers[:, None] * jet * t ** np.arange(LAST + 1)[:, None]).sum(axis=0)
        step = 1e-30
        columns = [function(q + 1j * step * np.eye(3)[j]).imag / step for j in range(3)]
        at = t ** np.arange(LAST + 1)
        value = np.tensordot(at, found.coefficients, 1)
        np.testing.assert_allclose(value, function(q), rtol=1e-12, atol=1e-12)
        partials = np.tensordot(at, found.partials(), 1)
        np.testing.assert_allclose(partials, np.array(columns).T, rtol=1e-10, atol=1e-11)


def test_products_of_matrices_and_rearrangements_are_those_of_their_values(rng):
    a = SeriesArray.variables(motion(rng, 4)).reshape(2, 2)
    v = SeriesArray.variables(motion(rng, 4))[:2]
    for result, expected in (
        (a @ v, a.value @ v.value),
        (v @ a, v.value @ a.value),
        (v @ v, v.value @ v.value),
        (a @ np.eye(2), a.value),
        (np.eye(2) @ a, a.value),
        (np.ones(2) @ a, a.value.sum(0)),
        (a.T, a.value.T),
        (a.swapped(), a.value.T),
        (a[:, 0].sum(0), a.value[:, 0].sum()),
        (np.stack([v, 2.0 * v], axis=1), np.stack([v.value, 2 * v.value], axis=1)),
        (np.concatenate([v, np.ones(1)]), np.append(v.value, 1.0)),
        (np.moveaxis(a, 0, -1), a.value.T),
        (np.where(np.array([True, False]), v, 0.0), np.array([v.value[0], 0.0])),
        (np.linalg.norm(v), np.linalg.norm(v.value)),
        (1.0 - v / 2.0, 1.0 - v.value / 2.0),
        (3.0 / (v * v + 1.0), 3.0 / (v.value**2 + 1.0)),
        (a + v, a.value + v.value),
        (a - np.ones((3, 2, 2)), a.value - np.ones((3, 2, 2))),
    ):
        np.testing.assert_allclose(result.value, expected, rtol=1e-14)
        assert result.shape == np.shape(expected)
    assert (v > -np.inf).all() and not (v < v.value - 1).any()


@pytest.mark.parametrize('angle', [0.7, 3.0])
def test_partials_of_stumpff_functions(angle):
    """c_0(x^2) = cos x, c_1 = sin x / x, c_2 = (1 - cos x) / x^2, and their slopes by x^2."""
    s, c = math.sin(angle), math.cos(angle)
    slopes = [
        -s / (2 * angle),
        (c * angle - s) / (2 * angle**3),
        (s * angle - 2 * (1 - c)) / (2 * angle**4),
    ]
    square = SeriesArray.variables(np.array([[angle**2]]))[0]
    values, found = zip(*((f.value, f.partials()[0, 0]) for f in stumpff(square, 2)), strict=True)
    np.testing.assert_allclose(values, [c, s / angle, (1 - c) / angle**2], rtol=1e-14)
    np.testing.assert_allclose(found, slopes, rtol=1e-12)


def test_functions_that_are_not_known_are_refused():
    q = SeriesArray.variables(np.ones((3, 2)))
    for refused in (
        lambda: np.floor(q),
        lambda: np.linalg.svd(q),
        lambda: np.add.reduce(q),
        lambda: np.add(q, q, where=True),
    ):
        with pytest.raises(TypeError):
            refused()


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

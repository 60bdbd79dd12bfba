# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Sampling against exact rational arithmetic, also outside the breaks."""

import tracemalloc
from fractions import Fraction
from math import perm

import numpy as np
import pytest

from screw_dynamics.errors import InputError, NotFiniteError, ShapeError
from screw_dynamics.trajectory import JET_ROWS, PiecewisePolynomial

BREAKS = np.array([1.0, 1.001, 3.5, 1000.0])


@pytest.fixture(params=[0, 1, 5, 9])
def polynomial(request):
    rng = np.random.default_rng(request.param)
    shape = (len(BREAKS) - 1, request.param + 1, 3)
    return PiecewisePolynomial(BREAKS, rng.normal(size=shape), rng.normal(size=3), continuity=0)


def exact_derivative(polynomial, segment, order, joint, t):
    """Differentiate term by term in rational arithmetic: value and the sum of its magnitudes."""
    start, end = (Fraction(b) for b in polynomial.breaks[segment : segment + 2])
    u = (Fraction(t) - start) / (end - start)
    terms = [
        perm(k, order) * Fraction(c) * u ** (k - order) / (end - start) ** order
        for k, c in enumerate(polynomial.coefficients[segment, :, joint])
        if k >= order
    ]
    return float(sum(terms)), float(sum(abs(term) for term in terms))


@pytest.mark.parametrize('t', [1.0, 1.0003, 1.001, 2.0, 3.4999, 3.5, 777.7])
def test_every_row_agrees_with_rational_arithmetic(polynomial, t):
    segment = np.searchsorted(BREAKS, t, side='right') - 1
    jet = polynomial.jets([t], rows=8)[0]
    # at a relative rounding of u of one unit (breaks near 1, a segment of 1e-3), no other loss
    spacing = np.spacing(t) / (BREAKS[segment + 1] - BREAKS[segment])
    for order in range(8):
        for joint in range(3):
            value, size = exact_derivative(polynomial, segment, order, joint, t)
            assert abs(jet[order, joint] - value) <= (4e-15 + 10 * spacing) * size


def test_breaks_are_hit_exactly_from_the_right(polynomial):
    np.testing.assert_array_equal(
        polynomial.jets(BREAKS[:-1], rows=1)[:, 0], polynomial.coefficients[:, 0]
    )


def test_before_and_after_the_joints_rest(polynomial):
    before, at_end, after = polynomial.jets([0.999, 1000.0, 1e6])
    np.testing.assert_array_equal(before[0], polynomial.coefficients[0, 0])
    np.testing.assert_array_equal(at_end[0], polynomial.end)
    np.testing.assert_array_equal(after[0], polynomial.end)
    np.testing.assert_array_equal(polynomial.sample(np.inf, np.empty((5, 3))), after)
    for jet in (before, at_end, after):
        np.testing.assert_array_equal(jet[1:], 0.0)


def test_one_break_is_a_position_held():
    held = PiecewisePolynomial(np.zeros(1), np.empty((0, 10, 2)), np.array([1.0, 2.0]), 4)
    np.testing.assert_array_equal(held.jets([-1.0, 0.0, 1.0])[:, 0], [[1.0, 2.0]] * 3)
    assert held.duration == 0.0


def test_sample_fills_the_given_array_and_agrees_with_the_batch(polynomial):
    out = np.full((JET_ROWS, 3), np.nan)
    for t in (0.0, 1.0005, 2.5, 500.0, 2000.0):
        assert polynomial.sample(t, out) is out
        np.testing.assert_array_equal(out, polynomial.jets([t])[0])


def test_sampling_makes_no_arrays():
    n = 1000
    polynomial = PiecewisePolynomial(np.arange(3.0), np.ones((2, 10, n)), np.ones(n), 4)
    out = np.empty((JET_ROWS, n))
    polynomial.sample(1.5, out)
    tracemalloc.start()
    try:
        for _ in range(3):
            polynomial.sample(1.5, out)
        current, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    # one row of the result has 8000 bytes
    assert current < 1000
    assert peak < 4000


def test_the_record_is_immutable_and_independent_of_its_input(polynomial):
    with pytest.raises(ValueError, match='read-only'):
        polynomial.breaks[0] = 0.0
    end = np.zeros(1)
    PiecewisePolynomial(np.zeros(1), np.empty((0, 2, 1)), end, 4)
    end[0] = 1.0


@pytest.mark.parametrize(
    ('breaks', 'coefficients', 'end', 'error', 'text'),
    [
        ([0.0, 1.0], np.zeros((2, 4, 1)), [0.0], ShapeError, r'\(1, degree \+ 1, 1\)'),
        ([0.0, 1.0], np.zeros((1, 4, 2)), [0.0], ShapeError, r'\(1, degree \+ 1, 1\)'),
        ([0.0, 1.0], np.zeros((1, 4)), [0.0], ShapeError, 'coefficients: expected shape 3'),
        ([], np.zeros((0, 4, 1)), [0.0], ShapeError, 'degree'),
        ([1.0, 1.0], np.zeros((1, 4, 1)), [0.0], InputError, 'strictly increasing'),
        ([0.0, 1.0], np.full((1, 4, 1), np.nan), [0.0], NotFiniteError, 'coefficients'),
    ],
)
def test_arrays_that_do_not_fit_are_rejected(breaks, coefficients, end, error, text):
    with pytest.raises(error, match=text):
        PiecewisePolynomial(np.array(breaks), coefficients, np.array(end), 4)


def test_bad_arguments_of_sampling_are_named(polynomial):
    for shape in ((5, 2), (0, 3)):
        text = rf'out: expected shape \(rows, 3\) with rows >= 1, got \({shape[0]}, {shape[1]}\)'
        with pytest.raises(ShapeError, match=text):
            polynomial.sample(0.0, np.empty(shape))
    with pytest.raises(InputError, match='out: expected a float64 array, got NoneType'):
        polynomial.sample(0.0, None)
    with pytest.raises(InputError, match='out: expected a writable, .* got dtype float32'):
        polynomial.sample(0.0, np.empty((5, 3), dtype=np.float32))
    with pytest.raises(InputError, match='C-contiguous False'):
        polynomial.sample(0.0, np.empty((3, 5)).T)
    with pytest.raises(NotFiniteError, match='^t: expected a finite number, got nan'):
        polynomial.sample(np.nan, np.empty((5, 3)))
    with pytest.raises(InputError, match='^t: expected a time in s, got None'):
        polynomial.sample(None, np.empty((5, 3)))
    with pytest.raises(InputError, match='^t: expected a time in s, got 1000'):
        polynomial.sample(10**400, np.empty((5, 3)))
    with pytest.raises(NotFiniteError, match='times'):
        polynomial.jets([0.0, np.nan])
    with pytest.raises(ShapeError, match='times'):
        polynomial.jets([[0.0]])
    with pytest.raises(InputError, match='rows: expected an integer of at least 1, got 0'):
        polynomial.jets([0.0], rows=0)
    with pytest.raises(InputError, match="rows: expected an integer of at least 1, got '5'"):
        polynomial.jets([0.0], rows='5')


@pytest.mark.parametrize('rows', [1, 3, 5, 7])
def test_samples_do_not_depend_on_the_order_of_the_times(rows):
    rng = np.random.default_rng(8)
    breaks = np.cumsum(np.append(0.0, rng.uniform(0.01, 1.0, 12)))
    coefficients = rng.normal(size=(12, 10, 3))
    curve = PiecewisePolynomial(breaks, coefficients, rng.normal(size=3), continuity=0)
    times = np.concatenate((breaks, rng.uniform(-0.5, breaks[-1] + 0.5, 100), breaks[::-1]))
    together = curve.jets(times, rows)
    segments = np.searchsorted(breaks, times, side='right') - 1
    for t, segment, jet in zip(times, segments, together, strict=True):
        np.testing.assert_array_equal(curve.sample(t, np.empty((rows, 3))), jet)
        if 0 <= segment < 12:
            h = breaks[segment + 1] - breaks[segment]
            u = (t - breaks[segment]) / h
            for d in range(rows):
                p = np.polynomial.polynomial.polyder(coefficients[segment], d)
                expected = np.polynomial.polynomial.polyval(u, p) / h**d
                size = np.abs(p).sum(axis=0) / h**d
                # ten products and sums of rounded numbers
                assert (np.abs(jet[d] - expected) <= 40 * np.finfo(float).eps * size).all()

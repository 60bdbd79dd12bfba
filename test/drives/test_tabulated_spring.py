# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The spline through a measured characteristic: monotone, C2, accurate within the table."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.polynomial import polynomial

import screw_dynamics as sd
from screw_dynamics.errors import InputError, ModelError, SpringRangeError

# Akima's and other tables that make splines overshoot
DIFFICULT = {
    'flat then steep': ([0, 1, 2, 3, 4, 5], [0, 1e-9, 2e-9, 3e-9, 1, 2]),
    'step': ([0, 1, 2, 2.001, 3, 4], [0, 1e-3, 2e-3, 1, 1.001, 1.002]),
    'stairs': ([0, 1, 2, 3, 4, 5, 6, 7], [0, 1e-6, 1, 1.000001, 2, 2.000001, 3, 3.000001]),
    'rates from 1e-12 to 1e12': ([0, 1, 2, 3, 4], [0, 1e-12, 1, 1e6, 1e12]),
    'uneven knots': ([0, 1e-9, 1, 1 + 1e-9, 2], [0, 1, 1.5, 3, 3.0001]),
    'pchip data': (
        [7.99, 8.09, 8.19, 8.7, 9.2, 10, 12, 15, 20],
        [0, 2.76429e-5, 4.37498e-2, 0.169183, 0.469428, 0.943740, 0.998636, 0.999919, 0.999994],
    ),
    'a flat piece between steep ones': ([0, 1, 2, 3, 4, 5], [4, 9, 10, 35, 41, 63]),
    'two points': ([-1, 1], [-5, 5]),
    'three points': ([-1, 0, 1], [-50, 0, 1]),
}


def slope_minima(spring: sd.TabulatedSpring) -> np.ndarray:
    """The least slope of every piece, from the roots of its curvature."""
    minima = []
    for piece in spring.coefficients:
        slope = polynomial.polyder(piece)
        turns = np.roots(polynomial.polyder(slope)[::-1])
        inside = turns.real[(abs(turns.imag) < 1e-9) & (turns.real > 0) & (turns.real < 1)]
        minima.append(polynomial.polyval(np.concatenate([[0.0, 1.0], inside]), slope).min())
    return np.array(minima)


def assert_monotone_and_smooth(spring: sd.TabulatedSpring) -> None:
    x, y = np.array(spring.deflections), np.array(spring.efforts)
    pieces, h = spring.coefficients, np.diff(x)
    secants = np.diff(y)
    assert (slope_minima(spring) > 0.0).all()
    # no plateaus: a twentieth of the smaller slope at its ends, harmonic means of secants
    slopes = secants / h
    inner = 2.0 / (1.0 / slopes[:-1] + 1.0 / slopes[1:])
    ends = np.concatenate([slopes[:1], inner, slopes[-1:]])
    least = 0.05 * np.minimum(ends[:-1], ends[1:])
    assert (slope_minima(spring) / h >= least * (1.0 - 1e-9)).all()
    # value, slope and curvature meet at the knots
    for d in range(3):
        c = polynomial.polyder(pieces, d, axis=1) if d else pieces
        left, right = c.sum(axis=1) / h**d, c[:, 0] / h**d
        scale = np.abs(c).sum(axis=1) / h**d + (np.abs(y).max() if d == 0 else 0.0)
        size = 1e-12 * np.maximum(scale[:-1], scale[1:])
        assert (np.abs(left[:-1] - right[1:]) <= size).all(), d
    np.testing.assert_allclose(pieces[:, 0], y[:-1])
    assert (np.abs(pieces.sum(axis=1) - y[1:]) <= 1e-12 * (np.abs(y[1:]) + secants)).all()


@pytest.mark.parametrize('name', DIFFICULT)
def test_difficult_tables(name):
    spring = sd.TabulatedSpring(*DIFFICULT[name])
    assert_monotone_and_smooth(spring)
    x = np.linspace(spring.deflections[0], spring.deflections[-1], 2001)
    assert (np.diff(spring.effort(x)) >= 0.0).all()


@st.composite
def tables(draw):
    n = draw(st.integers(2, 12))
    sizes = st.floats(-3.0, 3.0)
    steps = 10.0 ** np.array(draw(st.lists(sizes, min_size=n, max_size=n)))
    rises = 10.0 ** np.array(draw(st.lists(sizes, min_size=n, max_size=n)))
    x, y = np.cumsum(steps), np.cumsum(rises)
    return (x, y) if (np.diff(x) > 0).all() and (np.diff(y) > 0).all() else ([0, 1], [0, 1])


@given(tables())
def test_random_tables(table):
    assert_monotone_and_smooth(sd.TabulatedSpring(*table))


def test_a_polynomial_of_degree_four_is_reproduced():
    x = np.array([-0.5, -0.3, -0.2, 0.0, 0.15, 0.4, 0.5])
    law = np.polynomial.Polynomial([1.0, 150.0, 20.0, 400.0, 30.0])
    spring = sd.TabulatedSpring(x, law(x))
    points = np.linspace(-0.5, 0.5, 101)
    np.testing.assert_allclose(spring.effort(points), law(points), rtol=1e-12, atol=1e-10)


@pytest.mark.parametrize('name', DIFFICULT)
def test_the_inverse_finds_every_effort(name):
    spring = sd.TabulatedSpring(*DIFFICULT[name])
    rng = np.random.default_rng(0)
    low, high = spring.efforts[0], spring.efforts[-1]
    efforts = np.concatenate(
        [
            rng.uniform(low, high, 200),
            spring.efforts,
            np.abs(low) + np.logspace(-12, 0, 20) * (high - low),
        ]
    )
    efforts = np.clip(efforts, low, high)
    model = sd.ScrewModel.from_screws(
        [-1], [np.eye(4)], [[0, 0, 0, 0, 0, 1]], [np.diag([0, 0, 0, 1.0, 1.0, 1.0])], np.zeros(3)
    )
    drives = sd.Drives({'joint_1': sd.JointDrive(spring)})
    jets = np.zeros((len(efforts), 5, 1))
    jets[:, 2, 0] = efforts  # a mass of 1 kg
    phi = sd.elastic_feedforward(sd.Robot(model, drives), jets).deflection[:, 0]
    # as close as neighbouring deflections allow, and the rounding of the law itself
    below = spring.effort(np.nextafter(phi, -np.inf).clip(spring.deflections[0]))
    above = spring.effort(np.nextafter(phi, np.inf).clip(None, spring.deflections[-1]))
    bound = 4.0 * (above - below) + 1e-14 * max(abs(low), abs(high))
    assert (np.abs(spring.effort(phi) - efforts) <= bound).all()
    with pytest.raises(
        SpringRangeError, match="joint 'joint_1': effort: expected .* the range of"
    ):
        jets[0, 2, 0] = high + 1e-6 * (high - low)
        sd.elastic_feedforward(sd.Robot(model, drives), jets[0])


@pytest.mark.parametrize(
    ('deflections', 'efforts', 'message'),
    [
        ([0, 1, 1], [0, 1, 2], r'deflections: expected strictly .*, got 1, 1 in segment 2'),
        ([0, 1, 2], [0, 2, 1], r'efforts: expected strictly .*, got 2, 1 in segment 2'),
        ([0, 1, 2], [0, 1], 'efforts: expected 3 entries, one per deflection, got 2'),
        ([0], [0], 'deflections: expected at least two finite numbers'),
        ([0, np.inf], [0, 1], 'deflections: expected at least two finite numbers'),
        ([[0, 1]], [[0, 1]], 'deflections: expected at least two finite numbers'),
        (['a', 'b'], [0, 1], 'deflections: expected real numbers'),
        ([0, 1, 1.0001, 1e6], [0, 1, 1e6, 1e6 + 1], 'segment 2: expected slopes of adjacent'),
        ([0, 1], [-1e308, 1e308], 'segment 1: expected differences .*, got deflections 0, 1 and'),
        ([-1e308, 1e308], [0, 1], 'segment 1: expected differences and a slope that double'),
        ([0, 1, 1 + 1e-15], [0, 1, 1e308], 'segment 2: expected differences and a slope'),
        ([0, 1e300], [0, 1e-300], 'segment 1: expected differences and a slope'),
    ],
)
def test_a_table_must_increase(deflections, efforts, message):
    with pytest.raises((ModelError, InputError), match=message):
        sd.TabulatedSpring(deflections, efforts)


@st.composite
def extreme_tables(draw):
    n = draw(st.integers(2, 7))
    sizes = st.lists(st.floats(-320.0, 308.0), min_size=n, max_size=n)
    signs = st.lists(st.sampled_from([-1.0, 1.0]), min_size=n, max_size=n)
    x, y = (np.unique(draw(signs) * 10.0 ** np.array(draw(sizes))) for _ in range(2))
    count = min(len(x), len(y))
    return x[:count], y[:count]


@given(extreme_tables())
def test_numbers_of_any_size_make_a_spring_or_an_error(table):
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        try:
            spring = sd.TabulatedSpring(*table)
        except ModelError:
            return
    assert np.isfinite(spring.coefficients).all()
    assert (spring.coefficients[:, 0] == np.array(spring.efforts)[:-1]).all()
    assert (slope_minima(spring) > 0.0).all()


def test_nothing_lies_outside_the_table():
    spring = sd.TabulatedSpring([0, 1], [0, 2])
    assert spring.effort(0.5) == 1.0
    for outside in (-1e-9, 1.1, np.nan):
        with pytest.raises(InputError, match='deflection: expected 0 to 1, the range of the tab'):
            spring.effort([0.5, outside])

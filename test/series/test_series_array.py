# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import mpmath
import numpy as np
import pytest

from screw_dynamics.series.series_array import SeriesArray

JET = np.array([[0.4, 0.7], [0.3, -0.2], [0.5, 0.1], [-0.4, 0.6], [0.2, 0.9]])

FUNCTIONS = {
    'exp': (np.exp, mpmath.exp), 'log': (np.log, mpmath.log), 'sin': (np.sin, mpmath.sin),
    'cos': (np.cos, mpmath.cos), 'tan': (np.tan, mpmath.tan), 'sinh': (np.sinh, mpmath.sinh),
    'cosh': (np.cosh, mpmath.cosh), 'tanh': (np.tanh, mpmath.tanh),
    'arctan': (np.arctan, mpmath.atan), 'arcsin': (np.arcsin, mpmath.asin),
    'sqrt': (np.sqrt, mpmath.sqrt), 'reciprocal': (np.reciprocal, lambda x: 1 / x),
    'cube': (lambda x: x**3, lambda x: x**3), 'power': (lambda x: x**-1.5, lambda x: x**-1.5),
    'quotient': (lambda x: (1.0 + x) / (2.0 - x * x), lambda x: (1 + x) / (2 - x * x)),
}  # fmt: skip


@pytest.mark.parametrize('name', FUNCTIONS)
def test_functions_have_the_derivatives_of_sixty_digits(name):
    function, exact = FUNCTIONS[name]
    q = SeriesArray.variables(JET)
    result = function(q[0] * q[1] + 0.1)
    with mpmath.workdps(60):
        rows = [[mpmath.mpf(x) / mpmath.factorial(k) for x in row] for k, row in enumerate(JET)]

        def motion(j, t):
            return sum(row[j] * t**k for k, row in enumerate(rows))

        def value(t):
            return exact(motion(0, t) * motion(1, t) + mpmath.mpf(0.1))

        def partial(t):
            return mpmath.diff(lambda a: exact(a * motion(1, t) + mpmath.mpf(0.1)), motion(0, t))

        expected = [float(x) for x in mpmath.taylor(value, 0, 4)]
        slope = [float(x) for x in mpmath.taylor(partial, 0, 3)]
    assert np.allclose(result.data[:, 0], expected, rtol=1e-13, atol=1e-14)
    assert np.allclose(result.partials()[:4, 0], slope, rtol=1e-12, atol=1e-13)


def complex_series(function, order=5):
    """Return values and partials of an array function by Cauchy integrals in time."""
    times = 0.3 * np.exp(2j * np.pi * np.arange(64) / 64)
    scale = np.array([np.prod(np.arange(1.0, k + 1)) for k in range(order)])
    q = (times[:, None] ** np.arange(order)) @ (JET / scale[:, None])
    values = np.array([function(x) for x in q])
    steps = 1e-3 * np.exp(2j * np.pi * np.arange(8) / 8)
    slopes = [[sum(function(x + h * e) / h for h in steps) / 8 for e in np.eye(2)] for x in q]
    return [
        (np.fft.fft(array, axis=0)[:order] / 64).real
        / (0.3 ** np.arange(order)).reshape(-1, *[1] * (np.ndim(array) - 1))
        for array in (values, np.array(slopes))
    ]


ARRAYS = {
    'matrix product': lambda q: (
        np.stack([np.stack([q[0], q[1]]), np.stack([q[1], q[0]])])
        @ np.stack([np.sin(q[0]), q[0] * q[1]])
    ),
    'cross product': lambda q: np.cross(
        np.stack([q[0], q[1], q[0] * q[1]]), np.array([1.0, 2.0, 3.0])
    ),
    'einsum': lambda q: np.einsum('i,j->ij', q, np.exp(q)),
    'sum and broadcast': lambda q: (q[:, None] * np.array([1.0, 2.0, 3.0])).sum(axis=0) - 1.0,
    'moved axes': lambda q: np.moveaxis(np.einsum('i,j->ij', q, q * q), 0, 1).T.reshape(4),
    'constants on the left': lambda q: np.eye(2) @ q / 3.0 + (2.0 - q) + np.ones(2) * q,
    'concatenated': lambda q: np.concatenate([q, q**2, np.ones(1)]),
}


@pytest.mark.parametrize('name', ARRAYS)
def test_array_functions_agree_with_cauchy_integrals(name):
    result = ARRAYS[name](SeriesArray.variables(JET))
    values, slopes = complex_series(ARRAYS[name])
    assert result.shape == values.shape[1:]
    assert np.allclose(result.data[:, 0], values, atol=1e-12)
    assert np.allclose(result.partials(), slopes, atol=1e-9)  # of the steps in q


def test_norm_where_and_derivative():
    q = SeriesArray.variables(JET)
    assert np.allclose(np.linalg.norm(q).data, np.sqrt((q * q).sum()).data)
    mask = q.value > 0.5
    assert np.array_equal(np.where(mask, q, 0.0 * q).data[:, 0, 1], q.data[:, 0, 1])
    assert np.allclose(q.derivative().jet(), JET[1:], rtol=1e-15)
    assert np.allclose(q.jet(), JET, rtol=1e-15)

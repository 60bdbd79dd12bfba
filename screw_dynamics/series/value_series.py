# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Functions of truncated Taylor series (K + 1, ...): values, and series of their derivatives."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

_Numbers = NDArray[Any]


def product(a: _Numbers, b: _Numbers) -> _Numbers:
    """Return the Cauchy product."""
    return np.array([sum(a[m] * b[k - m] for m in range(k + 1)) for k in range(len(a))])


def _integral(first: _Numbers, slope: _Numbers, x: _Numbers) -> _Numbers:
    """Return the series from ``first`` on whose derivative is slope times x'."""
    result = np.empty(x.shape, dtype=np.result_type(slope, x))
    result[0] = first
    for k in range(1, len(x)):
        result[k] = sum(m * x[m] * slope[k - m] for m in range(1, k + 1)) / k
    return result


def exponential(x: _Numbers) -> tuple[_Numbers, _Numbers]:
    """Return exp x and its derivative."""
    y = np.empty_like(x)
    y[0] = np.exp(x[0])
    for k in range(1, len(x)):
        y[k] = sum(m * x[m] * y[k - m] for m in range(1, k + 1)) / k
    return y, y


def _pair(x: _Numbers, first: Any, second: Any, sign: float) -> tuple[_Numbers, _Numbers]:
    """Return s and c with ``s' = c x'`` and ``c' = sign s x'``."""
    s, c = np.empty_like(x), np.empty_like(x)
    s[0], c[0] = first(x[0]), second(x[0])
    for k in range(1, len(x)):
        s[k] = sum(m * x[m] * c[k - m] for m in range(1, k + 1)) / k
        c[k] = sign * sum(m * x[m] * s[k - m] for m in range(1, k + 1)) / k
    return s, c


def _sine(x: _Numbers) -> tuple[_Numbers, _Numbers]:
    return _pair(x, np.sin, np.cos, -1.0)


def _cosine(x: _Numbers) -> tuple[_Numbers, _Numbers]:
    sine, cosine = _sine(x)
    return cosine, -sine


def _sinh(x: _Numbers) -> tuple[_Numbers, _Numbers]:
    return _pair(x, np.sinh, np.cosh, 1.0)


def _cosh(x: _Numbers) -> tuple[_Numbers, _Numbers]:
    return _sinh(x)[::-1]


def power(x: _Numbers, exponent: float) -> tuple[_Numbers, _Numbers]:
    """Return a power and its derivative; x[0] must not be zero."""
    y = np.empty(x.shape, dtype=np.result_type(x, np.float64))
    y[0] = x[0] ** exponent
    for k in range(1, len(x)):
        total = sum((exponent * m - (k - m)) * x[m] * y[k - m] for m in range(1, k + 1))
        y[k] = total / (k * x[0])
    inverse = y if exponent == -1.0 else power(x, -1.0)[0]
    return y, exponent * product(y, inverse)


def _reciprocal(x: _Numbers) -> tuple[_Numbers, _Numbers]:
    return power(x, -1.0)


def _root(x: _Numbers) -> tuple[_Numbers, _Numbers]:
    return power(x, 0.5)


def _logarithm(x: _Numbers) -> tuple[_Numbers, _Numbers]:
    slope = power(x, -1.0)[0]
    return _integral(np.log(x[0]), slope, x), slope


def _one(x: _Numbers) -> _Numbers:
    one = np.zeros_like(x)
    one[0] = 1.0
    return one


def _tanh(x: _Numbers) -> tuple[_Numbers, _Numbers]:
    sinh, cosh = _sinh(x)
    y = product(sinh, power(cosh, -1.0)[0])
    return y, _one(x) - product(y, y)


def _arctan(x: _Numbers) -> tuple[_Numbers, _Numbers]:
    slope = power(_one(x) + product(x, x), -1.0)[0]
    return _integral(np.arctan(x[0]), slope, x), slope


def _arcsin(x: _Numbers) -> tuple[_Numbers, _Numbers]:
    slope = power(_one(x) - product(x, x), -0.5)[0]
    return _integral(np.arcsin(x[0]), slope, x), slope


FUNCTIONS: dict[Any, Callable[[_Numbers], tuple[_Numbers, _Numbers]]] = {
    np.exp: exponential,
    np.log: _logarithm,
    np.sin: _sine,
    np.cos: _cosine,
    np.sinh: _sinh,
    np.cosh: _cosh,
    np.tanh: _tanh,
    np.arctan: _arctan,
    np.arcsin: _arcsin,
    np.sqrt: _root,
    np.reciprocal: _reciprocal,
}

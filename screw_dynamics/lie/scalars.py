# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Elementary functions for scalars of any type, and arrays of such scalars.

A scalar is a float or complex number, a number of mpmath or gmpy2, a SymPy expression, a truncated
Taylor series (`screw_dynamics.series.Series`), or of any other type with arithmetic and methods
``sin``, ``cos``, ``atan`` and ``sqrt``. Scalars other than floats and complex numbers are entries
of object arrays. No library of such types is imported: a scalar leads to its own.
"""

from __future__ import annotations

import cmath
import math
import sys
from functools import lru_cache
from numbers import Complex, Real
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Scalar: TypeAlias = Any
ScalarArray: TypeAlias = NDArray[Any]

# Stumpff functions of smaller arguments are power series, of larger ones closed forms: neither
# cancels more than an absolute rounding error
_LARGE = 1.0
# atan(t) / t of a smaller t^2 is a power series
_SMALL_RATIO = 0.01

_FLOAT = np.dtype(np.float64)


def sin(x: Scalar) -> Scalar:
    """Return the sine of a scalar, of its type."""
    return math.sin(x) if isinstance(x, float) else _elementary('sin', x)


def cos(x: Scalar) -> Scalar:
    """Return the cosine of a scalar, of its type."""
    return math.cos(x) if isinstance(x, float) else _elementary('cos', x)


def sqrt(x: Scalar) -> Scalar:
    """Return the square root of a scalar, of its type."""
    return math.sqrt(x) if isinstance(x, float) else _elementary('sqrt', x)


def atan(x: Scalar) -> Scalar:
    """Return the arc tangent of a scalar, of its type."""
    return math.atan(x) if isinstance(x, float) else _elementary('atan', x)


def versine(x: Scalar) -> Scalar:
    """Return 1 - cos(x), of its type: accurate at small numbers, without half of a symbol."""
    if not isinstance(x, float) and value(x) is None:
        return 1 - cos(x)
    return 2 * sin(x / 2) ** 2


def _elementary(name: str, x: Scalar) -> Scalar:
    if isinstance(x, np.ndarray):
        x = x.item()
    if hasattr(x, name):
        return getattr(x, name)()
    if hasattr(x, 'context'):  # mpmath
        return getattr(x.context, name)(x)
    if isinstance(x, int | np.integer | np.floating):
        return getattr(math, name)(x)
    if isinstance(x, complex | np.complexfloating):
        return getattr(cmath, name)(x)
    library = sys.modules.get(type(x).__module__.partition('.')[0])  # e.g. sympy or gmpy2
    function = getattr(library, name, getattr(math, name) if isinstance(x, Real) else None)
    if function is None:
        raise TypeError(f'expected a scalar type with {name}, got {type(x).__name__}')
    return function(x)


def value(x: Scalar) -> float | None:
    """Return the real value of a scalar, for decisions only; None if it is symbolic."""
    number = _number(x)
    return None if number is None else number.real


def _number(x: Scalar) -> complex | None:
    if isinstance(x, float | int):
        return complex(x)
    if hasattr(x, 'constant'):  # a series
        return _number(x.constant)
    try:
        return complex(x)
    except TypeError:
        return None


def dtype(*arrays: Any) -> np.dtype[Any]:
    """Return the type of an array that holds results of all arguments: float64 or wider."""
    for array in arrays:
        if getattr(array, 'dtype', None) is not _FLOAT and not isinstance(array, float):
            return np.result_type(_FLOAT, *(np.asarray(entry).dtype for entry in arrays))
    return _FLOAT


def zero_like(array: Any) -> Scalar:
    """Return a zero for a matrix of the entries of an array; an integer beside exact scalars."""
    return 0 if isinstance(array, np.ndarray) and array.dtype.kind == 'O' else 0.0


def norm(vector: ScalarArray) -> Scalar:
    """Return sqrt(x . x), which is differentiable also for complex numbers."""
    return sqrt(vector @ vector)


def solve(matrix: ScalarArray, right: ScalarArray) -> ScalarArray:
    """Return x with A x = b, (n,) or (n, m), for scalars of any type; A is regular."""
    if dtype(matrix, right).kind != 'O':
        result: ScalarArray = np.linalg.solve(matrix, right)
        return result
    a: ScalarArray = matrix.copy()
    x: ScalarArray = right.copy()
    for k in range(len(a)):
        pivot = k + int(np.argmax([_size(entry) for entry in a[k:, k]]))
        a[[k, pivot]], x[[k, pivot]] = a[[pivot, k]], x[[pivot, k]]
        for i in range(k + 1, len(a)):
            factor = a[i, k] / a[k, k]
            a[i] = a[i] - factor * a[k]
            x[i] = x[i] - factor * x[k]
    for k in reversed(range(len(a))):
        x[k] = (x[k] - a[k, k + 1 :] @ x[k + 1 :]) / a[k, k]
    return x


def _size(x: Scalar) -> float:
    """Return the size of a scalar, for decisions only; 1 of symbols that are not 0."""
    number = _number(x)
    return float(x != 0) if number is None else abs(number)


def stumpff(s: Scalar, highest: int) -> list[Scalar]:
    """
    Return Stumpff's c_0(s), ..., c_highest(s), at least up to c_2.

    c_k(s) is the sum over j of (-s)^j / (k + 2 j)!, analytic. With s = theta^2, c_0 = cos(theta),
    c_1 = sin(theta) / theta and c_2 = (1 - cos(theta)) / theta^2; ``c_k = 1 / k! - s c_(k+2)``.
    """
    one = 0 * s + 1
    digits, size = _digits(s), _number(s)
    if digits is None and s == 0:
        return [one / math.factorial(k) for k in range(highest + 1)]
    if digits is None or size is None or abs(size) >= _LARGE:
        theta = sqrt(s)
        half = sin(theta / 2)
        c = [cos(theta), sin(theta) / theta, 2 * half * half / s]
        for k in range(1, highest - 1):
            c.append((one / math.factorial(k) - c[k]) / s)
        return c
    c = [one] * (highest + 1)
    for k in (highest - 1, highest):
        c[k] = _power_series(s, k, digits, one)
    for k in range(highest - 2, -1, -1):
        c[k] = one / math.factorial(k) - s * c[k + 2]
    return c


def _power_series(s: Scalar, k: int, digits: int, one: Scalar) -> Scalar:
    """Return c_k(s) to a number of digits by Horner's scheme."""
    total = one
    for j in range(_terms(digits) + _order(s), 0, -1):
        total = one - s * total / ((k + 2 * j - 1) * (k + 2 * j))
    return total / math.factorial(k)


def arc(squared_sine: Scalar, cosine: Scalar) -> Scalar:
    """Return atan2(y, x) / y, y^2 = `squared_sine`, x = `cosine` >= 0; analytic also at y = 0."""
    y2, x, digits = value(squared_sine), value(cosine), _digits(squared_sine)
    if digits is None:
        if squared_sine == 0:
            return 1 / cosine
    elif y2 is not None and x is not None and y2 < _SMALL_RATIO * x * x:
        ratio = squared_sine / (cosine * cosine)
        one, total = 0 * ratio + 1, 0 * ratio
        for j in range(digits // 2 + 2 + _order(ratio), -1, -1):
            total = one / (2 * j + 1) - ratio * total
        return total / cosine
    y = sqrt(squared_sine)
    if y2 is None or x is None or y2 <= x * x:
        return atan(y / cosine) / y
    return (2 * atan(0 * y + 1) - atan(cosine / y)) / y


def _digits(x: Scalar) -> int | None:
    """Return the number of decimal digits of a scalar; None if it is exact, as in SymPy."""
    if hasattr(x, 'constant'):
        return _digits(x.constant)
    if hasattr(x, 'context'):
        return int(x.context.dps)
    bits = getattr(x, 'precision', None)  # gmpy2
    if isinstance(bits, int):
        return math.ceil(bits * math.log10(2.0))
    return 17 if isinstance(x, Complex) else None


def _order(x: Scalar) -> int:
    """Return the order of a truncated series, the number of derivatives that it carries."""
    return int(x.order) if hasattr(x, 'constant') else 0


@lru_cache(maxsize=64)
def _terms(digits: int) -> int:
    """Return how many terms of c_k are needed below `_LARGE`."""
    terms, size = 0, 1.0
    while size > 10.0 ** -(digits + 3):
        terms += 1
        size *= _LARGE / ((2 * terms - 1) * (2 * terms))
    return terms

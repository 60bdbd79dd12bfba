# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Truncated Taylor arithmetic on matrices of 60-digit numbers."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from math import factorial
from typing import Any, ParamSpec, TypeVar

import gmpy2
import numpy as np
from numpy.typing import ArrayLike, NDArray

# Ten digits more than the fifty that the results are trusted to.
PRECISION_BITS = 200

# A quantity of time: entry [r] is its r-th normalised Taylor coefficient, x^(r) / r!.
Series = NDArray[Any]

P = ParamSpec('P')
R = TypeVar('R')


def high_precision(function: Callable[P, R]) -> Callable[P, R]:
    """Run a function with 60-digit numbers."""

    @wraps(function)
    def run(*args: P.args, **kwargs: P.kwargs) -> R:
        with gmpy2.context(gmpy2.get_context(), precision=PRECISION_BITS):
            return function(*args, **kwargs)

    return run


def exact(values: ArrayLike) -> NDArray[Any]:
    """Return floats as 60-digit numbers, without any rounding; such numbers as they are."""
    if isinstance(values, np.ndarray) and values.dtype == object:
        return values.copy()
    array = np.asarray(values, dtype=np.float64)
    result = np.empty(array.shape, dtype=object)
    result.flat = [gmpy2.mpfr(float(x)) for x in array.flat]
    return result


def constant(value: NDArray[Any], terms: int) -> Series:
    """Return the series of a quantity that does not change."""
    series = np.full((terms, *value.shape), gmpy2.mpfr(0), dtype=object)
    series[0] = value
    return series


def series_of(derivatives: NDArray[Any]) -> Series:
    """Return the series of a quantity, whose d-th time derivative is row d."""
    return np.array([row / factorial(r) for r, row in enumerate(derivatives)], dtype=object)


def derivatives_of(series: Series) -> Series:
    """Return the time derivatives of a series, the inverse of `series_of`."""
    return np.array([row * factorial(r) for r, row in enumerate(series)], dtype=object)


def product(a: Series, b: Series) -> Series:
    """Return the matrix product of two series, as long as the shorter one."""
    return np.array(
        [sum(a[s] @ b[r - s] for s in range(r + 1)) for r in range(min(len(a), len(b)))],
        dtype=object,
    )


def second_derivative(series: Series) -> Series:
    """Return the series of the second time derivative, two terms shorter."""
    return np.array(
        [(r + 1) * (r + 2) * series[r + 2] for r in range(len(series) - 2)], dtype=object
    )


def sine_cosine(angle: Series) -> tuple[Series, Series]:
    """Return the series of sin and cos of a scalar series, from s' = c a', c' = -s a'."""
    sine = np.array([gmpy2.sin(angle[0])] + [gmpy2.mpfr(0)] * (len(angle) - 1), dtype=object)
    cosine = np.array([gmpy2.cos(angle[0])] + [gmpy2.mpfr(0)] * (len(angle) - 1), dtype=object)
    for r in range(1, len(angle)):
        for j in range(1, r + 1):
            sine[r] += j * angle[j] * cosine[r - j] / r
            cosine[r] -= j * angle[j] * sine[r - j] / r
    return sine, cosine

# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Truncated Taylor series with matrix coefficients: product, inverse and exponential.

A series is an array (K + 1, n, n); row k is the coefficient of t^k, of any scalar type.
"""

from __future__ import annotations

import numpy as np

from screw_dynamics.lie.scalars import ScalarArray, dtype


def product(a: ScalarArray, b: ScalarArray) -> ScalarArray:
    """
    Return the Cauchy product, of the smaller order of both.

    Parameters
    ----------
    a : (K + 1, m, n) ndarray
    b : (K + 1, n, ...) ndarray

    Returns
    -------
    (K + 1, m, ...) ndarray
    """
    rows = range(min(len(a), len(b)))
    return np.array([sum(a[s] @ b[k - s] for s in range(k + 1)) for k in rows])


def inverse(a: ScalarArray, constant: ScalarArray) -> ScalarArray:
    """
    Return the inverse of a series.

    Parameters
    ----------
    a : (K + 1, n, n) ndarray
    constant : (n, n) ndarray
        Inverse of the first coefficient, for example the transpose of a rotation.

    Returns
    -------
    (K + 1, n, n) ndarray
    """
    result = [constant]
    for k in range(1, len(a)):
        result.append(-constant @ sum(a[s] @ result[k - s] for s in range(1, k + 1)))
    return np.array(result)


def exponential(a: ScalarArray) -> ScalarArray:
    """
    Return exp(a(t)) of a series that vanishes at t = 0.

    Parameters
    ----------
    a : (K + 1, n, n) ndarray
        Its first coefficient must be zero.

    Returns
    -------
    (K + 1, n, n) ndarray
    """
    total = np.zeros(a.shape, dtype(a))
    total[0] = np.eye(a.shape[1], dtype=total.dtype)
    term = total
    for j in range(1, len(a)):  # a^j has no coefficients below t^j
        term = product(term, a) / j
        total = total + term
    return total

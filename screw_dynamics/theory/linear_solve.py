# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Linear equations with a symmetric positive definite matrix of any scalars."""

from __future__ import annotations

import numpy as np

from screw_dynamics.lie.scalars import ScalarArray, dtype


def solve_symmetric(matrix: ScalarArray, right: ScalarArray) -> ScalarArray:
    """
    Return A^-1 b by A = L D L^T; floats and complex numbers by LAPACK.

    Parameters
    ----------
    matrix : (n, n) ndarray
        A, symmetric, with pivots that are not zero.
    right : (n,) or (n, m) ndarray
        b.

    Returns
    -------
    (n,) or (n, m) ndarray

    Raises
    ------
    numpy.linalg.LinAlgError, ZeroDivisionError
        If a pivot is zero.

    Examples
    --------
    >>> solve_symmetric(np.array([[2.0, 1.0], [1.0, 3.0]]), np.array([3.0, 4.0]))
    array([1., 1.])
    """
    if dtype(matrix, right).kind in 'fc':
        return np.linalg.solve(matrix, right)
    rest, result = matrix.astype(object), right.astype(object)
    n = len(rest)
    for k in range(n):
        for i in range(k + 1, n):
            factor = rest[i, k] / rest[k, k]
            rest[i, k:] = rest[i, k:] - factor * rest[k, k:]
            result[i] = result[i] - factor * result[k]
    for k in reversed(range(n)):
        result[k] = (result[k] - rest[k, k + 1 :] @ result[k + 1 :]) / rest[k, k]
    return result

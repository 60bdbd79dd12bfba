# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Truncated Taylor series of matrices, arrays (K + 1, n, n) of any scalar type."""

import numpy as np

from screw_dynamics.lie.scalars import ScalarArray, dtype


def product(a: ScalarArray, b: ScalarArray) -> ScalarArray:
    """Return the Cauchy product of (K + 1, m, n) and (K + 1, n, ...), of the smaller order."""
    rows = range(min(len(a), len(b)))
    return np.array([sum(a[s] @ b[k - s] for s in range(k + 1)) for k in rows])


def inverse(a: ScalarArray, constant: ScalarArray) -> ScalarArray:
    """Return the inverse of a series; `constant` (n, n) is that of its first coefficient."""
    result = [constant]
    for k in range(1, len(a)):
        result.append(-constant @ sum(a[s] @ result[k - s] for s in range(1, k + 1)))
    return np.array(result)


def exponential(a: ScalarArray) -> ScalarArray:
    """Return exp(a(t)) of a series whose first coefficient is zero."""
    total = np.zeros(a.shape, dtype(a))
    total[0] = np.eye(a.shape[1], dtype=total.dtype)
    term = total
    for j in range(1, len(a)):  # a^j has no coefficients below t^j
        term = product(term, a) / j
        total = total + term
    return total

# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Entries of a matrix inverse that lie within the band of the matrix."""

from __future__ import annotations

import numpy as np

from screw_dynamics.arrays import Array
from screw_dynamics.jit import Kernel, read_only


def band_of_inverse(factor: Array) -> Array:
    """
    Return the band of A^-1 (p + 1, N) from the Cholesky factor of A, in time linear in N.

    The inverse is full, but a quadratic form in few neighbouring unknowns needs only its band,
    which follows from L^T A^-1 = L^-1 column by column, the last one first. Row k of the input
    is the k-th subdiagonal of L, as from `scipy.linalg.cholesky_banded`, and of the result that
    of A^-1, padded with 0.
    """
    band = np.zeros(factor.shape)
    _fill(np.ascontiguousarray(factor), band)
    return band


def _inverse(factor, band):
    width, count = factor.shape
    for j in range(count - 1, -1, -1):
        last = min(width, count - j)
        for i in range(1, last):
            total = 0.0
            for k in range(1, last):
                low, high = min(i, k), max(i, k)
                total += factor[k, j] * band[high - low, j + low]
            band[i, j] = -total / factor[0, j]
        total = 1.0 / factor[0, j]
        for k in range(1, last):
            total -= factor[k, j] * band[k, j]
        band[0, j] = total / factor[0, j]


_fill = Kernel(_inverse, f'void({read_only(2)}, float64[:, ::1])')

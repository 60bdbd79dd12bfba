# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Symmetric systems that couple only neighbouring knots, with four unknowns each."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.linalg import cho_solve_banded, cholesky_banded

from screw_dynamics.arrays import Array


def at_segments(knots: Array) -> Array:
    """Return the unknowns of both ends of every segment side by side, (K, 4) to (K - 1, 8)."""
    return np.concatenate((knots[:-1], knots[1:]), axis=1)


def at_knots(segments: Array) -> Array:
    """Add up the contributions of segments at knots, (K - 1, 8) to (K, 4); see `at_segments`."""
    knots = np.zeros((len(segments) + 1, 4))
    knots[:-1] += segments[:, :4]
    knots[1:] += segments[:, 4:]
    return knots


def factorised(blocks: Array, free: Array) -> Callable[[Array], Array]:
    """
    Return the solver of a positive definite system (K, 4), factorised in time linear in K.

    The matrix is the overlapping sum of the segments' `blocks` (K - 1, 8, 8). Unknowns that are
    not `free` (K, 4) are 0. Raise LinAlgError if the matrix is not positive definite.
    """
    count = len(free)
    band = np.zeros((8, 4 * count))
    for row in range(8):
        for column in range(row + 1):
            band[row - column, column : column + 4 * (count - 1) : 4] += blocks[:, row, column]
    mask = free.ravel()
    # unknowns differ by many powers of the segment lengths: first scale to a unit diagonal
    with np.errstate(divide='ignore', invalid='ignore'):
        scale = np.where(mask, 1.0 / np.sqrt(band[0]), 0.0)
    if not np.isfinite(scale).all():
        raise np.linalg.LinAlgError('the diagonal is not positive')
    for k in range(8):
        band[k, : 4 * count - k] *= scale[k:] * scale[: 4 * count - k]
    band[0] = 1.0
    factor = cholesky_banded(band, lower=True, check_finite=False)

    def solve(right_side: Array) -> Array:
        solution = cho_solve_banded((factor, True), scale * right_side.ravel(), check_finite=False)
        return (scale * solution).reshape(count, 4)

    return solve

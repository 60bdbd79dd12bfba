# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Convex quadratic program over the knots that couples only neighbours."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from screw_dynamics.arrays import Array
from screw_dynamics.trajectory.block_band import at_knots, at_segments

# Violation up to which a row counts as satisfied; rows are scaled to the step of their segment.
TOLERANCE = 1e-10


class ConvexProgram(NamedTuple):
    """
    Minimise x^T H x / 2 + g^T x subject to G x + r >= 0; x (K, 4) is 0 if not `free`.

    Each segment couples the four unknowns of its two knots: H is given by blocks (K - 1, 8, 8),
    G by `rows` (K - 1, R, 8), r by `offsets` (K - 1, R). A row of zeros is no constraint.
    """

    hessian: Array
    gradient: Array
    rows: Array
    offsets: Array
    free: Array

    def slack(self, x: Array) -> Array:
        """Return G x + r, (K - 1, R)."""
        return self.offsets + self.row_products(x)

    def row_products(self, x: Array) -> Array:
        """Return G x, (K - 1, R)."""
        products: Array = np.matmul(self.rows, at_segments(x)[:, :, None])[:, :, 0]
        return products

    def row_combination(self, weights: Array) -> Array:
        """Return G^T w, (K, 4), for weights w (K - 1, R)."""
        return at_knots(np.matmul(weights[:, None, :], self.rows)[:, 0, :])

    def objective_gradient(self, x: Array) -> Array:
        """Return H x + g, (K, 4)."""
        return self.gradient + at_knots(
            np.matmul(self.hessian, at_segments(x)[:, :, None])[:, :, 0]
        )

# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""A convex quadratic program over the knots, in which only neighbours are coupled."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from screw_dynamics.arrays import Array
from screw_dynamics.trajectory.block_band import at_knots, at_segments

# A row counts as obeyed down to minus this; rows are scaled to the step of their segment.
TOLERANCE = 1e-10


class ConvexProgram(NamedTuple):
    """
    Minimise x^T H x / 2 + g^T x subject to G x + r >= 0.

    `hessian` (K - 1, 8, 8); `gradient`, `free` (K, 4); `rows` (K - 1, R, 8); `offsets` (K - 1,
    R).
    """

    hessian: Array
    gradient: Array
    rows: Array
    offsets: Array
    free: Array

    def slack(self, x: Array) -> Array:
        """
        Return G x + r.

        `x` (K, 4); returns (K - 1, R).
        """
        return self.offsets + self.row_products(x)

    def row_products(self, x: Array) -> Array:
        """
        Return G x.

        `x` (K, 4); returns (K - 1, R).
        """
        products: Array = np.matmul(self.rows, at_segments(x)[:, :, None])[:, :, 0]
        return products

    def row_combination(self, weights: Array) -> Array:
        """
        Return G^T w.

        `weights` (K - 1, R); returns (K, 4).
        """
        return at_knots(np.matmul(weights[:, None, :], self.rows)[:, 0, :])

    def objective_gradient(self, x: Array) -> Array:
        """
        Return H x + g.

        `x` (K, 4); returns (K, 4).
        """
        return self.gradient + at_knots(
            np.matmul(self.hessian, at_segments(x)[:, :, None])[:, :, 0]
        )

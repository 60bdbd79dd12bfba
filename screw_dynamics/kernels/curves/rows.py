# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Rows of the shape constraints of one joint, on the derivatives at the two knots of each segment.

A segment of length h has the data e = (h v0, h^2 a0, h^3 j0, h^4 s0, h v1, ..): the factors f
(S, 8) times the derivatives x (K, 4) of its two knots. Its rows on e are those of a `table`
(R, 9), from 0 to MONOTONE_ROWS, or from there to the end, times its scale g (S,). Values of rows
lie in one run (N,) for all segments; those of segment i begin at `first[i]`.
"""

MONOTONE_ROWS, FORCED_ROWS = 9, 16
STEP = 8  # column of the step of position, which is known


def table_start(first, i):
    """Return the first row in the table of segment i."""
    return 0 if first[i + 1] - first[i] == MONOTONE_ROWS else MONOTONE_ROWS


def set_row_products(f, g, first, table, x, values):
    """Set `values` (N,) to the products of the rows with x (K, 4)."""
    for i in range(len(g)):
        a0, a1 = g[i] * f[i, 0] * x[i, 0], g[i] * f[i, 1] * x[i, 1]
        a2, a3 = g[i] * f[i, 2] * x[i, 2], g[i] * f[i, 3] * x[i, 3]
        b0, b1 = g[i] * f[i, 4] * x[i + 1, 0], g[i] * f[i, 5] * x[i + 1, 1]
        b2, b3 = g[i] * f[i, 6] * x[i + 1, 2], g[i] * f[i, 7] * x[i + 1, 3]
        n, t = first[i], table_start(first, i)
        for k in range(first[i + 1] - n):
            m = t + k
            left = table[m, 0] * a0 + table[m, 1] * a1 + table[m, 2] * a2 + table[m, 3] * a3
            right = table[m, 4] * b0 + table[m, 5] * b1 + table[m, 6] * b2 + table[m, 7] * b3
            values[n + k] = left + right


def add_row_combination(f, g, first, table, weights, knots):
    """Add the rows, times their `weights` (N,), to `knots` (K, 4)."""
    for i in range(len(g)):
        e0 = e1 = e2 = e3 = e4 = e5 = e6 = e7 = 0.0
        n, t = first[i], table_start(first, i)
        for k in range(first[i + 1] - n):
            m, weight = t + k, g[i] * weights[n + k]
            e0 += weight * table[m, 0]
            e1 += weight * table[m, 1]
            e2 += weight * table[m, 2]
            e3 += weight * table[m, 3]
            e4 += weight * table[m, 4]
            e5 += weight * table[m, 5]
            e6 += weight * table[m, 6]
            e7 += weight * table[m, 7]
        knots[i, 0] += f[i, 0] * e0
        knots[i, 1] += f[i, 1] * e1
        knots[i, 2] += f[i, 2] * e2
        knots[i, 3] += f[i, 3] * e3
        knots[i + 1, 0] += f[i, 4] * e4
        knots[i + 1, 1] += f[i, 5] * e5
        knots[i + 1, 2] += f[i, 6] * e6
        knots[i + 1, 3] += f[i, 7] * e7


def add_row_squares(g, first, squares, i, weights, block):
    """Add the sum of w row^T row of segment i, on e, to `block` (48,); `squares` is (R, 48)."""
    n, t, scale = first[i], table_start(first, i), g[i] * g[i]
    for k in range(first[i + 1] - n):
        weight = scale * weights[n + k]
        for c in range(48):
            block[c] += weight * squares[t + k, c]

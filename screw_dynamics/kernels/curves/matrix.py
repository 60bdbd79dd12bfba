# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Matrix and gradient of the roughness of one joint, and symmetric systems of its structure.

A matrix couples neighbouring knots with four unknowns each: `diagonal` (K, 4, 4) has the blocks
of the knots (only their lower triangles are read), `coupling` (K - 1, 4, 4) those below, rows of
the right knot, columns of the left one.
"""

from math import isfinite

from screw_dynamics.kernels.curves.rows import add_row_squares


def set_matrix(f, g, first, squares, weights, roughness, energy, block, diagonal, coupling):
    """
    Set the matrix of all segments: `roughness` (S,) times `energy` (8, 8) and squares of rows.

    `energy` is on the data e, see `rows`; f (S, 8) is 0 for unknowns that are not free; `weights`
    (N,) belong to the rows; `block` (48,) is workspace: left knot, coupling, right knot.
    """
    diagonal[0] = 0.0
    for i in range(len(g)):
        for r in range(4):
            for c in range(4):
                block[4 * r + c] = roughness[i] * energy[r, c]
                block[16 + 4 * r + c] = roughness[i] * energy[4 + r, c]
                block[32 + 4 * r + c] = roughness[i] * energy[4 + r, 4 + c]
        add_row_squares(g, first, squares, i, weights, block)
        for r in range(4):
            left, right = f[i, r], f[i, 4 + r]
            for c in range(4):
                diagonal[i, r, c] += left * f[i, c] * block[4 * r + c]
                coupling[i, r, c] = right * f[i, c] * block[16 + 4 * r + c]
                diagonal[i + 1, r, c] = right * f[i, 4 + c] * block[32 + 4 * r + c]


def set_gradient(f, free_f, steps, roughness, energy, slope, x, gradient):
    """
    Set the gradient (K, 4) of half the roughness at x (K, 4), 0 if `free_f` (S, 8) is.

    Returns the roughness. The last entry of `slope` (9,) is the roughness of a step of 1.
    """
    gradient[0] = 0.0
    value = 0.0
    for i in range(len(steps)):
        a0, a1, a2, a3 = f[i, 0] * x[i, 0], f[i, 1] * x[i, 1], f[i, 2] * x[i, 2], f[i, 3] * x[i, 3]
        b0, b1 = f[i, 4] * x[i + 1, 0], f[i, 5] * x[i + 1, 1]
        b2, b3 = f[i, 6] * x[i + 1, 2], f[i, 7] * x[i + 1, 3]
        value += roughness[i] * slope[8] * steps[i] ** 2
        for c in range(8):
            total = energy[c, 0] * a0 + energy[c, 1] * a1 + energy[c, 2] * a2 + energy[c, 3] * a3
            total += energy[c, 4] * b0 + energy[c, 5] * b1 + energy[c, 6] * b2 + energy[c, 7] * b3
            linear = steps[i] * slope[c]
            change = free_f[i, c] * roughness[i] * (total + linear)
            if c < 4:
                gradient[i, c] += change
                value += f[i, c] * x[i, c] * roughness[i] * (total + 2.0 * linear)
            else:
                gradient[i + 1, c - 4] = change
                value += f[i, c] * x[i + 1, c - 4] * roughness[i] * (total + 2.0 * linear)
    return value


def factorise(a, b, free):
    """
    Overwrite diagonal a and coupling b by L D L^T; return False if not positive definite.

    Unknowns that are not `free` (K, 4) have rows of zeros, and get the pivot 1. The diagonals of
    the blocks become the inverse pivots.
    """
    for i in range(len(a)):
        for c in range(4):
            if not free[i, c]:
                a[i, c, c] = 1.0
            elif not (a[i, c, c] > 0.0 and isfinite(a[i, c, c])):
                return False
    last = len(a) - 1
    for i in range(last):
        if not _factorise_block(a, i):
            return False
        _eliminate(a, b, i)
    return _factorise_block(a, last)


def _factorise_block(a, i):
    """Overwrite the lower triangle of block i by L and the inverse pivots."""
    d0 = a[i, 0, 0]
    p0 = 1.0 / d0
    a10, a20, a30 = a[i, 1, 0], a[i, 2, 0], a[i, 3, 0]
    l10, l20, l30 = a10 * p0, a20 * p0, a30 * p0
    d1 = a[i, 1, 1] - l10 * a10
    p1 = 1.0 / d1
    a21, a31 = a[i, 2, 1] - l20 * a10, a[i, 3, 1] - l30 * a10
    l21, l31 = a21 * p1, a31 * p1
    d2 = a[i, 2, 2] - l20 * a20 - l21 * a21
    p2 = 1.0 / d2
    a32 = a[i, 3, 2] - l30 * a20 - l31 * a21
    l32 = a32 * p2
    d3 = a[i, 3, 3] - l30 * a30 - l31 * a31 - l32 * a32
    a[i, 0, 0], a[i, 1, 1], a[i, 2, 2], a[i, 3, 3] = p0, p1, p2, 1.0 / d3
    a[i, 1, 0], a[i, 2, 0], a[i, 3, 0] = l10, l20, l30
    a[i, 2, 1], a[i, 3, 1], a[i, 3, 2] = l21, l31, l32
    return d0 > 0.0 and d1 > 0.0 and d2 > 0.0 and d3 > 0.0


def _eliminate(a, b, i):
    """Overwrite the coupling of the factorised block i by its part of L; update block i + 1."""
    l10, l20, l30 = a[i, 1, 0], a[i, 2, 0], a[i, 3, 0]
    l21, l31, l32 = a[i, 2, 1], a[i, 3, 1], a[i, 3, 2]
    p0, p1, p2, p3 = a[i, 0, 0], a[i, 1, 1], a[i, 2, 2], a[i, 3, 3]
    for r in range(4):
        # row r of L D
        t0 = b[i, r, 0]
        t1 = b[i, r, 1] - l10 * t0
        t2 = b[i, r, 2] - l20 * t0 - l21 * t1
        t3 = b[i, r, 3] - l30 * t0 - l31 * t1 - l32 * t2
        b[i, r, 0], b[i, r, 1], b[i, r, 2], b[i, r, 3] = t0 * p0, t1 * p1, t2 * p2, t3 * p3
        for k in range(r + 1):
            first = t0 * b[i, k, 0] + t1 * b[i, k, 1]
            a[i + 1, r, k] -= first + t2 * b[i, k, 2] + t3 * b[i, k, 3]


def substitute(a, b, x):
    """Overwrite the right side x (K, 4) by the solution; a and b are from `factorise`."""
    last = len(a) - 1
    y0 = y1 = y2 = y3 = 0.0
    for i in range(last + 1):
        x0, x1, x2, x3 = x[i, 0], x[i, 1], x[i, 2], x[i, 3]
        if i > 0:
            k = i - 1
            x0 -= b[k, 0, 0] * y0 + b[k, 0, 1] * y1 + b[k, 0, 2] * y2 + b[k, 0, 3] * y3
            x1 -= b[k, 1, 0] * y0 + b[k, 1, 1] * y1 + b[k, 1, 2] * y2 + b[k, 1, 3] * y3
            x2 -= b[k, 2, 0] * y0 + b[k, 2, 1] * y1 + b[k, 2, 2] * y2 + b[k, 2, 3] * y3
            x3 -= b[k, 3, 0] * y0 + b[k, 3, 1] * y1 + b[k, 3, 2] * y2 + b[k, 3, 3] * y3
        y0 = x0
        y1 = x1 - a[i, 1, 0] * y0
        y2 = x2 - a[i, 2, 0] * y0 - a[i, 2, 1] * y1
        y3 = x3 - a[i, 3, 0] * y0 - a[i, 3, 1] * y1 - a[i, 3, 2] * y2
        x[i, 0], x[i, 1], x[i, 2], x[i, 3] = y0, y1, y2, y3
    for i in range(last, -1, -1):
        x0, x1 = x[i, 0] * a[i, 0, 0], x[i, 1] * a[i, 1, 1]
        x2, x3 = x[i, 2] * a[i, 2, 2], x[i, 3] * a[i, 3, 3]
        if i < last:
            x0 -= b[i, 0, 0] * y0 + b[i, 1, 0] * y1 + b[i, 2, 0] * y2 + b[i, 3, 0] * y3
            x1 -= b[i, 0, 1] * y0 + b[i, 1, 1] * y1 + b[i, 2, 1] * y2 + b[i, 3, 1] * y3
            x2 -= b[i, 0, 2] * y0 + b[i, 1, 2] * y1 + b[i, 2, 2] * y2 + b[i, 3, 2] * y3
            x3 -= b[i, 0, 3] * y0 + b[i, 1, 3] * y1 + b[i, 2, 3] * y2 + b[i, 3, 3] * y3
        y3 = x3
        y2 = x2 - a[i, 3, 2] * y3
        y1 = x1 - a[i, 2, 1] * y2 - a[i, 3, 1] * y3
        y0 = x0 - a[i, 1, 0] * y1 - a[i, 2, 0] * y2 - a[i, 3, 0] * y3
        x[i, 0], x[i, 1], x[i, 2], x[i, 3] = y0, y1, y2, y3

# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Factors M = L^T D L of the mass matrix (F2008, section 6.3), of one sample or of several."""

from screw_dynamics.kernels.bodies import layout
from screw_dynamics.kernels.bodies.joint_frames import clear, joint_row
from screw_dynamics.kernels.bodies.mass_matrix import composite_scale
from screw_dynamics.kernels.bodies.rows import at, get, independent, integer, put, unless_small

# A pivot below this fraction of the inertia that it results from has at most three exact digits.
SINGULAR = 1e-13


def set_scale(ws, scale, n, parameters):
    """Write the inertias (n,) of all that a coordinate moves, after `mass_matrix`."""
    clear(scale, n, ws)
    for i in range(integer(parameters, layout.BODY_COUNT)):
        joint = joint_row(parameters, i)
        c, factor = integer(joint, layout.COORDINATE), get(joint, layout.MULTIPLIER)
        put(scale, c, get(scale, c) + factor * factor * composite_scale(ws, i, joint))


def factorise(n, matrix, scale, inverses):
    """
    Replace the lower triangle of a matrix (n, n) by L and D; write 1 / D.

    What follows from a pivot below its scale is NaN.
    """
    for k in range(n - 1, -1, -1):
        row = at(matrix, k * n)
        pivot = get(row, k)
        # an infinite pivot becomes NaN, too
        inverse = 1.0 / unless_small(pivot + 0.0 * pivot, SINGULAR * get(scale, k))
        put(inverses, k, inverse)
        for i in range(k):
            factor, target = get(row, i) * inverse, at(matrix, i * n)
            for j in independent(i + 1):
                put(target, j, get(target, j) - factor * get(row, j))
        for i in independent(k):
            put(row, i, get(row, i) * inverse)


def solve(n, matrix, inverses, x, columns):
    """Replace x (n, columns) by M^-1 x."""
    for k in range(n - 1, -1, -1):
        row = at(x, k * columns)
        for i in range(k):
            factor, target = get(matrix, k * n + i), at(x, i * columns)
            for c in independent(columns):
                put(target, c, get(target, c) - factor * get(row, c))
    for k in range(n):
        row, inverse = at(x, k * columns), get(inverses, k)
        for c in independent(columns):
            put(row, c, inverse * get(row, c))
        for i in range(k):
            factor, source = get(matrix, k * n + i), at(x, i * columns)
            for c in independent(columns):
                put(row, c, get(row, c) - factor * get(source, c))

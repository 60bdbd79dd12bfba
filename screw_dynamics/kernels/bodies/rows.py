# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Workspace rows of the Newton-Euler recursion: layout, access, input and output of samples.

A row is a float (one sample), a short vector of samples (batches in C) or a NumPy row over samples
(batches in Python). Rows are accessed only by `at`, `get` and `put`.
"""

import numpy as np

from screw_dynamics.kernels.bodies import layout

# Rows of a body's block, in this order, for k = order:
#   w (3) and cos, sin of the joint angle, each k + 2 coefficients; q' with k + 2; then a (3),
#   B (9), F (3), N (3), each k + 1.
# tau overwrites q'. After the blocks: 3 (k + 2) rows of scratch, then q, cos q, sin q of every
# body in three contiguous runs, so that all sines are computed in one loop.
_LONG, _SHORT = 6, 18


def block_rows(order):
    """Return the number of workspace rows of one body."""
    return _LONG * (order + 2) + _SHORT * (order + 1)


def efforts_rows(order, body_count):
    """Return the number of workspace rows of the whole recursion."""
    return body_count * (block_rows(order) + 3) + 3 * (order + 2)


def at(ws, row):
    """Return the rows from `row` on."""
    return ws[row:]


def apart(ws, row, count):
    """Return `count` rows from `row` on that are accessed by this pointer alone."""
    return at(ws, row)


def get(ws, row):
    """Return a row of the workspace."""
    return ws[row]


def put(ws, row, value):
    """Set a row of the workspace."""
    ws[row] = value


def integer(rows, row):
    """Return an integer parameter."""
    return int(get(rows, row))


def independent(count):
    """Return range(count), for loops whose passes neither read nor change what others change."""
    return range(count)


def absolute(value):
    """Return the absolute value of a row."""
    return np.abs(value)


def unless_small(value, bound):
    """Return a row, with NaN in place of values of at most `bound`."""
    return np.where(np.abs(value) > bound, value, np.nan)


def sines(ws, start, count):
    """Write the runs of cos q and sin q after the run of q."""
    for i in range(start, start + count):
        angle = get(ws, i)
        put(ws, i + count, np.cos(angle))
        put(ws, i + 2 * count, np.sin(angle))


def gather(order, ws, q, rates, terms, parameters):
    """
    Write the series of every tree joint, with mimic relations.

    `rates` are q' and the following derivatives, `terms` of them; those behind are 0.
    """
    count, n = integer(parameters, layout.BODY_COUNT), integer(parameters, layout.COORDINATE_COUNT)
    angles = efforts_rows(order, count) - 3 * count
    for i in range(count):
        joint = at(parameters, layout.HEADER + i * layout.ROW)
        c = integer(joint, layout.COORDINATE)
        rate = at(ws, i * block_rows(order) + 5 * (order + 2))
        factor = get(joint, layout.MULTIPLIER)
        put(ws, angles + i, factor * get(q, c) + get(joint, layout.OFFSET))
        for j in range(terms):
            put(rate, j, factor * get(rates, j * n + c))
            factor = factor / (j + 1.0)
        for j in range(terms, order + 2):
            put(rate, j, 0.0 * get(q, c))


def scatter(order, ws, tau, parameters):
    """Write the rows of the effort jet, tau = G^T (tau of the tree joints)."""
    count, n = integer(parameters, layout.BODY_COUNT), integer(parameters, layout.COORDINATE_COUNT)
    for row in range((order + 1) * n):
        put(tau, row, 0.0 * get(ws, 5 * (order + 2)))
    for i in range(count):
        joint = at(parameters, layout.HEADER + i * layout.ROW)
        c = integer(joint, layout.COORDINATE)
        effort = at(ws, i * block_rows(order) + 5 * (order + 2))
        factor = get(joint, layout.MULTIPLIER)
        for d in range(order + 1):
            put(tau, d * n + c, get(tau, d * n + c) + factor * get(effort, d))
            factor = factor * (d + 1.0)

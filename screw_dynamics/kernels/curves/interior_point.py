# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Mehrotra's predictor-corrector method for the convex program of one joint.

Minimise the roughness of x (K, 4) subject to rows x + r >= 0. The arrays `joint` of the joint are

    f, free_f (S, 8)  factors of the data, see `rows`; 0 in `free_f` for unknowns that are fixed
    g, steps, roughness (S,)  scales of the rows, steps of position, weights of the objective
    first (S + 1,), offsets, active (N,)  the runs of the rows, r, and 1 if a row is a constraint
    free (K, 4)  unknowns, as bools

`tables` are energy (8, 8), slope (9,), table (R, 9) and squares (R, 48), `work` the workspaces
runs (RUNS, N), knots (3, K, 4), block (48,), diagonal (K, 4, 4) and coupling (K - 1, 4, 4).
"""

import numpy as np

from screw_dynamics.kernels.curves.matrix import factorise, set_gradient, set_matrix, substitute
from screw_dynamics.kernels.curves.rows import (
    add_row_combination,
    add_row_squares,
    set_row_products,
)

# Violation up to which a row counts as satisfied; rows are scaled to the step of their segment.
TOLERANCE = 1e-10
# Complementarity of all rows, relative to the roughness, at which the minimum is reached: where
# the multipliers are those of the rows, the roughness exceeds its minimum by at most twice that.
GAP = 1e-6
MAX_ITERATIONS = 40
# Largest weight of the objective relative to a constraint at the start. With a small weight the
# method first moves to the middle of the feasible set, from where it hardly ever gets stuck.
OBJECTIVE_SCALE = 1e-3
STEP_BACK = 0.995  # largest fraction of the way to the boundary per step

RUNS = 7  # workspace of `iterate`, one row per value of a row of constraints


def minimise(joint, tables, anchor, x, work):
    """Move x from a feasible anchor to the minimiser, feasible to `TOLERANCE`."""
    f, free_f, g, steps, roughness, first, offsets, active, free = joint
    energy, slope, table, squares = tables
    runs, knots, block, diagonal, coupling = work
    n = first[len(g)]
    dx = knots[0]
    runs[0, :n] = 0.0
    set_matrix(free_f, g, first, squares, runs[0], roughness, energy, block, diagonal, coupling)
    if factorise(diagonal, coupling, free):
        _set_fixed(free, anchor, x)
        set_gradient(f, free_f, steps, roughness, energy, slope, x, dx)
        substitute(diagonal, coupling, dx)
        for i in range(len(x)):
            for c in range(4):
                x[i, c] -= dx[i, c]
        # a joint may be ill-conditioned without the rows
        if not _violated(f, g, first, table, offsets, active, x, runs[0]):
            return
    x[:] = anchor
    _iterate(joint, tables, x, work)


def _set_fixed(free, anchor, x):
    """Set x to the anchor if fixed, to 0 if free."""
    for i in range(len(x)):
        for c in range(4):
            x[i, c] = 0.0 if free[i, c] else anchor[i, c]


def _violated(f, g, first, table, offsets, active, x, values):
    """Return whether x violates a row by more than `TOLERANCE`."""
    set_row_products(f, g, first, table, x, values)
    least = 0.0
    for k in range(first[len(g)]):
        if active[k] > 0.0:
            least = min(least, values[k] + offsets[k])
    return least < -TOLERANCE


def _iterate(joint, tables, x, work):
    """
    Move x, which is feasible, to the minimiser, or else to the best feasible point on the way.

    Slacks s = rows x + r and multipliers w stay positive; each step solves
    (H + rows^T diag(w / s) rows) dx = right side. Rows that are no constraints keep s = 1, w = 0.
    """
    f, free_f, g, steps, roughness, first, offsets, active, free = joint
    energy, slope, table, squares = tables
    runs, knots, block, diagonal, coupling = work
    s, w, ds, dw, excess = runs[0], runs[1], runs[2], runs[3], runs[4]
    inverse, change = runs[5], runs[6]
    dual, dx, best = knots[0], knots[1], knots[2]
    best[:] = x
    n, count = first[len(g)], 0.0
    set_row_products(f, g, first, table, x, s)
    for k in range(n):
        s[k] = max(s[k] + offsets[k], 1.0) if active[k] > 0.0 else 1.0
        w[k] = active[k] / s[k]
        count += active[k]
    if count == 0.0:
        return
    ratio = _stiffness_ratio(free_f, g, first, squares, active, roughness, energy, block, dual, dx)
    scaled = roughness * (OBJECTIVE_SCALE / ratio)
    least_value = np.inf
    for _ in range(MAX_ITERATIONS):
        value = set_gradient(f, free_f, steps, scaled, energy, slope, x, dual)
        set_row_products(f, g, first, table, x, excess)
        feasible, gap = True, 0.0
        for k in range(n):
            excess[k] = active[k] * (excess[k] + offsets[k] - s[k])
            feasible &= abs(excess[k]) < TOLERANCE
            gap += s[k] * w[k]
        if feasible:
            if value < least_value:
                least_value = value
                best[:] = x
            if gap < GAP * value:
                break
        for k in range(n):
            inverse[k] = 1.0 / s[k]
            ds[k] = w[k] * inverse[k]
            dw[k] = -s[k] * w[k]
            change[k] = -w[k]
        set_matrix(free_f, g, first, squares, ds, scaled, energy, block, diagonal, coupling)
        if not factorise(diagonal, coupling, free):
            break
        add_row_combination(free_f, g, first, table, change, dual)
        _solve(
            free_f, g, first, table, w, inverse, excess, dw, dual, change, dx, diagonal, coupling
        )
        step = _set_step(f, g, first, table, s, w, inverse, excess, dx, ds, dw)
        ahead = 0.0
        for k in range(n):
            ahead += (s[k] + step * ds[k]) * (w[k] + step * dw[k])
        centre = (ahead / gap) ** 3 * gap / count
        for k in range(n):
            dw[k] = active[k] * centre - s[k] * w[k] - ds[k] * dw[k]
        _solve(
            free_f, g, first, table, w, inverse, excess, dw, dual, change, dx, diagonal, coupling
        )
        step = STEP_BACK * _set_step(f, g, first, table, s, w, inverse, excess, dx, ds, dw)
        for i in range(len(dx)):
            for c in range(4):
                x[i, c] += step * dx[i, c]
        for k in range(n):
            s[k] += step * ds[k]
            w[k] += step * dw[k]
    x[:] = best


def _stiffness_ratio(free_f, g, first, squares, active, roughness, energy, block, objective, rows):
    """Return the largest ratio of diagonals of the objective and of rows^T rows, free unknowns."""
    objective[0] = 0.0
    rows[0] = 0.0
    for i in range(len(g)):
        block[:] = 0.0
        add_row_squares(g, first, squares, i, active, block)
        for c in range(4):
            left, right = free_f[i, c] ** 2, free_f[i, 4 + c] ** 2
            objective[i, c] += left * roughness[i] * energy[c, c]
            objective[i + 1, c] = right * roughness[i] * energy[4 + c, 4 + c]
            rows[i, c] += left * block[5 * c]
            rows[i + 1, c] = right * block[32 + 5 * c]
    largest = 0.0
    for i in range(len(rows)):
        for c in range(4):
            if rows[i, c] > 0.0:
                largest = max(largest, objective[i, c] / rows[i, c])
    return np.float64(largest)


def _solve(
    free_f, g, first, table, w, inverse, excess, change, dual, weights, dx, diagonal, coupling
):
    """Set dx to the Newton step for a required `change` of the products s w."""
    for k in range(first[len(g)]):
        weights[k] = (change[k] - w[k] * excess[k]) * inverse[k]
    for i in range(len(dx)):
        for c in range(4):
            dx[i, c] = -dual[i, c]
    add_row_combination(free_f, g, first, table, weights, dx)
    substitute(diagonal, coupling, dx)


def _set_step(f, g, first, table, s, w, inverse, excess, dx, ds, dw):
    """
    Set ds and dw, whose values are the required changes of s w; return the longest step.

    The step, at most 1, keeps s and w positive.
    """
    set_row_products(f, g, first, table, dx, ds)
    step = 1.0
    for k in range(first[len(g)]):
        ds[k] += excess[k]
        dw[k] = (dw[k] - w[k] * ds[k]) * inverse[k]
    for k in range(first[len(g)]):
        # divides only if the step becomes shorter
        if s[k] + step * ds[k] < 0.0:
            step = -s[k] / ds[k]
        if w[k] + step * dw[k] < 0.0:
            step = -w[k] / dw[k]
    return step

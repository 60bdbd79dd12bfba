# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Kernel of the free knot derivatives: constraints, roughness and minimiser of each joint."""

from math import isfinite

import numpy as np

from screw_dynamics.kernels.curves.interior_point import RUNS, minimise
from screw_dynamics.kernels.curves.rows import (
    FORCED_ROWS,
    MONOTONE_ROWS,
    STEP,
    set_row_products,
    table_start,
)
from screw_dynamics.kernels.kernel import Kernel, read_only

ROUNDING = 1e-12  # of the step: smaller negative coefficients of the velocity are accepted
# Least weight of a slow long segment, relative to the roughest one: smaller weights are lost to
# rounding, and with them the free derivatives of the segment.
LEAST_PART = 1e-10


def _choose_free_derivatives(h, steps, anchor, free, energy, slope, table, squares, x):
    """
    Fill the free derivatives that are least rough under the shape constraints.

    `h` (S,), `steps` (J, S), feasible `anchor` and `x` (J, K, 4), `free` (J, K, 4). `energy`
    (8, 8) and `slope` (9,) are the roughness of a segment on its data, `table` (25, 9) the rows,
    see `rows`; `squares` (25, 48) the products of the entries of each with each other.
    """
    joints, count = steps.shape
    f, free_f = np.empty((count, 8)), np.empty((count, 8))
    g, roughness = np.empty(count), np.empty(count)
    first = np.empty(count + 1, dtype=np.int64)
    runs = np.empty((RUNS + 2, FORCED_ROWS * count))
    offsets, active = runs[RUNS], runs[RUNS + 1]
    knots, block = np.empty((3, count + 1, 4)), np.empty(48)
    diagonal, coupling = np.empty((count + 1, 4, 4)), np.empty((count, 4, 4))
    tables, work = (energy, slope, table, squares), (runs, knots, block, diagonal, coupling)
    _set_factors(h, f)
    for j in range(joints):
        for i in range(count):
            for c in range(4):
                free_f[i, c] = f[i, c] if free[j, i, c] else 0.0
                free_f[i, 4 + c] = f[i, 4 + c] if free[j, i + 1, c] else 0.0
        _set_roughness(h, steps[j], anchor[j], roughness)
        _set_rows(f, table, steps[j], anchor[j], g, first, offsets, runs[0])
        _set_active(free_f, first, table, active)
        joint = (f, free_f, g, steps[j], roughness, first, offsets, active, free[j])
        minimise(joint, tables, anchor[j], x[j], work)


def _set_factors(h, f):
    """Set the factors f (S, 8) of the data of segments of lengths h."""
    for i in range(len(h)):
        power = 1.0
        for d in range(4):
            power *= h[i]
            f[i, d] = f[i, 4 + d] = power


def _set_active(free_f, first, table, active):
    """Set `active` (N,) to 1 for rows with a free unknown, to 0 for others."""
    for i in range(len(free_f)):
        for k in range(first[i + 1] - first[i]):
            row, touched = table_start(first, i) + k, False
            for c in range(8):
                touched |= table[row, c] != 0.0 and free_f[i, c] != 0.0
            active[first[i] + k] = 1.0 if touched else 0.0


def _set_roughness(h, steps, anchor, roughness):
    """Set the weights h^-7, the scale of squared snap in normalised time, or more to survive."""
    largest = 0.0
    for i in range(len(h)):
        power, size = 1.0, abs(steps[i])
        for d in range(4):
            power *= h[i]
            size = max(size, power * abs(anchor[i, d]), power * abs(anchor[i + 1, d]))
        roughness[i] = size
        largest = max(largest, h[i] ** -7.0 * size**2)
    least = LEAST_PART * largest
    for i in range(len(h)):
        square, weight = roughness[i] ** 2, h[i] ** -7.0
        # nothing is free in a segment of size 0
        lost = weight * square < least and roughness[i] > 0.0
        roughness[i] = least / square if lost else weight


def _set_rows(f, table, steps, anchor, g, first, offsets, values):
    """
    Set the rows and offsets of each segment, which the anchor satisfies; `values` is workspace.

    If the anchor makes a segment monotone, the coefficients of its velocity keep the sign of the
    step. Else those of the position stay in the interval of the end points, widened by the excess
    of the anchor.
    """
    for i in range(len(g)):
        first[i], g[i] = MONOTONE_ROWS * i, 1.0 / steps[i]
    first[len(g)] = MONOTONE_ROWS * len(g)
    set_row_products(f, g, first, table, anchor, values)
    begin = 0
    for i in range(len(g)):
        monotone = True
        for k in range(MONOTONE_ROWS * i, MONOTONE_ROWS * (i + 1)):
            relative = values[k] + table[k - MONOTONE_ROWS * i, STEP]
            monotone &= isfinite(relative) and relative >= -ROUNDING
        first[i] = begin
        g[i] = g[i] if monotone else 1.0
        begin += MONOTONE_ROWS if monotone else FORCED_ROWS
    first[len(g)] = begin
    set_row_products(f, g, first, table, anchor, values)
    for i in range(len(g)):
        n = first[i]
        if first[i + 1] - n == MONOTONE_ROWS:
            for k in range(MONOTONE_ROWS):
                offsets[n + k] = table[k, STEP]
        else:
            _set_interval(table, steps[i], i, n, values, g, offsets)


def _set_interval(table, step, i, n, values, g, offsets):
    """Set scale and offsets of a forced segment; `values` are its coefficients at the anchor."""
    low, high = min(step, 0.0), max(step, 0.0)
    for k in range(8):
        value = values[n + k] + table[MONOTONE_ROWS + k, STEP] * step
        low, high = min(low, value), max(high, value)
    g[i] = 1.0 / (high - low) if high > low else 1.0
    for k in range(8):
        start = table[MONOTONE_ROWS + k, STEP] * step
        offsets[n + k] = (start - low) * g[i]
        offsets[n + 8 + k] = (high - start) * g[i]


_KNOTS = read_only(3)
_TABLE = read_only(2)
choose_free_derivatives = Kernel(
    _choose_free_derivatives,
    f'void({read_only(1)}, {_TABLE}, {_KNOTS}, {read_only(3, "bool")}, {_TABLE}, {read_only(1)}, '
    f'{_TABLE}, {_TABLE}, float64[:, :, ::1])',
)

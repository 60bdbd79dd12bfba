# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Linear programs that raise the speed along a path while limits hold at stations."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import csr_matrix, vstack

from screw_dynamics.common.arrays import Array
from screw_dynamics.errors import InfeasibleError
from screw_dynamics.limits.retiming.path_rows import PathRows

# Tangents to 1 / sqrt(u) at these ratios u of new and present coefficients: their maximum is below
# it by at most 3 %.
_TANGENTS = np.array([0.35, 0.6, 0.85, 1.0, 1.2, 1.6, 2.4])
_RATIOS = (0.3, 3.0)  # of a coefficient, per program: a small change exceeds few limits
_ANY_RATIOS = (0.02, 100.0)  # where no smaller change keeps the limits
_MOST_GROWTH = 4.0  # of a spline coefficient to its neighbour: an even time law
_NEAR = 0.2  # slack of an inequality, of its largest coefficient, in the first of some programs
_BEYOND = 1e-7  # excess of an inequality that a program does not have
_MOST_ROUNDS = 5


def faster(rows: PathRows, coefficients: Array, weights: Array, tightening: Array) -> Array:
    """
    Return spline coefficients of the squared speed with less duration under linearised limits.

    At a station the squared speed grows by the ratio r = sum_j p_j u_j, a mean of the ratios u of
    new and present coefficients, so that the time there is at most sum_j p_j / sqrt(u_j) of the
    present one, and equal to first order: the program minimises this bound. `weights` (M,) are
    the lengths of path that belong to the stations, `tightening` (M, Q + 2) factors of the
    limits. Without a solution limits are exceeded as at present, or, if the ends are not at rest,
    InfeasibleError is raised.
    """
    basis, count = rows.basis, rows.basis.count
    own, own_upper = rows.constraints(coefficients, tightening)
    own.resize((own.shape[0], 2 * count))
    growth, cuts = _growth(coefficients), _cuts(count)
    matrix: Any = vstack([own, growth, cuts], format='csr')
    upper = np.concatenate(
        (own_upper, np.zeros(growth.shape[0]), np.repeat(-1.5 * _TANGENTS**-0.5, count))
    )
    needed = matrix @ np.ones(2 * count) > upper - _NEAR
    needed[len(own_upper) + growth.shape[0] :] = True
    present = rows.squared_speeds(coefficients)
    means = (
        basis.values[0] * coefficients[basis.columns] * (weights * present**-1.5)[:, np.newaxis]
    )
    costs = np.zeros(2 * count)
    costs[count:] = np.bincount(basis.columns.ravel(), means.ravel(), count)
    conditions: Any = None
    values: Array | None = None
    if rows.fixed is not None:
        values = rows.fixed[1]
        conditions = csr_matrix(rows.fixed[0].multiply(coefficients))
        conditions.resize((len(values), 2 * count))
    programs = [(_RATIOS, upper), (_ANY_RATIOS, upper)]
    if rows.fixed is None:
        # limits that the present time law exceeds: a smaller excess may be on no way of a program
        programs.append((_RATIOS, np.maximum(upper, matrix @ np.ones(2 * count))))
    for ratios, allowed in programs:
        bounds: list[Any] = [ratios] * count + [(0.0, None)] * count
        # most limits bind nowhere near: those that a program exceeds are added to the next one
        for _ in range(_MOST_ROUNDS):
            found = linprog(
                costs,
                A_ub=matrix[needed],
                b_ub=allowed[needed],
                A_eq=conditions,
                b_eq=values,
                bounds=bounds,
                method='highs-ds',
                options={'presolve': False},  # which takes longer than it saves
            )
            if found.x is None:
                break
            missing = (matrix @ found.x > allowed + _BEYOND) & ~needed
            if not missing.any():
                break
            needed |= missing
        if found.x is not None:
            solved: Array = coefficients * found.x[:count]
            return solved
    if rows.fixed is None:
        return coefficients  # numbers that programs do not solve
    raise InfeasibleError(
        'expected limits that leave a time law between ends that are not at rest, got none'
    )


def _cuts(count: int) -> csr_matrix:
    """Return A of A (u, t) <= b: each time t is at least every tangent to 1 / sqrt(u)."""
    entries = np.full((len(_TANGENTS), count, 2), -1.0)
    entries[..., 0] = (-0.5 * _TANGENTS**-1.5)[:, np.newaxis]
    places = np.tile(np.arange(2 * count).reshape(2, count).T, (len(_TANGENTS), 1))
    start = np.arange(0, entries.size + 1, 2)
    return csr_matrix((entries.ravel(), places.ravel(), start), (len(start) - 1, 2 * count))


def _growth(coefficients: Array) -> csr_matrix:
    """Return A of A (u, t) <= 0, which bounds the growth between neighbouring coefficients."""
    count = len(coefficients)
    here = np.concatenate((np.arange(count - 1), np.arange(1, count)))
    other = np.concatenate((np.arange(1, count), np.arange(count - 1)))
    entries = np.stack(
        (np.ones(len(here)), -_MOST_GROWTH * coefficients[other] / coefficients[here]), axis=1
    )
    places, start = np.stack((here, other), axis=1), np.arange(0, entries.size + 1, 2)
    return csr_matrix((entries.ravel(), places.ravel(), start), (len(here), 2 * count))

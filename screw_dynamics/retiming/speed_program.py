# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Linear programs that raise the speed along a path while limits hold at stations."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import coo_matrix, csr_matrix, hstack, identity, vstack

from screw_dynamics.arrays import Array
from screw_dynamics.errors import InfeasibleError
from screw_dynamics.retiming.path_rows import PathRows

# Tangents to 1 / sqrt(u) at these ratios u of new and present squared speed: the duration that a
# program minimises is their maximum, below the true one by at most 3 % between 0.6 and 2.5.
_TANGENTS = np.array([0.1, 0.3, 0.6, 0.85, 1.0, 1.2, 1.6, 2.5, 5.0, 15.0, 60.0])
_LEAST_RATIO, _MOST_RATIO = 0.02, 100.0  # of a spline coefficient, per program
_MOST_GROWTH = 4.0  # of a spline coefficient to its neighbour: an even time law


def faster(rows: PathRows, coefficients: Array, weights: Array, tightening: Array) -> Array:
    """
    Return spline coefficients of the squared speed with the least duration, to first order.

    The program is linear in the ratio of new and present coefficients. `weights` (M,) are the
    lengths of path that belong to the stations, `tightening` (M, Q + 1) factors of the limits.
    Raises InfeasibleError where the program has no solution.
    """
    basis, count = rows.basis, rows.basis.count
    present = rows.squared_speeds(coefficients)
    stations, width = basis.columns.shape
    matrix, upper = rows.constraints(coefficients, tightening)
    scaled = basis.values[0] * coefficients[basis.columns] / present[:, np.newaxis]
    start = np.arange(0, stations * width + 1, width)
    ratio = csr_matrix((scaled.ravel(), basis.columns.ravel(), start), (stations, count))
    # times t >= tangents, in units of the present time of each station
    cuts: list[Any] = [hstack([-0.5 * u**-1.5 * ratio, -identity(stations)]) for u in _TANGENTS]
    own: Any = vstack([matrix, _growth(coefficients)])
    inequalities: Any = vstack([hstack([own, csr_matrix((own.shape[0], stations))]), *cuts])
    conditions: Any = None
    values: Array | None = None
    if rows.fixed is not None:
        values = rows.fixed[1]
        ends: Any = rows.fixed[0].multiply(coefficients)
        conditions = hstack([ends, csr_matrix((len(values), stations))])
    found = linprog(
        np.concatenate((np.zeros(count), weights / np.sqrt(present))),
        A_ub=inequalities.tocsc(),
        b_ub=np.concatenate(
            (upper, np.zeros(2 * count - 2), np.repeat(-1.5 * _TANGENTS**-0.5, stations))
        ),
        A_eq=conditions,
        b_eq=values,
        bounds=[(_LEAST_RATIO, _MOST_RATIO)] * count + [(0.0, None)] * stations,
        method='highs-ipm',
    )
    if found.x is None:
        raise InfeasibleError(
            f'expected limits that leave a time law near the present one, got: {found.message}'
        )
    result: Array = coefficients * found.x[:count]
    return result


def _growth(coefficients: Array) -> coo_matrix:
    """Return A of A u <= 0, which bounds the growth between neighbouring coefficients."""
    count = len(coefficients)
    row = np.arange(2 * count - 2)
    here = np.concatenate((np.arange(count - 1), np.arange(1, count)))
    other = np.concatenate((np.arange(1, count), np.arange(count - 1)))
    size = coefficients[here]
    entries = np.concatenate((np.ones(len(row)), -_MOST_GROWTH * coefficients[other] / size))
    places = np.concatenate((row, row)), np.concatenate((here, other))
    return coo_matrix((entries, places), (len(row), count))

# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
The least roughness of a smooth trajectory through positions, by PIQP, a proximal method.

Written from the definition alone: a polynomial of degree 9 per segment, whose velocity has
Bernstein coefficients with the sign of the step; roughness is the integral of squared snap, plus
300 / h^2 times squared jerk and 0.02 h^2 times squared crackle, in segments of length h.
"""

from __future__ import annotations

from math import comb, perm

import numpy as np
import piqp
from scipy.sparse import csc_matrix

_WEIGHTS = {4: 1.0, 3: 300.0, 5: 0.02}
_POWERS = np.arange(10)


def _rows(order: int, u: float) -> np.ndarray:
    """Factors of the coefficients of a polynomial in its derivative at u."""
    return np.array([perm(k, order) * u ** (k - order) if k >= order else 0.0 for k in _POWERS])


def _energy() -> np.ndarray:
    """Matrix of the roughness of a segment of length 1 on the coefficients of its powers."""
    energy = np.zeros((10, 10))
    for order, weight in _WEIGHTS.items():
        factors = _rows(order, 1.0)
        powers = np.maximum(_POWERS[:, None] + _POWERS - 2 * order + 1, 1)
        energy += weight * factors[:, None] * factors / powers
    return energy


ENERGY = _energy()
# coefficients from the data (q, v, a, j, s) at 0 and at 1
_HERMITE = np.linalg.inv(np.array([_rows(d, u) for u in (0.0, 1.0) for d in range(5)]))
# Bernstein coefficients of the velocity from those data, without rounding errors in place of 0
_VELOCITY = np.array(
    [[k * comb(i, k - 1) / comb(8, k - 1) if 0 < k <= i + 1 else 0 for k in _POWERS]
     for i in range(9)]
) @ _HERMITE  # fmt: skip
_VELOCITY[np.abs(_VELOCITY) < 1e-9] = 0.0


def roughness(h: np.ndarray, coefficients: np.ndarray) -> np.ndarray:
    """Return the roughness (n,) of segments h (S,) with coefficients (S, 10, n)."""
    squares = np.einsum('sin,ij,sjn->sn', coefficients, ENERGY, coefficients)
    return h**-7.0 @ squares


def least_roughness(h: np.ndarray, positions: np.ndarray) -> float:
    """Return the minimum for one joint at positions (S + 1,), which rests at both ends."""
    count, steps = len(h), np.diff(positions)
    free = np.ones((count + 1, 5), dtype=bool)
    free[:, 0] = free[0] = free[-1] = False
    free[1:-1, 1] = steps[:-1] * steps[1:] > 0.0  # at an extremum the velocity is 0
    known = np.zeros((count + 1, 5))
    known[:, 0] = positions - positions[0]
    size = known.size
    hessian, rows = np.zeros((size, size)), np.zeros((9 * count, size))
    for i in range(count):
        powers = np.tile(h[i] ** np.arange(5), 2)
        part, data = slice(5 * i, 5 * i + 10), _HERMITE * powers
        hessian[part, part] += h[i] ** -7.0 * data.T @ ENERGY @ data
        rows[9 * i : 9 * i + 9, part] = _VELOCITY * powers / steps[i]
    mask, y = free.ravel(), known.ravel()
    gradient, offsets, constant = (hessian @ y)[mask], rows @ y, y @ hessian @ y
    # unknowns and rows of size 1; rows without unknowns are left out
    scale = 1.0 / np.abs(rows[:, mask]).max(axis=0)
    hessian = hessian[np.ix_(mask, mask)] * scale[:, None] * scale
    gradient, rows = gradient * scale, rows[:, mask] * scale
    largest = np.abs(rows).max(axis=1)
    rows, offsets, largest = rows[largest > 0.0], offsets[largest > 0.0], largest[largest > 0.0]
    solver = piqp.SparseSolver()
    solver.settings.eps_abs = solver.settings.eps_rel = 1e-10
    solver.settings.max_iter = 500
    rows = csc_matrix(-rows / largest[:, None])
    solver.setup(csc_matrix(hessian), gradient, None, None, rows, None, offsets / largest)
    status = solver.solve()
    assert status == piqp.PIQP_SOLVED, status
    x = solver.result.x
    return float(constant + x @ (hessian @ x + 2.0 * gradient))

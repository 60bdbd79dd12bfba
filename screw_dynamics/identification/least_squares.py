# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Weighted least squares with error bars that hold for correlated residuals."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import qr, solve_triangular

from screw_dynamics.arrays import Array

CHUNK = 2000  # samples
_UNDETERMINED = 1e-9  # of the size of a column
_ROUNDS = 4  # of weights


@dataclass(frozen=True, eq=False)
class Fit:
    """
    Parameters with their covariance, and residuals.

    `values` (P,), `covariance` (P, P), infinite on the diagonal where a parameter is not
    determined, `residuals` (T, n), `noise` (n,).
    """

    values: Array
    covariance: Array
    residuals: Array
    noise: Array


def fit(
    columns: Callable[[slice], Array], rest: Array, spread: Array, blocks: NDArray[np.int64]
) -> Fit:
    """
    Return the parameters x that make `rest` - A x small.

    `columns` returns rows of A (C, n, P) of a slice of the samples; `rest` and `spread` are
    (T, n), the second the standard deviation that the motion adds to the first. The noise of each
    column of `rest` is estimated. `blocks` (T,) numbers stretches of samples: residuals of
    different stretches count as independent.
    """
    noise = rest.std(axis=0)
    for _ in range(_ROUNDS):
        weights = 1.0 / np.sqrt(noise**2 + spread**2)
        values, root, kept = _solve(columns, rest, weights)
        residuals = np.empty_like(rest)
        for part in _parts(len(rest)):
            residuals[part] = rest[part] - columns(part) @ values
        own = np.mean(residuals**2, axis=0) - np.mean(spread**2, axis=0)
        noise = np.sqrt(np.maximum(own, (1e-3 * residuals.std(axis=0)) ** 2) + 1e-30)
    inverse = solve_triangular(root, np.eye(len(root)))
    bread = inverse @ inverse.T
    meat = _meat(columns, residuals, weights, blocks, kept)
    covariance = np.diag(np.where(kept, 0.0, np.inf))
    covariance[np.ix_(kept, kept)] = bread @ meat @ bread
    return Fit(values, covariance, residuals, noise)


def _parts(count: int) -> Iterator[slice]:
    for start in range(0, count, CHUNK):
        yield slice(start, min(start + CHUNK, count))


def _solve(
    columns: Callable[[slice], Array], rest: Array, weights: Array
) -> tuple[Array, Array, NDArray[np.bool_]]:
    """Return the solution, R of the determined columns, and which these are."""
    root: NDArray[np.floating] = np.empty((0, 0))
    for part in _parts(len(rest)):
        rows = columns(part) * weights[part][..., np.newaxis]
        size = rows.shape[-1]
        both = np.column_stack((rows.reshape(-1, size), (weights[part] * rest[part]).ravel()))
        root = qr(np.vstack((root.reshape(-1, size + 1), both)), mode='r')[0][: size + 1]
    matrix, right = root[:-1, :-1], root[:-1, -1]
    scale = np.linalg.norm(matrix, axis=0)
    scaled = matrix / np.where(scale > _UNDETERMINED * scale.max(), scale, np.inf)
    _, pivoted, order = qr(scaled, pivoting=True)
    rank = int((np.abs(np.diag(pivoted)) > _UNDETERMINED).sum())
    kept = np.zeros(len(scale), dtype=bool)
    kept[order[:rank]] = True
    orthogonal, triangular = np.linalg.qr(matrix[:, kept])
    values = np.zeros(len(scale))
    values[kept] = solve_triangular(triangular, orthogonal.T @ right)
    return values, triangular, kept


def _meat(
    columns: Callable[[slice], Array],
    residuals: Array,
    weights: Array,
    blocks: NDArray[np.int64],
    kept: NDArray[np.bool_],
) -> Array:
    """Return the sum of the squares of the gradients of all blocks."""
    count = int(blocks.max()) + 1
    gradients = np.zeros((count, int(kept.sum())))
    for part in _parts(len(residuals)):
        weighted = (weights[part] ** 2 * residuals[part])[..., np.newaxis]
        terms = (columns(part)[..., kept] * weighted).sum(axis=1)
        np.add.at(gradients, blocks[part], terms)
    correction = count / max(count - 1, 1)
    meat: Array = correction * gradients.T @ gradients
    return meat

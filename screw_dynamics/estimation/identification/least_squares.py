# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Weighted least squares with error bars that hold for correlated residuals."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import qr, solve_triangular
from scipy.special import ndtri, stdtrit

from screw_dynamics.common.arrays import Array

CHUNK = 2000  # samples
_KEPT = 10**7  # numbers, as many of all columns are held in memory
_UNDETERMINED = 1e-9  # of the size of a column
_LAST = 1e-3  # of their size, so that columns are the last to be chosen
_BETTER = 0.3  # the standard deviation of those, unless it is smaller they stay as they are given
_ROUNDS = 4  # of weights
_INSIDE = 0.975  # of a distribution, below the upper end of a band of 95 %
_LEAST_FREEDOM = 1e-3  # of a window beside the parameters


@dataclass(frozen=True, eq=False)
class Fit:
    """
    Parameters with their covariance, and residuals.

    `values` (P,), `covariance` (P, P), infinite on the diagonal where a parameter is not
    determined, `root` R (P, P): parameters x leave the weighted squares |R (x - values)|^2 more;
    `residuals` (T, n), `noise` (n,); `weights` (T, n) of the samples.
    """

    values: Array
    covariance: Array
    root: Array
    residuals: Array
    noise: Array
    weights: Array


class Window(NamedTuple):
    """Neighbouring samples and their weights (C,)."""

    part: slice
    weights: Array


def cosine_windows(times: Array, spacing: float) -> list[Window]:
    """
    Return windows about `spacing` apart; the squares of their weights at any time add to 1.

    Each is half a period of a cosine and falls to 0 at the middles of its neighbours. Where
    residuals of neighbouring samples cancel each other, as errors of accelerations do, a sharp
    end would separate some and make their sum too large: by 1 / spacing, not by its square.
    """
    count = max(round((times[-1] - times[0]) / spacing), 1)
    places = (times - times[0]) * (count / (times[-1] - times[0]))
    found = []
    for middle in range(count + 1):
        part = slice(*np.searchsorted(places, (middle - 1.0, middle + 1.0)).tolist())
        if part.start < part.stop:
            found.append(Window(part, np.cos(0.5 * np.pi * (places[part] - middle))))
    return found


def fit(
    columns: Callable[[slice], Array],
    rest: Array,
    spread: Array,
    windows: Sequence[Window],
    noise: Array | None = None,
    prior: Array | None = None,
    given: NDArray[np.bool_] | None = None,
) -> Fit:
    """
    Return the parameters x that make `rest` - A x small.

    `columns` returns rows of A (C, n, P) of a slice of the samples; `rest` and `spread` are
    (T, n), the second the standard deviation that the motion adds to the first. `noise` (n,) of
    the columns of `rest` is estimated if it is not given. Sums of residuals over different
    `windows` count as independent, but for the samples that neighbours share; without windows
    there is no covariance. `prior` (P,) has the standard deviations with which parameters are
    known to be 0, infinite for the others. Of parameters that the columns tell only together,
    those that are `given` (P,) stay 0 unless what is left tells them to 0.3, else any of them.
    """
    kept_all = rest.size * columns(slice(1)).shape[2] <= _KEPT
    if kept_all:
        columns = columns(slice(None)).__getitem__
    rounds = 1 if noise is not None else _ROUNDS
    noise = np.sqrt(rest.var(axis=0) + 1e-30) if noise is None else noise
    known = np.empty((0, 0)) if prior is None else np.diag(1.0 / prior)
    for _ in range(rounds):
        weights = 1.0 / np.sqrt(noise**2 + spread**2)
        values, root, triangular, kept = _solve(columns, rest, weights, known, given)
        residuals = np.empty_like(rest)
        for part in parts(len(rest)):
            residuals[part] = rest[part] - columns(part) @ values
        own = np.mean(residuals**2, axis=0) - np.mean(spread**2, axis=0)
        noise = np.sqrt(np.maximum(own, (1e-3 * residuals.std(axis=0)) ** 2) + 1e-30)
    covariance = np.diag(np.where(kept, 0.0, np.inf))
    if windows:
        inverse = solve_triangular(triangular, np.eye(len(triangular)))
        told = known[:, kept] @ inverse if known.size else np.empty((0, len(inverse)))

        def rows(part: slice) -> Array:
            return (columns(part)[..., kept] * weights[part][..., np.newaxis]) @ inverse

        every = rows(slice(None)).__getitem__ if kept_all else rows
        found = _covariance(every, weights * residuals, windows, inverse, told)
        covariance[np.ix_(kept, kept)] = found
    return Fit(values, covariance, root, residuals, noise, weights)


def parts(count: int) -> Iterator[slice]:
    """Return slices of so many samples."""
    for start in range(0, count, CHUNK):
        yield slice(start, min(start + CHUNK, count))


def triangle(matrix: Array) -> Array:
    """Return R of the factors Q R of a matrix."""
    return np.asarray(np.linalg.qr(matrix, mode='r'))


def _triangle_by_joint(rows: Array, sides: Array) -> Array:
    """Return R of columns (T, n, P), most of few joints, beside right sides (T, n, H)."""
    n, count = rows.shape[1:]
    right, found = np.arange(count, count + sides.shape[2]), []
    for i in range(n):
        own = np.flatnonzero(rows[:, i].any(axis=0))
        part = triangle(np.hstack((rows[:, i, own], sides[:, i])))
        found.append(np.zeros((len(part), count + len(right))))
        found[-1][:, np.concatenate((own, right))] = part
    return triangle(np.vstack(found))


def _solve(
    columns: Callable[[slice], Array],
    rest: Array,
    weights: Array,
    known: Array,
    given: NDArray[np.bool_] | None,
) -> tuple[Array, Array, Array, NDArray[np.bool_]]:
    """
    Return the solution, R of all columns and of the determined ones, and which these are.

    `known` (P, P) are further rows whose right sides are 0, or none.
    """
    root = np.pad(known, ((0, 0), (0, 1))) if known.size else known
    for part in parts(len(rest)):
        weight = weights[part][..., np.newaxis]
        more = _triangle_by_joint(columns(part) * weight, rest[part][..., np.newaxis] * weight)
        root = triangle(np.vstack((root.reshape(-1, more.shape[1]), more)))
    matrix, right = root[:-1, :-1], root[:-1, -1]
    scale = np.linalg.norm(matrix, axis=0)
    scaled = matrix / np.where(scale > _UNDETERMINED * scale.max(), scale, np.inf)
    if given is not None:
        scaled[:, given] *= _LAST
    _, pivoted, order = qr(scaled, pivoting=True)
    sizes = np.abs(np.diag(pivoted))
    order, told = order[: len(sizes)], sizes > _UNDETERMINED
    if given is not None:
        told &= ~given[order] | (sizes * scale[order] > _LAST / _BETTER)
    kept: NDArray[np.bool_] = np.zeros(len(scale), dtype=bool)
    kept[order[told]] = True
    orthogonal, triangular = np.linalg.qr(matrix[:, kept])
    determined: Array = triangular
    values: Array = np.zeros(len(scale))
    values[kept] = solve_triangular(triangular, orthogonal.T @ right)
    return values, matrix, determined, kept


def _covariance(
    columns: Callable[[slice], Array],
    residuals: Array,
    windows: Sequence[Window],
    inverse: Array,
    told: Array,
) -> Array:
    """
    Return the covariance (K, K): the sum of squares of what each window adds to the parameters.

    `columns` are weighted, (C, n, K), as are the `residuals` (T, n). They are in the coordinates
    of `inverse` (K, K), in which the squares of all columns add to the unit matrix. The
    parameters follow the residuals of a window, of which 1 - B remains, so that these are too
    small: (1 - B)^-1/2 corrects this, exactly for independent residuals of equal weighted size.
    A sum of few squares is uncertain: standard deviations are as many times longer as 95 % of
    Student's t distribution are wider than those of a normal one. `told` (P, K) are the rows of
    what is known in advance, whose errors have the variance 1.
    """
    total: Array = told.T @ told
    own, shared = [], []  # squares of windows, products of neighbours
    fitted = []  # (K, K) of each window: what the parameters take from all others
    last, before = slice(0, 0), np.empty((0, len(inverse)))
    for part, factors in windows:
        rows = columns(part).reshape(-1, len(inverse))
        factor = np.repeat(factors, residuals.shape[1])
        axes, sizes, directions = np.linalg.svd(factor[:, np.newaxis] * rows, full_matrices=False)
        taken = axes.T @ rows
        remaining, frame = np.linalg.eigh(np.eye(len(sizes)) - taken @ taken.T)
        grown = frame / np.sqrt(np.maximum(remaining, _LEAST_FREEDOM)) @ frame.T
        grown = grown @ (sizes[:, np.newaxis] * directions)
        gain = residuals[part].ravel() @ axes @ grown
        total += np.outer(gain, gain)
        grown = grown @ inverse.T
        reach = axes @ grown
        common = (last.stop - part.start) * residuals.shape[1]
        own.append(np.sum(reach**2, axis=0))
        shared.append(np.sum(before[len(before) - common :] * reach[:common], axis=0))
        fitted.append(grown.T @ taken)
        last, before = part, reach
    # degrees of freedom of a sum of squares of dependent sums, after Bell and McCaffrey
    every = np.array(fitted)
    lost, alike = np.sum(every**2, axis=2), np.sum(every[1:] * every[:-1], axis=2)
    products = every.transpose(1, 2, 0) @ every.transpose(1, 0, 2)
    spread = np.sum((own - lost) ** 2 - lost**2, axis=0) + np.sum(products**2, axis=(1, 2))
    spread += 2.0 * np.sum(np.array(shared[1:]) * (shared[1:] - 2.0 * alike), axis=0)
    certain = ((inverse @ told.T) ** 2).sum(axis=1)
    with np.errstate(divide='ignore', over='ignore', invalid='ignore'):  # of what is known alone
        freedom = (np.sum(own - lost, axis=0) + certain) ** 2 / np.maximum(spread, 0.0)
        freedom = np.fmax(freedom, 1.0)
    wider = stdtrit(freedom, _INSIDE) / ndtri(_INSIDE)
    return np.asarray(np.outer(wider, wider) * (inverse @ total @ inverse.T))

# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""B-splines on evenly spaced knots: values and derivatives of the basis functions."""

from functools import lru_cache
from math import comb
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from screw_dynamics.common.arrays import Array
from screw_dynamics.kernels.curves.motions import fill_band_of_inverse


class UniformKnots(NamedTuple):
    """
    Even knots that continue beyond both ends; a spline has ``intervals + degree`` coefficients.

    The first interval begins at `start`; all have the length `spacing` [s].
    """

    start: float
    spacing: float
    intervals: int
    degree: int

    def intervals_of(self, times: Array) -> tuple[NDArray[np.intp], Array]:
        """Return the index of the interval of each time, and the elapsed part of it (0 to 1)."""
        scaled = (times - self.start) / self.spacing
        index = np.clip(np.floor(scaled), 0, self.intervals - 1).astype(np.intp)
        return index, scaled - index

    def weights(self, part: Array, rows: int) -> Array:
        """Return values and derivatives of the basis functions, (rows, T, degree + 1)."""
        powers = np.ones((self.degree + 1, len(part)))
        powers[1:] = part
        powers = np.multiply.accumulate(powers).T
        pieces = [_pieces(self.degree, d) / self.spacing**d for d in range(rows)]
        return np.stack([powers[:, : len(piece)] @ piece for piece in pieces])


@lru_cache
def _pieces(degree: int, derivative: int) -> Array:
    """
    Return the pieces of all basis functions on one interval of length 1 (Cox, de Boor).

    Column a has the coefficients of u^0, u^1, ... of a derivative of the function that began
    degree - a intervals earlier.
    """
    pieces = np.ones((1, 1))
    for p in range(1, degree + 1):
        raised = np.zeros((p + 1, p + 1))
        for a in range(p + 1):
            if a > 0:  # rising: (u + p - a) / p times the function one index to the left
                raised[a, :-1] += (p - a) / p * pieces[a - 1]
                raised[a, 1:] += pieces[a - 1] / p
            if a < p:  # falling: (a + 1 - u) / p
                raised[a, :-1] += (a + 1) / p * pieces[a]
                raised[a, 1:] -= pieces[a] / p
        pieces = raised
    pieces = np.polynomial.polynomial.polyder(pieces.T, derivative)
    pieces.flags.writeable = False
    return pieces


# steps that restore the digits which are lost by squaring the penalty
_REFINEMENTS = 2


class SmoothingSystem:
    """
    Least squares on n signals plus a penalty on their m-th derivative, m = degree of the spline.

    Minimises |y - B c|^2 + |D c|^2, where B has the basis functions at the samples and D is the
    m-th difference, its squares times lambda (K,). A spline of degree m has a piecewise constant
    m-th derivative, so |D c|^2 is its squared integral exactly, times spacing^(2 m - 1). In
    Bayesian terms the m-th derivative is white noise a priori, and all below it are continuous
    [W1978].

    `times` (N,) of the `samples` (N, n) are in any order, within the K intervals of the knots.
    """

    def __init__(self, knots: UniformKnots, times: Array, samples: Array) -> None:
        from scipy.sparse import csr_array  # at the first fit: nodes start without it

        self.knots, self.samples = knots, samples
        m = knots.degree
        size = knots.intervals + m
        index, part = knots.intervals_of(times)
        weights = knots.weights(part, 1)[0]
        columns = index[:, None] + np.arange(m + 1)
        starts = np.arange(0, columns.size + 1, m + 1)
        self._basis = csr_array((weights.ravel(), columns.ravel(), starts), (len(times), size))
        self._basis_t = self._basis.T.tocsr()
        self._gram = np.zeros((m + 1, size))
        self._difference = [(-1) ** (m - a) * comb(m, a) for a in range(m + 1)]
        for a in range(m + 1):
            for b in range(a, m + 1):
                products = np.bincount(index + a, weights[:, a] * weights[:, b], size)
                self._gram[b - a] += products

    def factor(self, smoothing: Array) -> Array:
        """Return the Cholesky factor of B^T B + D^T D as lower band, (m + 1, K + m)."""
        from scipy.linalg import cholesky_banded

        penalty, count = np.zeros_like(self._gram), self.knots.intervals
        short = smoothing.astype(np.float32).astype(float)  # so that all sums are exact
        for a, left in enumerate(self._difference):
            for b, right in enumerate(self._difference[a:]):
                penalty[b, a : a + count] += left * right * short
        return np.asarray(cholesky_banded(self._gram + penalty, lower=True, check_finite=False))

    def difference_variances(self, covariance: Array) -> Array:
        """Return the variances (K,) of the m-th differences of coefficients; see the spline."""
        found, count = np.zeros(self.knots.intervals), self.knots.intervals
        for a, left in enumerate(self._difference):
            for b, right in enumerate(self._difference):
                first = min(a, b)
                found += left * right * covariance[abs(a - b), first : first + count]
        return found

    def solve(self, smoothing: Array, factor: Array) -> tuple[Array, Array]:
        """Return the minimiser (K + m, n), and the minimum (n,) of each signal."""
        from scipy.linalg import cho_solve_banded

        m = self.knots.degree
        coefficients = np.zeros((self.knots.intervals + m, self.samples.shape[1]))
        residual, bends = self.samples, np.zeros((self.knots.intervals, self.samples.shape[1]))
        for _ in range(1 + _REFINEMENTS):
            # the transpose of a difference: the difference of the values padded with zeros
            spread = np.diff(np.pad(smoothing[:, None] * bends, ((m, m), (0, 0))), m, axis=0)
            gradient = self._basis_t @ residual - (-1) ** m * spread
            coefficients += cho_solve_banded((factor, True), gradient, check_finite=False)
            residual = self.samples - self._basis @ coefficients
            bends = np.diff(coefficients, m, axis=0)
        return coefficients, (residual**2).sum(axis=0) + smoothing @ bends**2

    def noise_variance(self, minimum: Array) -> Array:
        """Return the noise variance from the minimum of `solve`; at least that of rounding."""
        # the penalty ignores polynomials of degree m - 1, hence m degrees of freedom fewer
        free = max(len(self.samples) - self.knots.degree, 1)
        rounding = np.finfo(float).eps * np.abs(self.samples).max(axis=0)
        return np.asarray(np.maximum(minimum / free, rounding**2))

    def deviance(self, smoothing: Array) -> Array:
        """Return -2 log of the restricted likelihood of lambda, (n,), up to a constant [W1985]."""
        factor = self.factor(smoothing)
        _, minimum = self.solve(smoothing, factor)
        free = max(len(self.samples) - self.knots.degree, 1)
        determinant = 2.0 * np.log(factor[0]).sum() - np.log(smoothing).sum()
        variance = np.maximum(self.noise_variance(minimum), np.finfo(float).tiny)
        return np.asarray(free * np.log(variance) + determinant)


def band_of_inverse(factor: Array) -> Array:
    """
    Return the band of A^-1 (p + 1, N) from the Cholesky factor of A, in time linear in N.

    It follows from L^T A^-1 = L^-1 column by column, the last one first. Row k of input and
    result is the k-th subdiagonal, as from `scipy.linalg.cholesky_banded`, padded with 0.
    """
    band = np.zeros(factor.shape)
    fill_band_of_inverse(np.ascontiguousarray(factor), band)
    return band

# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Time law s(t) along a path: the squared speed a = (ds/dt)^2 as a spline of the path parameter s.

With ' for d/ds, ds/dt = sqrt(a), d^2s/dt^2 = a'/2, and each further derivative follows from
d^2s/dt^2 = a'(s(t))/2. A time law that is linear in the coefficients of a makes efforts linear in
them, and effort rates linear after division by ds/dt.
"""

from __future__ import annotations

from math import factorial

import numpy as np
from numpy.typing import NDArray
from scipy.interpolate import BSpline, make_interp_spline

from screw_dynamics.common.arrays import Array

_GAUSS_NODES, _GAUSS_WEIGHTS = np.polynomial.legendre.leggauss(8)


class SquaredSpeed:
    """
    Basis of the squared speed: a(s) and its derivatives at stations, from spline coefficients.

    Parameters
    ----------
    knots : (K + 1,) ndarray
        Increasing values of s.
    degree : int
    stations : (M,) ndarray
        Values of s.
    derivatives : int
        Number of derivatives of a needed beside a.
    """

    def __init__(self, knots: Array, degree: int, stations: Array, derivatives: int) -> None:
        """Evaluate the splines at the stations."""
        ends = np.full(degree, knots[0]), np.full(degree, knots[-1])
        self.spline_knots: Array = np.concatenate((ends[0], knots, ends[1]))
        self.degree = degree
        self.count = len(knots) - 1 + degree
        self.stations = stations
        interval = np.clip(np.searchsorted(knots, stations, 'right') - 1, 0, len(knots) - 2)
        self.columns: NDArray[np.int64] = interval[:, np.newaxis] + np.arange(degree + 1)
        basis = BSpline(self.spline_knots, np.eye(self.count), degree)
        self.values: Array = np.stack(
            [
                np.take_along_axis(basis.derivative(d)(stations), self.columns, axis=1)
                for d in range(derivatives + 1)
            ]
        )

    @property
    def means(self) -> Array:
        """Means of the knots of every coefficient, near which it is the value of the spline."""
        inner = np.lib.stride_tricks.sliding_window_view(self.spline_knots[1:-1], self.degree)
        means: Array = inner.mean(axis=1)
        return means

    def jets(self, coefficients: Array) -> Array:
        """Return a and its derivatives by s at the stations, (M, derivatives + 1)."""
        jets: Array = np.einsum('dmk,mk->md', self.values, coefficients[self.columns])
        return jets

    def at(self, coefficients: Array, s: Array, derivatives: int = 0) -> Array:
        """Return a and its derivatives by s anywhere, (..., derivatives + 1)."""
        spline = BSpline(self.spline_knots, coefficients, self.degree)
        return np.stack([spline.derivative(d)(s) for d in range(derivatives + 1)], axis=-1)

    def interpolated(self, other: SquaredSpeed, coefficients: Array) -> Array:
        """Return the coefficients of a spline of another basis whose knots this one has too."""
        values = other.at(coefficients, self.means)[:, 0]
        spline = make_interp_spline(self.means, values, self.degree, t=self.spline_knots)
        exact: Array = spline.c
        return exact

    def durations(self, coefficients: Array, s: Array) -> Array:
        """Return the time from each of the increasing values s (S,) to the next, (S - 1,) [s]."""
        half = np.diff(s) / 2.0
        nodes = (s[:-1] + half)[:, np.newaxis] + half[:, np.newaxis] * _GAUSS_NODES
        slowness = 1.0 / np.sqrt(self.at(coefficients, nodes)[..., 0])
        durations: Array = half * (_GAUSS_WEIGHTS * slowness).sum(axis=1)
        return durations


def parameter_jets(squared_speed_jets: Array, rows: int) -> Array:
    """
    Return the time derivatives of s at stations, (M, rows), row 0 without meaning (0).

    `squared_speed_jets` (M, rows - 1) holds a and its derivatives by s.
    """
    a = squared_speed_jets
    jets = np.zeros((len(a), rows))
    if rows > 1:
        jets[:, 1] = np.sqrt(a[:, 0])
    for d in range(2, rows):
        # derivative d - 2 by time of a'(s(t)) / 2, which needs derivatives of s below d only
        jets[:, d] = _composed(a[:, 1:d, np.newaxis], jets[:, : d - 1])[:, d - 2, 0] / 2.0
    return jets


def joint_jets(path_jets: Array, squared_speed_jets: Array) -> Array:
    """
    Return the joint jets (M, rows, n) of the motion q(s(t)) at stations.

    `path_jets` (M, rows, n) holds q and its derivatives by s, `squared_speed_jets`
    (M, rows - 1) a and its derivatives by s.
    """
    return _composed(path_jets, parameter_jets(squared_speed_jets, path_jets.shape[1]))


def _composed(outer: Array, inner: Array) -> Array:
    """Return the jets by time (M, R, n) of a function of s with jets (M, R, n); s (M, R)."""
    count, rows = outer.shape[:2]
    series = inner / [factorial(d) for d in range(rows)]
    series[:, 0] = 0.0
    result = np.zeros_like(outer)
    result[:, 0] = outer[:, 0]
    power = np.zeros((count, rows))
    power[:, 0] = 1.0
    for k in range(1, rows):
        power = np.stack(
            [(power[:, : d + 1] * series[:, d::-1]).sum(axis=1) for d in range(rows)], axis=1
        )
        result += power[:, :, np.newaxis] * outer[:, k, np.newaxis] / factorial(k)
    jets: Array = result * np.array([factorial(d) for d in range(rows)])[:, np.newaxis]
    return jets

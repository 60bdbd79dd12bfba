# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Motion along a path by a time law, as a piecewise polynomial."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import replace
from math import factorial

import numpy as np
from numpy.typing import NDArray

from screw_dynamics.common.arrays import Array
from screw_dynamics.limits.retiming.stations import end_jet
from screw_dynamics.limits.retiming.time_law import SquaredSpeed, joint_jets
from screw_dynamics.trajectory import PiecewisePolynomial
from screw_dynamics.trajectory.piecewise_polynomial import JET_ROWS
from screw_dynamics.trajectory.smooth.degree9_segment import hermite_coefficients

_ON_PATH = 1e-9  # largest distance of the result from the path [rad or m]
_NEAR = 2e-4  # largest distance from its acceleration, jerk and snap, of the largest ones
_SAME_INSTANT = 1e-6  # knot and break, of the duration
_SHORTEST = 1.02e-3  # of a piece: 1 ms where the whole motion gains a last per cent [s]
_MOST_PIECES = 2**14


def motion_on_path(
    curve: PiecewisePolynomial, basis: SquaredSpeed, coefficients: Array, knots: Array
) -> PiecewisePolynomial:
    """Return the motion as polynomials of degree 9 between instants that are near enough."""
    s = _with_breaks(curve, knots)
    times = np.append(0.0, np.cumsum(basis.durations(coefficients, s)))
    s = s[_apart(times, np.isin(s, curve.breaks))]
    while True:
        middle = s[:-1] + np.diff(s) / 2.0
        both = basis.durations(coefficients, np.sort(np.concatenate((s, middle))))
        times = curve.breaks[0] + np.append(0.0, np.cumsum(both[::2] + both[1::2]))
        jets = _jets(curve, basis, coefficients, s)
        pieces = _pieces(curve, s, np.diff(times), jets)
        motion = replace(curve, breaks=times, coefficients=pieces)
        exact = _jets(curve, basis, coefficients, middle)
        away = np.abs(motion.jets(times[:-1] + both[::2]) - exact).max(axis=2)
        allowed = _NEAR * np.abs(exact).max(axis=(0, 2))
        far = (away[:, 0] > _ON_PATH) | (away[:, 2:] > allowed[2:]).any(axis=1)
        far &= np.minimum(both[::2], both[1::2]) > _SHORTEST
        if not far.any() or len(s) > _MOST_PIECES:
            return motion
        s = np.sort(np.concatenate((s, middle[far])))


def _with_breaks(curve: PiecewisePolynomial, knots: Array) -> Array:
    """Return the breaks of a curve and the knots that are none of them."""
    breaks = curve.breaks
    next_one = np.clip(np.searchsorted(breaks, knots), 1, len(breaks) - 1)
    away = np.minimum(np.abs(knots - breaks[next_one - 1]), np.abs(knots - breaks[next_one]))
    return np.sort(np.concatenate((breaks, knots[away > _SAME_INSTANT * curve.duration])))


def _apart(times: Array, preferred: NDArray[np.bool_]) -> list[int]:
    """Return places of times that are not too near: of both ends, of preferred ones, of others."""
    kept = [0, len(times) - 1]
    for place in [*np.flatnonzero(preferred).tolist(), *np.flatnonzero(~preferred).tolist()]:
        after = bisect_left(kept, place, 1, len(kept) - 1)
        gaps = times[place] - times[kept[after - 1]], times[kept[after]] - times[place]
        if min(gaps) >= _SHORTEST:
            kept.insert(after, place)
    return kept


def _pieces(curve: PiecewisePolynomial, s: Array, durations: Array, jets: Array) -> Array:
    """
    Return polynomials (S, 10, n) between jets (S + 1, 5, n).

    Their position grows by the Taylor series of the path: the difference of two positions would
    cost short pieces the digits of their jerk.
    """
    every = np.union1d(s, curve.breaks)
    step = np.diff(every)[:, np.newaxis, np.newaxis]
    orders = np.arange(1, curve.coefficients.shape[1])
    terms = curve.jets(every[:-1], rows=len(orders) + 1)[:, 1:] * step ** orders[:, np.newaxis]
    growth = (terms / [[factorial(k)] for k in orders]).sum(axis=1)
    left, right = jets[:-1].copy(), jets[1:].copy()
    left[:, 0] = 0.0
    right[:, 0] = np.add.reduceat(growth, np.searchsorted(every, s[:-1]))
    coefficients = hermite_coefficients(durations, left, right)
    coefficients[:, 0] = jets[:-1, 0]
    return coefficients


def _jets(curve: PiecewisePolynomial, basis: SquaredSpeed, coefficients: Array, s: Array) -> Array:
    """Return the joint jets (S, 5, n) of the motion at values of s."""
    path = curve.jets(s)
    if s[-1] == curve.breaks[-1]:
        path[-1] = end_jet(curve, JET_ROWS)
    return joint_jets(path, basis.at(coefficients, s, JET_ROWS - 2))

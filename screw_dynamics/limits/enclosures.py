# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Enclosures of quantities of a robot on intervals of a motion: polynomials and their remainders.

Time is z = (t - c) / h on an interval [c - h, c + h]. A series holds the Taylor coefficients of a
quantity in z, the first axis being their number; radii of discs are in units of h. The statement
and its proof are in docs/theory/certificate.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from math import comb, factorial, perm
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from screw_dynamics.common.arrays import Array
from screw_dynamics.dynamics import inverse_dynamics
from screw_dynamics.kernels.bodies import majorants
from screw_dynamics.kernels.bodies import tables as columns
from screw_dynamics.kernels.bodies.majorants import effort_majorants, expand_polynomials
from screw_dynamics.model import ScrewModel
from screw_dynamics.trajectory import PiecewisePolynomial

ORDER = 8  # of the Taylor polynomials
_TURN = 0.5  # rad, or of the reach: most that a joint moves on the disc of the links
_LEAST_RADIUS, _LARGEST_RADIUS = 5.0, 1e6  # of that disc
_RUNGS = 7  # steps by the root of 2 to a larger one
_ROUNDING = 1e-13
_LEAST_COUNT = 3  # of the coefficients of a polynomial, those of rest too
_KNOWN = 1e-3  # of a series: the largest error of its values at the ends that are of use
_PIECES = 2  # of an interval, whose Bernstein coefficients bound a polynomial


class Intervals(NamedTuple):
    """Intervals (I,) within segments: u = centre + half z, |z| <= 1, of u from 0 to 1."""

    segments: NDArray[np.int64]
    centres: Array
    halves: Array

    def part(self, chosen: NDArray[np.bool_]) -> Intervals:
        """Return some of the intervals."""
        return Intervals(self.segments[chosen], self.centres[chosen], self.halves[chosen])

    def halved(self) -> Intervals:
        """Return both halves of each interval."""
        halves = 0.5 * self.halves
        sides = np.concatenate((self.centres - halves, self.centres + halves))
        return Intervals(np.tile(self.segments, 2), sides, np.tile(halves, 2))


class Enclosure(NamedTuple):
    """A quantity (m,) on intervals (I,): series (k, I, m), and how far it is off (I, m)."""

    series: Array
    radius: Array
    centre: Array  # (I, m) values at z = 0, exact to rounding

    def part(self, columns: NDArray[np.int64]) -> Enclosure:
        """Return some of the columns."""
        return Enclosure(*(field[..., columns] for field in self))

    def hull(self) -> tuple[Array, Array, Array, Array]:
        """Return least and largest values (I, m), values (I, 3, m) at -1, 0, 1, and errors."""
        controls = np.tensordot(_bernstein(len(self.series)), self.series, 1)
        size = np.abs(self.series).sum(axis=0)
        off = self.radius + _ROUNDING * size
        off = np.where(np.isnan(off), np.inf, off)
        ends = controls[[0, -1]]
        known = off <= _KNOWN * size
        begin, end = np.where(known, ends, self.centre)
        errors = np.where(known, off, 0.0)
        values = np.stack((begin, self.centre, end), axis=1)
        errors = np.stack((errors, np.zeros_like(off), errors), axis=1)
        return controls.min(axis=0) - off, controls.max(axis=0) + off, values, errors


@cache
def _bernstein(count: int) -> Array:
    """Return the Bernstein coefficients of powers of z on the pieces of [-1, 1]."""
    degree, width = count - 1, 2.0 / _PIECES
    rows = []
    for piece in range(_PIECES):
        begin = -1.0 + width * piece
        for i in range(count):
            rows.append(
                [
                    sum(
                        comb(i, j) / comb(degree, j) * comb(k, j) * begin ** (k - j) * width**j
                        for j in range(min(i, k) + 1)
                    )
                    for k in range(count)
                ]
            )
    return np.array(rows)


def size_of(series: Array, radius: Array | float, first: int = 1) -> Array:
    """Return the sum of |x_k| radius^k from k = `first` on."""
    total = np.zeros(series.shape[1:])
    for k in range(len(series) - 1, first - 1, -1):
        total = total * radius + np.abs(series[k])
    return np.asarray(total * radius**first)


def derivative_of(series: Array, order: int, h: Array) -> Array:
    """Return the series of a time derivative."""
    factors = [perm(k, order) for k in range(order, len(series))]
    derivative: Array = series[order:] * np.reshape(factors, (-1, 1, 1)) / h**order
    return derivative


def series_of(jets: Array, h: Array) -> Array:
    """Return the series (k, I, m) of jets (I, k, m)."""
    scale = [h**k / factorial(k) for k in range(jets.shape[1])]
    return np.stack([jets[:, k] * scale[k] for k in range(jets.shape[1])])


def tail_of_sum(order: int, derivative: int, ratio: Array) -> Array:
    """Return the tail of sum k! / (k - d)! a_k ratio^k above an order, where sum a_k = 1."""
    falls = (order + 2) / (order + 2 - derivative) * ratio <= 1.0
    return np.where(falls, perm(order + 1, derivative) * ratio ** (order + 1), np.inf)


def tail_of_peak(order: int, derivative: int, ratio: Array) -> Array:
    """Return the same where every a_k is 1 at most."""
    rest = 1.0 - (order + 2) / (order + 2 - derivative) * ratio
    tail = perm(order + 1, derivative) * ratio ** (order + 1)
    return np.where(rest > 0.0, tail / np.where(rest > 0.0, rest, 1.0), np.inf)


def product(amount: Array, factor: Array) -> Array:
    """Return the product, 0 where the amount is 0."""
    return amount * np.where(amount > 0.0, factor, 0.0)


def share_of(change: Array, radius: Array) -> Array:
    """Return changes as parts of the radius of a disc, infinite beyond it."""
    return np.where(change <= radius, change / np.where(radius > 0.0, radius, 1.0), np.inf)


def body_table(model: ScrewModel) -> Array:
    """Return the table of `kernels.bodies.majorants`."""
    tree, bodies = model.joint_frames.tree, model.joint_frames.bodies
    turn = bodies[:, columns.ROTATION] * bodies[:, columns.MULTIPLIER]
    slide = bodies[:, columns.TRANSLATION] * bodies[:, columns.MULTIPLIER]
    home = bodies[:, columns.HOME_POSITION : columns.HOME_POSITION + 3]
    axis = bodies[:, columns.HOME_ROTATION + 2 : columns.HOME_ROTATION + 9 : 3]
    xx, yy, zz, xy, xz, yz = bodies[:, columns.SECOND_MOMENT : columns.SECOND_MOMENT + 6].T
    inertia = np.array([[yy + zz, -xy, -xz], [-xy, xx + zz, -yz], [-xz, -yz, xx + yy]])
    first = bodies[:, columns.FIRST_MOMENT : columns.FIRST_MOMENT + 3]
    table = np.empty((len(bodies), majorants.COLUMNS))
    table[:, majorants.PARENT], table[:, majorants.COORDINATE] = tree.T
    table[:, majorants.TURN], table[:, majorants.SLIDE] = np.abs(turn), np.abs(slide)
    table[:, majorants.TRANSLATION] = slide
    table[:, majorants.OFFSET] = bodies[:, columns.TRANSLATION] * bodies[:, columns.OFFSET]
    table[:, majorants.SQUARED_DISTANCE] = (home**2).sum(axis=1)
    table[:, majorants.ALONG] = (home * axis).sum(axis=1)
    table[:, majorants.MASS] = bodies[:, columns.MASS]
    table[:, majorants.FIRST_MOMENT] = np.linalg.norm(first, axis=1)
    table[:, majorants.INERTIA] = np.abs(np.linalg.eigvalsh(inertia.T)).max(axis=1, initial=0.0)
    return table


class Motion(NamedTuple):
    """Segments of a curve as it is followed, rest before and after among them."""

    coefficients: Array  # (S, K, n)
    spans: Array  # (S,) in time at the speed of following; 1 for rest
    begins: Array  # (S,) times of the curve
    lengths: Array  # (S,) times of the curve; 0 for rest

    def expanded(self, intervals: Intervals) -> tuple[Array, Array, Array]:
        """Return series of the positions (K, I, n), bounds of their terms, and h (I, 1)."""
        shape = len(intervals.segments), *self.coefficients.shape[1:]
        series, sizes = np.empty(shape), np.empty(shape)
        expand_polynomials(self.coefficients, *intervals, series, sizes)
        h = (intervals.halves * self.spans[intervals.segments])[:, np.newaxis]
        return np.moveaxis(series, 1, 0), np.moveaxis(sizes, 1, 0), h

    def times(self, intervals: Intervals, z: Array) -> Array:
        """Return the times (I, Z) of the curve at values of z (Z,)."""
        segments, centres, halves = intervals
        u = centres[:, np.newaxis] + halves[:, np.newaxis] * z
        lengths = self.lengths[segments, np.newaxis]
        times: Array = self.begins[segments, np.newaxis] + lengths * u
        return times


def motion_of(curve: PiecewisePolynomial, speed: float) -> Motion:
    """Return the segments of a curve, rest at its end, and before it if it begins at rest."""
    coefficients, breaks = curve.coefficients, curve.breaks
    rest = np.zeros((1, *coefficients.shape[1:]))
    rest[:, 0] = curve.end
    parts = [coefficients, rest]
    begins, lengths = breaks.copy(), np.append(np.diff(breaks), 0.0)
    if len(coefficients) and not coefficients[0, 1:2].any():
        parts.append(np.where(np.arange(rest.shape[1])[:, np.newaxis] == 0, coefficients[:1], 0.0))
        begins, lengths = np.append(begins, breaks[0]), np.append(lengths, 0.0)
    every = np.concatenate(parts)
    missing = max(_LEAST_COUNT - every.shape[1], 0)
    every = np.ascontiguousarray(np.pad(every, ((0, 0), (0, missing), (0, 0))))
    return Motion(every, np.where(lengths > 0.0, lengths / speed, 1.0), begins, lengths)


@dataclass(frozen=True)
class Disc:
    """
    Tails of a series above its order, from sums or peaks of its terms on a disc.

    `rest` (I, m) bounds the sum of |x_k| radius^k above the order, `rounding` that of the known.
    """

    order: int
    radius: Array  # (I, 1)
    rest: Array
    rounding: Array

    def tail(self, derivative: int, radius: Array) -> Array:
        """Return a bound of the tail of a derivative by z on a smaller disc."""
        factor = tail_of_sum(self.order, derivative, radius / self.radius)
        rounding = self.rounding * factorial(derivative) * (radius / self.radius) ** derivative
        result: Array = (product(self.rest, factor) + rounding) / radius**derivative
        return result


class LinkEnclosures:
    """Efforts of the links of a tree of rigid bodies, without drives."""

    def __init__(self, model: ScrewModel, order: int = ORDER) -> None:
        """Make the table of bodies."""
        self.model, self.bodies = model, body_table(model)
        self.order, self.rows = order, order + 3
        reach = np.sqrt(self.bodies[:, majorants.SQUARED_DISTANCE]).sum() or 1.0
        moved = self.bodies[:, [majorants.TURN, majorants.SLIDE]] / [1.0, reach]
        self._moved = np.zeros(model.n)
        np.maximum.at(self._moved, model.coordinates, moved.max(axis=1, initial=0.0))

    def narrow(self, positions: Array, h: Array) -> NDArray[np.bool_]:
        """Return whether joints move little enough on intervals (I,), whose series are given."""
        return np.asarray((self._turns(positions, _LEAST_RADIUS) <= _TURN).all(axis=1))

    def _turns(self, positions: Array, radius: Array | float) -> Array:
        return self._moved * size_of(positions, radius)

    def enclosures(self, positions: Array, h: Array) -> dict[str, Enclosure]:
        """Return the efforts on intervals, from series of the positions (K, I, n)."""
        series = series_of(inverse_dynamics(self.model, self.jets(positions, h)), h)
        tail = self.disc(positions, h).tail(0, np.ones_like(h))
        return {'effort': Enclosure(series, tail, series[0])}

    def jets(self, positions: Array, h: Array) -> Array:
        """Return the joint jets (I, rows, n) at the centres."""
        count, n = positions.shape[1:]
        jets = np.zeros((count, self.rows, n))
        for k in range(min(self.rows, len(positions))):
            jets[:, k] = positions[k] * factorial(k) / h**k
        return jets

    def disc(self, positions: Array, h: Array) -> Disc:
        """Return the disc on which joints move little, and what it leaves of the efforts."""
        # none of the terms of a turn is above its share of the largest one there
        radius = np.full_like(h, np.inf)
        for k in range(1, len(positions)):
            term = (self._moved * np.abs(positions[k])).max(axis=1, keepdims=True)
            with np.errstate(divide='ignore'):
                radius = np.minimum(radius, (_TURN / (len(positions) - 1) / term) ** (1.0 / k))
        radius = np.clip(radius, _LEAST_RADIUS, _LARGEST_RADIUS)
        for _ in range(_RUNGS):
            larger = 2.0**0.5 * radius
            inside = (self._turns(positions, larger) <= _TURN).all(axis=1, keepdims=True)
            radius = np.where(inside, larger, radius)
        powers = radius ** np.arange(len(positions))
        scaled = np.moveaxis(positions, 0, 1) * powers[:, :, np.newaxis]
        out = np.empty((len(h), self.order + 2, self.model.n))
        gravity = float(np.linalg.norm(self.model.gravity))
        effort_majorants(scaled, (radius * h)[:, 0], self.bodies, gravity, out)
        largest = out[:, -1]
        rest = np.maximum(largest - out[:, :-1].sum(axis=1), 0.0)
        return Disc(self.order, radius, rest + _ROUNDING * largest, _ROUNDING * largest)

# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Knots of the time law and stations along a path, and the limits there."""

from __future__ import annotations

from math import perm

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from screw_dynamics.common.arrays import Array
from screw_dynamics.drives.robot import Robot
from screw_dynamics.limits.retiming.limited_quantities import LimitedQuantities
from screw_dynamics.limits.retiming.path_rows import PathRows
from screw_dynamics.limits.retiming.time_law import SquaredSpeed
from screw_dynamics.trajectory import PiecewisePolynomial

_DEGREE = 4  # of the squared speed as a spline: jerk and snap of the result are continuous
_ROUNDED_OFF = 0.2  # of a mean interval that an interval may be longer
_NEAR_REST = 10  # breaks
_AT_REST = 1e-9  # velocity [rad/s or m/s]
_TOWARDS_REST = np.array([0.125, 0.25, 0.5])  # knots in the interval next to an instant of rest
_SHORT, _PER_SHORT = 0.6, 4  # times as many stations where an interval is shorter than this part
_AS_FAST = 1.005  # times a speed that is kept: programs tighten their limits
_MEAN_INTERVAL = 15.0  # times the shortest one, at least
_SHORTEST_INTERVAL = 2e-4  # between two knots, also where no limit bounds the speed [s]


def spline_knots(curve: PiecewisePolynomial, intervals: int) -> Array:
    """
    Return breaks of a curve, knots between them, and more towards instants of rest.

    Of more than `intervals` breaks those are left out that are nearer than a mean interval, but
    for the next ones to instants of rest, where a path of many points changes most.
    """
    breaks = curve.breaks
    resting = np.abs(curve.jets(breaks, rows=2)[:, 1]).max(axis=1) <= _AT_REST
    if len(breaks) > intervals + 1:
        near_rest = np.convolve(resting, np.ones(2 * _NEAR_REST + 1), 'same') > 0.0
        chosen = _spaced(breaks, near_rest, curve.duration / intervals)
        breaks, resting = breaks[chosen], resting[chosen]
    lengths = np.diff(breaks)
    parts = np.ceil(intervals * lengths / lengths.sum() - _ROUNDED_OFF).clip(1.0).astype(int)
    knots = [breaks[-1:]]
    for i, count in enumerate(parts):
        inner = np.linspace(breaks[i], breaks[i + 1], count, endpoint=False)
        step = lengths[i] / count
        knots.append(inner)
        if resting[i]:
            knots.append(breaks[i] + step * _TOWARDS_REST)
        if resting[i + 1]:
            knots.append(breaks[i + 1] - step * _TOWARDS_REST)
    return np.unique(np.concatenate(knots))


def _spaced(breaks: Array, needed: NDArray[np.bool_], step: float) -> list[int]:
    """Return the places of the ends, of breaks that are needed, and of others `step` apart."""
    chosen, last = [0], len(breaks) - 1
    for i in range(1, last):
        apart = min(breaks[i] - breaks[chosen[-1]], breaks[last] - breaks[i])
        if needed[i] or apart >= step:
            chosen.append(i)
    return [*chosen, last]


def denser_knots(knots: Array, durations: Array) -> Array:
    """Return the knots, and middles of the intervals whose durations are not too short."""
    return divided(knots, np.where(durations < 4.0 * _SHORTEST_INTERVAL, 1, 2))


def divided(values: Array, parts: int | NDArray[np.int64]) -> Array:
    """Return increasing values and more, which divide the gaps evenly into `parts`."""
    counts = np.broadcast_to(parts, len(values) - 1)
    first = np.repeat(np.cumsum(counts) - counts, counts)
    part = (np.arange(counts.sum()) - first) / np.repeat(counts, counts)
    inner = np.repeat(values[:-1], counts) + np.repeat(np.diff(values), counts) * part
    return np.append(inner, values[-1])


def most_intervals(duration: float) -> int:
    """Return how many intervals a motion may have: in more it loses time where it hardly moves."""
    return int(duration / (_MEAN_INTERVAL * _SHORTEST_INTERVAL))


def limits_at_stations(
    robot: Robot,
    quantities: LimitedQuantities,
    curve: PiecewisePolynomial,
    no_faster: bool,
    knots: Array,
    per_interval: int,
) -> PathRows:
    """
    Return the limits at stations, `per_interval` of them per interval of the spline.

    With `no_faster` velocities are limited to those of the curve, see `retime`.
    """
    gaps = np.diff(knots)
    short = gaps < _SHORT * gaps.max()
    parts = np.where(short, _PER_SHORT * per_interval, per_interval)
    pieces = np.diff(np.searchsorted(curve.breaks, knots))
    stations = divided(knots, np.maximum(parts, per_interval * pieces))
    basis = SquaredSpeed(knots, _DEGREE, stations, quantities.rows - 2)
    jets = curve.jets(stations, rows=quantities.rows)
    jets[-1] = end_jet(curve, quantities.rows)
    # at instants of rest only this bounds the speed along the path
    interval = np.clip(np.searchsorted(knots, stations, 'right') - 1, 0, len(gaps) - 1)
    fastest = gaps[interval] / _SHORTEST_INTERVAL
    with np.errstate(divide='ignore'):
        allowed = robot.model.limits.ignoring_zeros().velocity / np.abs(jets[:, 1])
    fastest = np.minimum(fastest, allowed.min(axis=1, initial=np.inf))
    if no_faster:
        fastest = np.minimum(fastest, _as_fast(curve, stations, np.abs(jets[:, 1])))
    ends = _fixed_ends(knots, (jets[0], jets[-1]))
    return PathRows(quantities, basis, jets, fastest**2, ends)


def _as_fast(curve: PiecewisePolynomial, stations: Array, speeds: Array) -> Array:
    """Return ds/dt (M,) with which joints reach their largest speeds (M, n) of each segment."""
    piece = np.searchsorted(curve.breaks[:-1], stations, 'right') - 1
    largest = np.zeros((len(curve.breaks), speeds.shape[1]))
    np.maximum.at(largest, piece, speeds)
    with np.errstate(divide='ignore', invalid='ignore'):
        allowed: Array = np.nanmin(largest[piece] / speeds, axis=1, initial=np.inf)
    pauses = largest[piece].max(axis=1, initial=0.0) <= _AT_REST
    return _AS_FAST * np.where(pauses, 1.0, allowed)


def _fixed_ends(knots: Array, end_jets: tuple[Array, Array]) -> tuple[csr_matrix, Array] | None:
    """Return A and b of A c = b: ds/dt is 1, and constant, at ends that are not at rest."""
    moving = np.array([np.abs(jet[1]).max(initial=0.0) > _AT_REST for jet in end_jets])
    if not moving.any():
        return None
    basis = SquaredSpeed(knots, _DEGREE, knots[[0, -1]][moving], _DEGREE - 1)
    entries = np.moveaxis(basis.values, 0, 1).reshape(-1, _DEGREE + 1)
    columns = np.repeat(basis.columns, _DEGREE, axis=0)
    start = np.arange(0, columns.size + 1, _DEGREE + 1)
    matrix = csr_matrix((entries.ravel(), columns.ravel(), start), (len(columns), basis.count))
    return matrix, np.tile([1.0, *[0.0] * (_DEGREE - 1)], moving.sum())


def end_jet(curve: PiecewisePolynomial, rows: int) -> Array:
    """Return the jet (rows, n) with which a curve ends, before it rests."""
    last, h = curve.coefficients[-1], curve.breaks[-1] - curve.breaks[-2]
    return np.array(
        [
            sum((perm(k, d) * last[k] for k in range(d, len(last))), np.zeros(len(curve.end)))
            / h**d
            for d in range(rows)
        ]
    )

# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Least squares of all recordings from their factors, with own parameters beside shared ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import qr, solve_triangular
from scipy.special import ndtri, stdtrit

from screw_dynamics.common.arrays import Array
from screw_dynamics.estimation.identification.least_squares import triangle
from screw_dynamics.fleet.record import Record

WINDOW, RIGHT = 'window', 'effort'  # columns beside those of parameters
INSIDE = 0.975  # of a distribution, below the upper end of a band of 95 %
_UNDETERMINED = 1e-9  # of the size of a column
_LEAST_FREEDOM = 1e-3  # of a window beside the parameters
_SHOWN = 0.9  # of a variance, which residuals tell
_OUTLYING = 4.0  # standard deviations
_FEWEST = 5  # recordings, of which one can be told from the others
_Names = tuple[str, ...]


class Solved(NamedTuple):
    """
    Values (P,) and covariance (P, P) of parameters, infinite on the diagonal if not determined.

    The covariance is widened for its `freedom` (P,), that of a t distribution.
    """

    values: Array
    covariance: Array
    freedom: Array


class _Level(NamedTuple):
    """The first parameters that are `kept` (P,), their R (K, Q + 1), and what remains of rows."""

    kept: NDArray[np.bool_]
    root: Array
    remaining: Array

    @staticmethod
    def of(rows: Array, count: int, sizes: Array) -> _Level:
        """Return the level of the first `count` columns, whose `sizes` (Q,) were larger once."""
        least = _UNDETERMINED * sizes.max(initial=0.0)
        own = rows[:, :count] / np.where(sizes[:count] > least, sizes[:count], np.inf)
        used = np.arange(rows.shape[1]) >= count
        if own.size:
            _, pivoted, order = qr(own, mode='economic', pivoting=True)
            told = np.abs(np.diag(pivoted)) > _UNDETERMINED
            used[order[: len(told)][told]] = True
        found, last = triangle(rows[:, used]), int(used[:count].sum())
        root = np.zeros((last, rows.shape[1]))
        root[:, used] = found[:last]
        return _Level(used[:count], root, found[last:, last:])


class _Sums(NamedTuple):
    """
    What windows tell of K parameters.

    Products of gains (K, K); shares of the variances (K,), and that which residuals show of them;
    squares (K,) of expected products of two windows, of these only a part: (K, K, K) has the rest.
    """

    gains: Array
    shares: Array
    shown: Array
    squares: Array
    products: Array

    @staticmethod
    def none(count: int) -> _Sums:
        return _Sums(*(np.zeros((count,) * rank) for rank in (2, 1, 1, 1, 3)))

    @staticmethod
    def of(windows: Sequence[tuple[Array, Array]], inverse: Array) -> _Sums:
        """Return the sums of rows and residuals of windows; see `_covariance` of estimation."""
        gains, shares, shown, backs = [], [], [], []
        for rows, residuals in windows:
            remaining, frame = np.linalg.eigh(np.eye(len(rows)) - rows @ rows.T)
            least = np.maximum(remaining, _LEAST_FREEDOM)
            turned = frame.T @ rows
            grown = frame / np.sqrt(least) @ turned
            gains.append(residuals @ grown)
            parts = (inverse @ turned.T) ** 2
            shares.append(parts.sum(axis=1))
            shown.append(parts @ (remaining / least))
            backs.append(inverse @ grown.T @ rows)
        gain, share, back = np.array(gains), np.array(shares), np.array(backs)
        return _Sums(
            gain.T @ gain,
            share.sum(axis=0),
            np.sum(shown, axis=0),
            np.sum(share**2 - (back**2).sum(axis=2) ** 2, axis=0),
            back.transpose(1, 2, 0) @ back.transpose(1, 0, 2),
        )

    @property
    def spread(self) -> Array:
        """Half of the variance of the sum of squares, (K,)."""
        return np.asarray(self.squares + (self.products**2).sum(axis=(1, 2)))

    def include(self, other: _Sums) -> None:
        """Add sums whose last parameters are these."""
        first = len(other.shares) - len(self.shares)
        last = other.products[first:, first:, first:]
        self.gains[:] += other.gains[first:, first:]
        self.shares[:] += other.shares[first:]
        self.shown[:] += other.shown[first:]
        self.squares[:] += other.spread[first:] - (last**2).sum(axis=(1, 2))
        self.products[:] += last


@dataclass(frozen=True, eq=False)
class JointSolution:
    """
    The least squares of shared parameters, and of own ones of recordings and of robots.

    `records` have a column per parameter, the right side, and the windows that tell rows apart.
    Each level is solved for its own parameters by an orthogonal factor; what remains of its rows
    goes up to the next. Recordings are taken in the order of their paths.
    """

    records: tuple[Record, ...]
    robots: _Names  # of each recording
    own: _Names
    of_robot: _Names
    shared: _Names

    @property
    def names(self) -> _Names:
        """What concerns a recording: its own parameters, those of its robot, shared ones."""
        return (*self.own, *self.of_robot, *self.shared)

    @cached_property
    def order(self) -> list[int]:
        """Places of the recordings in the order of their paths."""
        return sorted(range(len(self.records)), key=lambda k: self.records[k].path)

    def _table(self, k: int) -> Array:
        """Return columns (N, P + 1) of the parameters, 0 of absent ones, and the right side."""
        columns = self.records[k].columns
        none = np.zeros(len(columns[RIGHT]))
        return np.column_stack([columns.get(name, none) for name in (*self.names, RIGHT)])

    @cached_property
    def _levels(self) -> tuple[dict[int, _Level], dict[str, _Level], _Level]:
        """The levels of recordings, of robots, and of all."""
        low: dict[int, _Level] = {}
        rows: dict[str, list[Array]] = {}
        sizes: dict[str, Array] = {}
        for k in self.order:
            table, robot = self._table(k), self.robots[k]
            lengths = np.linalg.norm(table[:, :-1], axis=0)
            low[k] = _Level.of(table, len(self.own), lengths)
            rows.setdefault(robot, []).append(low[k].remaining)
            sizes[robot] = np.hypot(sizes.get(robot, 0.0), lengths[len(self.own) :])
        count = len(self.of_robot)
        robots = {own: _Level.of(np.vstack(rows[own]), count, sizes[own]) for own in rows}
        rest = np.vstack([level.remaining for level in robots.values()])
        every = np.linalg.norm([own[count:] for own in sizes.values()], axis=0)
        return low, robots, _Level.of(rest, len(self.shared), every)

    @property
    def root(self) -> Array:
        """R (K, P): shared parameters x leave the squares |R (x - values)|^2 more."""
        return self._levels[2].root[:, :-1]

    def _around(self, k: int) -> tuple[Array, NDArray[np.bool_], Array]:
        """Return values (P,) of what concerns a recording, which are determined, inverse of R."""
        low, robots, top = self._levels
        levels, count = (low[k], robots[self.robots[k]], top), len(self.names) + 1
        rows = np.vstack([np.pad(one.root, ((0, 0), (count - one.root.shape[1], 0))) for one in
                          levels])  # fmt: skip
        kept = np.concatenate([level.kept for level in levels])
        triangular, values = rows[:, :-1][:, kept], np.zeros(count - 1)
        values[kept] = solve_triangular(triangular, rows[:, -1])
        return values, kept, solve_triangular(triangular, np.eye(len(triangular)))

    @cached_property
    def _sums(self) -> tuple[dict[int, tuple[Array, ...]], dict[str, _Sums], _Sums]:
        """What windows tell of parameters: of recordings, of robots, and of all."""
        _, levels, level = self._levels
        lows: dict[int, tuple[Array, ...]] = {}
        top = _Sums.none(len(level.root))
        robots = {own: _Sums.none(len(one.root) + len(level.root)) for own, one in levels.items()}
        for k in self.order:
            values, kept, inverse = self._around(k)
            table, windows = self._table(k), self.records[k].columns[WINDOW]
            table[:, -1] -= table[:, :-1] @ values
            rows = table[:, :-1][:, kept] @ inverse
            parts = [windows == number for number in np.unique(windows)]
            own = _Sums.of([(rows[part], table[part, -1]) for part in parts], inverse)
            lows[k] = own.gains, own.shares, own.shown, own.spread
            robots[self.robots[k]].include(own)
        for sums in robots.values():
            top.include(sums)
        return lows, robots, top

    def solved(self, k: int) -> Solved:
        """Return what concerns a recording, with bands by the windows of all."""
        values, kept, inverse = self._around(k)
        lows, robots, top = self._sums
        gains, shares, shown, spread = map(np.copy, lows[k])
        for sums in (robots[self.robots[k]], top):
            last = slice(len(gains) - len(sums.gains), None)
            gains[last, last], shares[last] = sums.gains, sums.shares
            shown[last], spread[last] = sums.shown, sums.spread
        every = (inverse**2).sum(axis=1)
        others = np.maximum(every - shares, 0.0)  # windows of others, by shared ones
        certain = shown + others > _SHOWN * every
        with np.errstate(divide='ignore', invalid='ignore'):
            # degrees of freedom of a sum of squares, after Bell and McCaffrey
            common = float(np.min(top.shares**2 / top.spread, initial=np.inf))
            freedom = np.where(certain, every**2 / (spread + others**2 / common), 1.0)
        wider = stdtrit(freedom, INSIDE) / ndtri(INSIDE)
        covariance, degrees = np.diag(np.full(len(kept), np.inf)), np.ones(len(kept))
        found = np.outer(wider, wider) * (inverse @ gains @ inverse.T)
        found[np.diag_indices_from(found)] = np.where(certain, np.diag(found), np.inf)
        covariance[np.ix_(kept, kept)], degrees[kept] = found, freedom
        return Solved(values, covariance, degrees)

    def _excess(self, k: int) -> float:
        """Return what joint parameters leave more of a recording than its own, per parameter."""
        table = self._table(k)
        rows, residuals = table[:, :-1], table[:, -1] - table[:, :-1] @ self._around(k)[0]
        sizes = np.linalg.norm(rows, axis=0)
        axes, found, _ = np.linalg.svd(rows / np.where(sizes > 0.0, sizes, np.inf), False)
        told = found > _UNDETERMINED
        return float(np.sum((axes[:, told].T @ residuals) ** 2) / max(told.sum(), 1))

    @cached_property
    def outlying(self) -> tuple[str, ...]:
        """Paths of recordings that contradict the others, the worst first."""
        remaining, found = [*self.order], list[str]()
        while len(remaining) >= _FEWEST:
            own = replace(
                self,
                records=tuple(self.records[k] for k in remaining),
                robots=tuple(self.robots[k] for k in remaining),
            )
            sizes = np.array([own._excess(k) for k in range(len(remaining))])
            # cube roots of a chi-squared distribution are nearly normal, after Wilson and Hilferty
            roots = np.cbrt(sizes / max(float(np.median(sizes)), 1e-300))
            spread = 1.4826 * float(np.median(np.abs(roots - 1.0)))
            least = np.sqrt(2.0 / (9.0 * max(len(self.shared), 1)))
            worst = int(np.argmax(roots))
            if roots[worst] <= 1.0 + _OUTLYING * max(spread, least):
                break
            found.append(self.records[remaining.pop(worst)].path)
        return tuple(found)

    def by_robot(self) -> JointSolution:
        """Return the solution with robots, of which records have the names, for recordings."""
        names, low = (*self.of_robot, *self.shared, RIGHT), self._levels[0]
        records = []
        for robot in dict.fromkeys(self.robots):
            table = triangle(np.vstack([low[k].remaining for k in self.order if self.robots[k] ==
                                        robot]))  # fmt: skip
            columns = dict(zip(names, table.T, strict=True))
            records.append(Record(robot, columns={**columns, WINDOW: np.zeros(len(table))}))
        every = tuple(records)
        return JointSolution(every, ('',) * len(every), self.of_robot, (), self.shared)

# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Least squares of all recordings from their factors, with own parameters beside shared ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import qr, solve_triangular
from scipy.special import ndtri, stdtrit

from screw_dynamics.common.arrays import Array
from screw_dynamics.estimation.identification.least_squares import triangle

_UNDETERMINED = 1e-9  # of the size of a column
_INSIDE = 0.975  # of a distribution, below the upper end of a band of 95 %
_LEAST_FREEDOM = 1e-3  # of a window beside the parameters
_OUTLYING = 4.0  # standard deviations
_FEWEST = 5  # recordings, of which one can be told from the others
_Names = tuple[str, ...]


class Factors(NamedTuple):
    """
    Triangular factors of the windows of a recording, stacked: columns by name, and a right side.

    `windows` (N,) tells the rows apart.
    """

    columns: Mapping[str, Array]
    right: Array
    windows: NDArray[np.int64]
    robot: str

    def table(self, names: _Names) -> Array:
        """Return columns (N, P + 1) of some parameters, 0 of absent ones, and the right side."""
        none = np.zeros(len(self.right))
        return np.column_stack([*(self.columns.get(name, none) for name in names), self.right])


class Solved(NamedTuple):
    """
    Values (P,) and covariance (P, P) of parameters, infinite on the diagonal if not determined.

    The covariance is widened for its `freedom` (P,), that of a t distribution.
    """

    names: _Names
    values: Array
    covariance: Array
    freedom: Array

    def part(self, names: _Names) -> Solved:
        """Return some of the parameters."""
        own = [self.names.index(name) for name in names]
        covariance = self.covariance[np.ix_(own, own)]
        return Solved(names, self.values[own], covariance, self.freedom[own])


class _Level(NamedTuple):
    """R (K, Q + 1) of the first parameters in rows, the `kept` ones (P,), and what remains."""

    kept: NDArray[np.bool_]
    root: Array
    remaining: Array

    @staticmethod
    def of(rows: Array, count: int, sizes: Array) -> _Level:
        """Return the level of the first `count` columns, whose `sizes` (Q,) were larger once."""
        least = _UNDETERMINED * sizes.max(initial=0.0)
        own = rows[:, :count] / np.where(sizes[:count] > least, sizes[:count], np.inf)
        kept: NDArray[np.bool_] = np.zeros(count, dtype=bool)
        if own.size:
            _, pivoted, order = qr(own, mode='economic', pivoting=True)
            told = np.abs(np.diag(pivoted)) > _UNDETERMINED
            kept[order[: len(told)][told]] = True
        found = triangle(np.hstack((rows[:, :count][:, kept], rows[:, count:])))
        last = int(kept.sum())
        return _Level(kept, found[:last], found[last:, last:])

    def solved(self, above: Array) -> Array:
        """Return the parameters, 0 where not determined, beside those `above` (Q - P,)."""
        last = len(self.root)
        values: Array = np.zeros(len(self.kept))
        right = self.root[:, -1] - self.root[:, last:-1] @ above
        values[self.kept] = solve_triangular(self.root[:, :last], right)
        return values


class _Sums(NamedTuple):
    """Over windows: products of gains (K, K); shares of the variances (K,), and their squares."""

    gains: Array
    shares: Array
    squares: Array

    @staticmethod
    def none(count: int) -> _Sums:
        return _Sums(np.zeros((count, count)), np.zeros(count), np.zeros(count))

    def add(self, rows: Array, residuals: Array, inverse: Array) -> None:
        """Add a window; see `_covariance` in `least_squares.py`."""
        remaining, frame = np.linalg.eigh(np.eye(len(rows)) - rows @ rows.T)
        scaled = (frame.T @ residuals) / np.sqrt(np.maximum(remaining, _LEAST_FREEDOM))
        gain = (frame @ scaled) @ rows
        self.gains[:] += np.outer(gain, gain)
        share = ((inverse @ rows.T) ** 2).sum(axis=1)
        self.shares[:] += share
        self.squares[:] += share**2

    def include(self, other: _Sums) -> None:
        """Add sums whose last parameters are these."""
        first = len(other.shares) - len(self.shares)
        self.gains[:] += other.gains[first:, first:]
        self.shares[:] += other.shares[first:]
        self.squares[:] += other.squares[first:]

    def within(self, lower: _Sums) -> _Sums:
        """Return sums of more parameters, whose last ones are these with all of their windows."""
        first = len(lower.shares) - len(self.shares)
        gains = lower.gains.copy()
        gains[first:, first:] = self.gains
        shares, squares = (np.r_[lower[i][:first], self[i]] for i in (1, 2))
        return _Sums(gains, shares, squares)


@dataclass(frozen=True, eq=False)
class JointSolution:
    """
    The least squares of shared parameters, and of own ones of recordings and of robots.

    Each level is solved for its own parameters by an orthogonal factor; what remains of its rows
    goes up to the next. Recordings are taken in the order given.
    """

    recordings: Sequence[Factors]
    own: Sequence[_Names]  # of each recording
    of_robots: Mapping[str, _Names]
    shared: _Names

    def names(self, k: int) -> _Names:
        """Return what concerns a recording: its own names, those of its robot, shared ones."""
        return (*self.own[k], *self.of_robots[self.recordings[k].robot], *self.shared)

    @cached_property
    def _levels(self) -> tuple[list[_Level], dict[str, _Level], _Level]:
        """The levels of recordings, of robots, and of all."""
        low: list[_Level] = []
        rows: dict[str, list[Array]] = {robot: [] for robot in self.of_robots}
        sizes = {robot: np.zeros(len(own) + len(self.shared)) for robot, own in
                 self.of_robots.items()}  # fmt: skip
        for k, factors in enumerate(self.recordings):
            table, count = factors.table(self.names(k)), len(self.own[k])
            lengths = np.linalg.norm(table[:, :-1], axis=0)
            low.append(_Level.of(table, count, lengths))
            rows[factors.robot].append(low[-1].remaining)
            sizes[factors.robot] = np.hypot(sizes[factors.robot], lengths[count:])
        robots = {
            robot: _Level.of(np.vstack(rows[robot]), len(own), sizes[robot])
            for robot, own in self.of_robots.items()
        }
        count = len(self.shared)
        every = [sizes[robot][len(own) :] for robot, own in self.of_robots.items()]
        rest = np.vstack([level.remaining for level in robots.values()])
        return low, robots, _Level.of(rest, count, np.linalg.norm(every, axis=0))

    @cached_property
    def values(self) -> Array:
        """The shared parameters (P,), 0 where they are not determined."""
        return self._levels[2].solved(np.empty(0))

    @property
    def root(self) -> Array:
        """R (K, P): parameters x leave the weighted squares |R (x - values)|^2 more."""
        top = self._levels[2]
        found = np.zeros((len(top.root), len(top.kept)))
        found[:, top.kept] = top.root[:, :-1]
        return found

    def around(self, k: int) -> tuple[Array, NDArray[np.bool_], Array]:
        """Return values (P,) of what concerns a recording, which are determined, inverse of R."""
        low, robots, top = self._levels
        robot = robots[self.recordings[k].robot]
        above = np.r_[robot.solved(self.values), self.values]
        values = np.r_[low[k].solved(above), above]
        rows: list[Array] = []
        kept = np.concatenate([level.kept for level in (low[k], robot, top)])
        for level in (low[k], robot, top):
            beyond = kept[len(kept) - (level.root.shape[1] - len(level.root) - 1) :]
            last = len(level.root)
            used = np.hstack((level.root[:, :last], level.root[:, last:-1][:, beyond]))
            rows.append(np.hstack((np.zeros((last, kept.sum() - used.shape[1])), used)))
        triangular = np.vstack(rows)
        return values, kept, solve_triangular(triangular, np.eye(len(triangular)))

    @cached_property
    def _sums(self) -> tuple[list[_Sums], dict[str, _Sums], _Sums]:
        """What windows add to parameters: of recordings, of robots, and of all."""
        _, levels, level = self._levels
        lows, top = [], _Sums.none(len(level.root))
        robots = {robot: _Sums.none(len(own.root) + len(level.root)) for robot, own in
                  levels.items()}  # fmt: skip
        for k, factors in enumerate(self.recordings):
            values, kept, inverse = self.around(k)
            table, own = factors.table(self.names(k)), _Sums.none(len(inverse))
            residuals = table[:, -1] - table[:, :-1] @ values
            for number in np.unique(factors.windows):
                part = factors.windows == number
                own.add(table[part, :-1][:, kept] @ inverse, residuals[part], inverse)
            lows.append(own)
            robots[factors.robot].include(own)
            top.include(own)
        return lows, robots, top

    def solved(self, k: int) -> Solved:
        """Return what concerns a recording, with bands by the windows of all."""
        values, kept, inverse = self.around(k)
        lows, robots, top = self._sums
        sums = top.within(robots[self.recordings[k].robot].within(lows[k]))
        every = (inverse**2).sum(axis=1)
        with np.errstate(divide='ignore', invalid='ignore'):
            # degrees of freedom of a sum of squares of unequal size, after Satterthwaite
            common = float(np.min(top.shares**2 / top.squares, initial=np.inf))
            others = np.maximum(every - sums.shares, 0.0)  # windows of others, by shared ones
            freedom = every**2 / (sums.squares + others**2 / common)
        wider = stdtrit(freedom, _INSIDE) / ndtri(_INSIDE)
        covariance = np.diag(np.where(kept, 0.0, np.inf))
        found = inverse @ sums.gains @ inverse.T
        covariance[np.ix_(kept, kept)] = np.outer(wider, wider) * found
        degrees = np.zeros(len(kept))
        degrees[kept] = freedom
        return Solved(self.names(k), values, covariance, degrees)

    def excess(self, k: int) -> float:
        """Return what joint parameters leave more of a recording than its own, per parameter."""
        values, _, _ = self.around(k)
        table = self.recordings[k].table(self.names(k))
        rows, residuals = table[:, :-1], table[:, -1] - table[:, :-1] @ values
        sizes = np.linalg.norm(rows, axis=0)
        axes, found, _ = np.linalg.svd(rows / np.where(sizes > 0.0, sizes, np.inf), False)
        told = found > _UNDETERMINED
        return float(np.sum((axes[:, told].T @ residuals) ** 2) / max(told.sum(), 1))

    @cached_property
    def outlying(self) -> list[int]:
        """Recordings that contradict the others, the worst first."""
        remaining, found = list(range(len(self.recordings))), list[int]()
        while len(remaining) >= _FEWEST:
            own = self.some(remaining)
            sizes = np.array([own.excess(k) for k in range(len(remaining))])
            # cube roots of a chi-squared distribution are nearly normal, after Wilson and Hilferty
            roots = np.cbrt(sizes / max(float(np.median(sizes)), 1e-300))
            spread = 1.4826 * float(np.median(np.abs(roots - 1.0)))
            least = np.sqrt(2.0 / (9.0 * max(len(self.shared), 1)))
            worst = int(np.argmax(roots))
            if roots[worst] <= 1.0 + _OUTLYING * max(spread, least):
                break
            found.append(remaining.pop(worst))
        return found

    def some(self, chosen: Sequence[int]) -> JointSolution:
        """Return the solution of some recordings."""
        own = [self.recordings[k] for k in chosen]
        robots = {factors.robot for factors in own}
        of_robots = {name: names for name, names in self.of_robots.items() if name in robots}
        return JointSolution(own, [self.own[k] for k in chosen], of_robots, self.shared)

    def by_robot(self) -> JointSolution:
        """Return the solution with robots in place of their recordings."""
        recordings = []
        for robot, names in self.of_robots.items():
            rows = [
                level.remaining
                for level, factors in zip(self._levels[0], self.recordings, strict=True)
                if factors.robot == robot
            ]
            table = triangle(np.vstack(rows))
            columns = dict(zip((*names, *self.shared), table.T[:-1], strict=True))
            windows = np.zeros(len(table), dtype=np.int64)
            recordings.append(Factors(columns, table[:, -1], windows, robot))
        return JointSolution(recordings, [()] * len(recordings), self.of_robots, self.shared)

# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Laws of springs as deflections under efforts, by parameters that a fit can find."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar, Literal, TypeAlias, get_args

import numpy as np

from screw_dynamics.common.arrays import Array
from screw_dynamics.drives import CubicSpring, LinearSpring, TabulatedSpring

SpringLaw: TypeAlias = Literal['linear', 'cubic', 'tabulated']
SPRING_LAWS: tuple[SpringLaw, ...] = get_args(SpringLaw)
FoundSpring: TypeAlias = LinearSpring | CubicSpring | TabulatedSpring
_KNOTS = 6  # intervals of a table
_BEYOND = 0.5  # of an interval at an end of a recording's range, times that a table is longer
_FINE = 2001  # points between which the inverse of a table is linear
_STEP = 1e-3  # of a deflection, for slopes
_NEWTON = 20


class Law(ABC):
    """A law with the parameters x, of which the first is a compliance at the start."""

    rounds: ClassVar[int] = 5
    """Of a fit."""

    @abstractmethod
    def start(self, compliance: float) -> Array:
        """Return the parameters of a linear spring."""

    @abstractmethod
    def deflection(self, x: Array, efforts: Array) -> tuple[Array, Array, Array]:
        """Return the deflections (T,) under efforts (T,), their derivatives (T, X) and slopes."""

    @abstractmethod
    def spring(self, x: Array) -> FoundSpring:
        """Return the spring; ModelError if there is none with these parameters."""

    @abstractmethod
    def rows(self, x: Array) -> tuple[tuple[str, ...], Array, Array]:
        """Return the names (K,), values (K,) and slopes (K, X) of what a user knows."""


class LinearLaw(Law):
    """x: the compliance 1 / K."""

    rounds = 1

    def start(self, compliance: float) -> Array:
        """See `Law`."""
        return np.array([compliance])

    def deflection(self, x: Array, efforts: Array) -> tuple[Array, Array, Array]:
        """See `Law`."""
        return x[0] * efforts, efforts[:, np.newaxis], np.full(len(efforts), x[0])

    def spring(self, x: Array) -> LinearSpring:
        """See `Law`."""
        return LinearSpring(1.0 / float(x[0]))

    def rows(self, x: Array) -> tuple[tuple[str, ...], Array, Array]:
        """See `Law`."""
        return ('stiffness',), 1.0 / x, np.array([[-1.0 / x[0] ** 2]])


class CubicLaw(Law):
    """x: c and k of phi + k phi^3 = c tau, the compliance at rest and K3 / K."""

    def start(self, compliance: float) -> Array:
        """See `Law`."""
        return np.array([compliance, 0.0])

    def deflection(self, x: Array, efforts: Array) -> tuple[Array, Array, Array]:
        """See `Law`."""
        right = x[0] * efforts
        phi, k = right.copy(), max(x[1], 0.0)
        for _ in range(_NEWTON):
            phi -= (phi + k * phi**3 - right) / (1.0 + 3.0 * k * phi**2)
        slope = 1.0 + 3.0 * k * phi**2
        return phi, np.column_stack((efforts, -(phi**3))) / slope[:, np.newaxis], x[0] / slope

    def spring(self, x: Array) -> CubicSpring:
        """See `Law`."""
        return CubicSpring(1.0 / float(x[0]), max(float(x[1] / x[0]), 0.0))

    def rows(self, x: Array) -> tuple[tuple[str, ...], Array, Array]:
        """See `Law`."""
        c, k = x
        slopes = np.array([[-1.0 / c**2, 0.0], [-k / c**2, 1.0 / c]])
        return ('stiffness', 'cubic_stiffness'), np.array([1.0 / c, k / c]), slopes


class TabulatedLaw(Law):
    """x: the deflections at efforts over the range of a recording, but for 0 at no effort."""

    def __init__(self, efforts: Array) -> None:
        low, high = min(float(efforts.min()), 0.0), max(float(efforts.max()), 0.0)
        below = round(_KNOTS * -low / (high - low))
        sides = np.linspace(low, 0.0, below + 1)[:-1], np.linspace(0.0, high, _KNOTS - below + 1)
        self._efforts = np.concatenate(sides)
        self._free = self._efforts != 0.0

    def start(self, compliance: float) -> Array:
        """See `Law`."""
        return np.asarray(compliance * self._efforts[self._free])

    def _table(self, x: Array) -> Array:
        table = np.zeros(len(self._efforts))
        table[self._free] = x
        return table

    def _inverse(self, x: Array, efforts: Array) -> Array:
        table = self._table(x)
        spring = TabulatedSpring(tuple(table), tuple(self._efforts))
        fine = np.linspace(table[0], table[-1], _FINE)
        return np.interp(efforts, spring.effort(fine), fine)

    def deflection(self, x: Array, efforts: Array) -> tuple[Array, Array, Array]:
        """See `Law`."""
        step = _STEP * float(np.abs(x).max())
        sides = (
            self._inverse(x + part, efforts) - self._inverse(x - part, efforts)
            for part in step * np.eye(len(x))
        )
        columns = np.column_stack(list(sides)) / (2.0 * step)
        apart = _STEP * np.ptp(self._efforts)
        within = np.clip(efforts, *self._efforts[[0, -1]])
        around = np.clip([within - apart, within + apart], *self._efforts[[0, -1]])
        slopes = (self._inverse(x, around[1]) - self._inverse(x, around[0])) / np.ptp(
            around, axis=0
        )
        return self._inverse(x, efforts), columns, slopes

    def spring(self, x: Array) -> TabulatedSpring:
        """See `Law`; the table is longer than the recording's range."""
        columns = []
        for column in (self._table(x), self._efforts):
            below, above = _BEYOND * (column[1] - column[0]), _BEYOND * (column[-1] - column[-2])
            columns.append(tuple([column[0] - below, *column, column[-1] + above]))
        return TabulatedSpring(*columns)

    def rows(self, x: Array) -> tuple[tuple[str, ...], Array, Array]:
        """See `Law`."""
        efforts = self._efforts[self._free]
        return tuple(f'deflection_at_{effort:.4g}' for effort in efforts), x, np.eye(len(x))


def law_of(name: SpringLaw, efforts: Array) -> Law:
    """Return a law for the efforts (T,) of a recording."""
    if name == 'tabulated':
        return TabulatedLaw(efforts)
    return CubicLaw() if name == 'cubic' else LinearLaw()

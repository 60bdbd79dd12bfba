# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Laws of springs as efforts at deflections, by parameters that a fit can find."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Literal, TypeAlias, get_args

import numpy as np

from screw_dynamics.common.arrays import Array
from screw_dynamics.drives import CubicSpring, LinearSpring, TabulatedSpring

SpringLaw: TypeAlias = Literal['linear', 'cubic', 'tabulated']
SPRING_LAWS: tuple[SpringLaw, ...] = get_args(SpringLaw)
FoundSpring: TypeAlias = LinearSpring | CubicSpring | TabulatedSpring
_KNOTS = 6  # intervals of a table
_BEYOND = 0.5  # of an interval at an end of a recording's range, times that a table is longer
_STEP = 1e-3  # of the range of a table, for slopes


class Law(ABC):
    """A law with the parameters x (X,); x[0] is the stiffness at no deflection, or as `rows`."""

    @abstractmethod
    def start(self, stiffness: float) -> Array:
        """Return the parameters of a linear spring."""

    @abstractmethod
    def effort(self, x: Array, deflections: Array) -> tuple[Array, Array, Array]:
        """Return efforts (T,) at deflections (T,), their derivatives (T, X), and slopes (T,)."""

    @abstractmethod
    def spring(self, x: Array) -> FoundSpring:
        """Return the spring; ModelError if there is none with these parameters."""

    @abstractmethod
    def rows(self, x: Array) -> tuple[tuple[str, ...], Array, Array]:
        """Return the names (K,), values (K,) and derivatives (K, X) of what a user knows."""


class PowerLaw(Law):
    """x: K, or K and K3 of K phi + K3 phi^3; further powers of phi / `scale`."""

    def __init__(self, *powers: int, scale: float = 1.0) -> None:
        self._powers, self._scale = np.array(powers), scale

    def start(self, stiffness: float) -> Array:
        """See `Law`."""
        return np.where(self._powers == 1, stiffness * self._scale, 0.0)

    def effort(self, x: Array, deflections: Array) -> tuple[Array, Array, Array]:
        """See `Law`."""
        scaled = deflections[:, np.newaxis] / self._scale
        slopes = self._powers * scaled ** (self._powers - 1) / self._scale
        return scaled**self._powers @ x, scaled**self._powers, slopes @ x

    def spring(self, x: Array) -> FoundSpring:
        """See `Law`."""
        if len(x) == 1:
            return LinearSpring(float(x[0]))
        return CubicSpring(float(x[0]), max(float(x[1]), 0.0))

    def rows(self, x: Array) -> tuple[tuple[str, ...], Array, Array]:
        """See `Law`."""
        return ('stiffness', 'cubic_stiffness')[: len(x)], x, np.eye(len(x))


class TabulatedLaw(Law):
    """x: the efforts at deflections over the range of a recording, but for 0 at no deflection."""

    def __init__(self, deflections: Array) -> None:
        low, high = min(float(deflections.min()), 0.0), max(float(deflections.max()), 0.0)
        below = round(_KNOTS * -low / (high - low))
        sides = np.linspace(low, 0.0, below + 1)[:-1], np.linspace(0.0, high, _KNOTS - below + 1)
        self._knots = np.concatenate(sides)
        self._free = self._knots != 0.0
        self._step = _STEP * (high - low)

    def start(self, stiffness: float) -> Array:
        """See `Law`."""
        return np.asarray(stiffness * self._knots[self._free])

    def effort(self, x: Array, deflections: Array) -> tuple[Array, Array, Array]:
        """See `Law`."""
        size = _STEP * float(np.abs(x).max())
        sides = (
            self._at(x + part, deflections) - self._at(x - part, deflections)
            for part in size * np.eye(len(x))
        )
        columns = np.column_stack(list(sides)) / (2.0 * size)
        ahead, behind = (self._at(x, deflections + step) for step in (self._step, -self._step))
        return self._at(x, deflections), columns, (ahead - behind) / (2.0 * self._step)

    def _at(self, x: Array, deflections: Array) -> Array:
        spring = self.spring(x)
        return spring.effort(np.clip(deflections, spring.deflections[0], spring.deflections[-1]))

    def spring(self, x: Array) -> TabulatedSpring:
        """See `Law`; the table is longer than the recording's range."""
        table, columns = np.zeros(len(self._knots)), []
        table[self._free] = x
        for column in (self._knots, table):
            below, above = _BEYOND * (column[1] - column[0]), _BEYOND * (column[-1] - column[-2])
            columns.append(tuple([column[0] - below, *column, column[-1] + above]))
        return TabulatedSpring(*columns)

    def rows(self, x: Array) -> tuple[tuple[str, ...], Array, Array]:
        """See `Law`."""
        sides = self.effort(x, np.array([-self._step, self._step]))
        at_rest = np.diff(sides[1], axis=0) / (2.0 * self._step)
        names = (f'effort_at_{knot:.4g}' for knot in self._knots[self._free])
        values = np.append(np.diff(sides[0]) / (2.0 * self._step), x)
        return ('stiffness', *names), values, np.vstack((at_rest, np.eye(len(x))))


def law_of(name: SpringLaw, deflections: Array) -> Law:
    """Return a law for the deflections (T,) of a recording, 0 without an effort."""
    if name == 'tabulated':
        return TabulatedLaw(deflections)
    return PowerLaw(1, 3) if name == 'cubic' else PowerLaw(1)

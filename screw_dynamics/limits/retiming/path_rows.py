# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Limits along a path as linear inequalities in the squared speed a and its derivatives by s.

An effort is y = m a'/2 + k a + g, its rate sqrt(a) (m a''/2 + (m' + 2 k) a'/2 + k' a + g'), with
coefficients that depend on the path alone; friction and springs add terms that are not linear.
An acceleration and a jerk of a joint are such with m = q', k = q'' and g = 0. y, or y / sqrt(a)
for a rate or a jerk, is linearised at the present time law by central differences, which are exact
where it is linear. The limit L / sqrt(a) of a rate is convex: its tangent lies below. Beside the
quantities of the robot the growth of ds/dt is limited, a' / (2 sqrt(a)).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_matrix

from screw_dynamics.common.arrays import Array
from screw_dynamics.limits.retiming.limited_quantities import LimitedQuantities
from screw_dynamics.limits.retiming.time_law import SquaredSpeed, joint_jets

_STEP = 1e-4  # of differences, relative to the size of a variable along the path
# of ds/dt, of itself, so that polynomials of 1 ms follow it: up to the jerk, and to the snap [1/s]
_MOST_GROWTH, _MOST_GROWTH_OF_SNAP = 200.0, 100.0


@dataclass(frozen=True)
class PathRows:
    """
    Limits of a robot, and of the growth of speed, at the stations of a path.

    Parameters
    ----------
    quantities : LimitedQuantities
    basis : SquaredSpeed
        At the stations, with as many derivatives as the quantities need.
    path_jets : (M, rows, n) ndarray
        Positions and their derivatives by s.
    squared_speed_limits : (M,) ndarray
        Largest a that the velocity limits allow.
    fixed : (sparse (F, C), (F,) ndarray), optional
        Conditions on the coefficients at ends that are not at rest.
    """

    quantities: LimitedQuantities
    basis: SquaredSpeed
    path_jets: Array
    squared_speed_limits: Array
    fixed: tuple[csr_matrix, Array] | None = None

    @property
    def count(self) -> int:
        """Number of stations."""
        return len(self.path_jets)

    @property
    def width(self) -> int:
        """Number of limits at a station: of Q quantities, the growth and velocities, Q + 2."""
        return self.quantities.count + 2

    @property
    def _bounds(self) -> Array:
        growth = _MOST_GROWTH if self.quantities.rows < 5 else _MOST_GROWTH_OF_SNAP
        return np.append(self.quantities.bounds, growth)

    def _values(self, path_jets: Array, jets: Array) -> Array:
        """Return the quantities, and the growth of ds/dt, of jets (M, d) of a, (M, Q + 1)."""
        growth = jets[:, 1:2] / (2.0 * np.sqrt(jets[:, :1]))
        return np.hstack((self.quantities.values(joint_jets(path_jets, jets)), growth))

    def squared_speeds(self, coefficients: Array) -> Array:
        """Return a at the stations, (M,)."""
        return self.basis.jets(coefficients)[:, 0]

    def ratios(self, coefficients: Array) -> Array:
        """Return the ratios (M, Q + 2) of all and their limits, last those of velocities."""
        jets = self.basis.jets(coefficients)
        values = self._values(self.path_jets, jets)
        velocity = np.sqrt(jets[:, :1] / self.squared_speed_limits[:, np.newaxis])
        return np.hstack((np.abs(values) / self._bounds, velocity))

    def constraints(self, coefficients: Array, tightening: Array) -> tuple[csr_matrix, Array]:
        """
        Return A and b of A u <= b for the ratios u of new and present coefficients.

        `tightening` (M, Q + 2) holds factors of the limits, last those of the velocities.
        """
        basis, odd = self.basis, np.append(self.quantities.odd, False)
        jets = basis.jets(coefficients)
        a = jets[:, 0]
        value, slopes = self._linearised(jets)
        bound = self._bounds * tightening[:, :-1]
        # the limit of a rate, divided by sqrt(a): L / sqrt(a) >= L (3 a0 - a) / (2 a0^1.5)
        root = np.where(odd, np.sqrt(a)[:, np.newaxis], 1.0)
        at_zero = np.where(odd, 1.5, 1.0) * bound / root
        falling = np.where(odd, 0.5, 0.0) * bound / (root * a[:, np.newaxis])
        constant = value - np.einsum('mqd,md->mq', slopes, jets)
        blocks, uppers = [], []
        for sign in (1.0, -1.0):
            gradient = sign * slopes
            gradient[:, :, 0] += falling
            blocks.append(np.einsum('mqd,dmk->qmk', gradient, basis.values))
            uppers.append((at_zero - sign * constant).T)
        stations, width = basis.columns.shape
        entries = np.concatenate([*blocks, basis.values[:1]])
        fastest = self.squared_speed_limits * tightening[:, -1] ** 2
        upper = np.concatenate([*uppers, fastest[np.newaxis]]).ravel()
        entries = (entries * coefficients[basis.columns]).reshape(-1, width)
        size = np.abs(entries).max(axis=1)
        kept = (size > 0.0) & np.isfinite(upper)
        entries, upper = entries[kept] / size[kept, np.newaxis], upper[kept] / size[kept]
        columns = np.tile(basis.columns, (len(kept) // stations, 1))[kept]
        start = np.arange(0, columns.size + 1, width)
        shape = len(columns), basis.count
        return csr_matrix((entries.ravel(), columns.ravel(), start), shape), upper

    def _linearised(self, jets: Array) -> tuple[Array, Array]:
        """Return y, or y / sqrt(a) for odd ones, (M, Q + 1), and slopes (M, Q + 1, rows - 1)."""
        stations, variables = jets.shape
        spacing = np.ptp(self.basis.stations) / self.basis.count
        steps = _STEP * jets[:, :1] / spacing ** np.arange(variables)
        varied = np.repeat(jets[np.newaxis], 2 * variables + 1, axis=0)
        for d in range(variables):
            varied[2 * d + 1, :, d] += steps[:, d]
            varied[2 * d + 2, :, d] -= steps[:, d]
        path = np.tile(self.path_jets, (2 * variables + 1, 1, 1))
        flat = varied.reshape(-1, variables)
        values = self._values(path, flat)
        odd = np.append(self.quantities.odd, False)
        values = values / np.where(odd, np.sqrt(flat[:, :1]), 1.0)
        values = values.reshape(2 * variables + 1, stations, -1)
        slopes = (values[1::2] - values[2::2]) / (2.0 * steps.T[:, :, np.newaxis])
        return values[0], np.moveaxis(slopes, 0, 2)

# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`FilteredPositions`: reference filter on the clock of the node."""

import numpy as np
from numpy.typing import NDArray

from screw_dynamics.arrays import Array
from screw_dynamics.errors import NotFiniteError
from screw_dynamics.messages.times import SECOND
from screw_dynamics.reference.reference_filter import ReferenceFilter
from screw_dynamics.trajectory import JET_ROWS

_TURN = 2.0 * np.pi


class FilteredPositions:
    """
    Smooth motion, as a function of time, from positions received at irregular times.

    Joints marked by `continuous` (n,) have no limits: their positions are shifted to the nearest
    turn. Instants are in ns. `start` and `follow` raise InputError if the filter overflows.
    """

    def __init__(self, continuous: NDArray[np.bool_], order: int, bandwidth: float) -> None:
        self._continuous = continuous
        self._filter = ReferenceFilter(len(continuous), order, bandwidth)
        self._instant = 0  # of the latest position [ns]

    @property
    def delay(self) -> float:
        """Steady-state delay [s]."""
        return self._filter.delay

    def retune(self, order: int, bandwidth: float, time: int) -> None:
        """
        Replace the filter at `time` [ns] and keep its state.

        If the new filter overflows in this state, it starts at rest at its input.
        """
        old = self._filter
        if (old.order, old.bandwidth) == (order, bandwidth):
            return
        jet = self.sample(time, np.empty((JET_ROWS, len(old.goal))))
        self._filter = ReferenceFilter(len(old.goal), order, bandwidth)
        try:
            self._filter.start(old.goal, jet)
        except NotFiniteError:
            self._filter.start(old.goal)
        self._instant = time

    def start(self, positions: Array, time: int, jet: Array | None) -> None:
        """Start at rest at positions (n,), or in the state `jet` (5, n) of another motion."""
        if jet is not None:
            positions = self._nearest_turn(positions, jet[0])
        self._filter.start(positions, jet)
        self._instant = time

    def follow(self, positions: Array, time: int) -> None:
        """Set the input of the filter from an instant on: positions (n,) [rad or m]."""
        self._filter.advance(self._elapsed(time))
        self._instant = max(time, self._instant)
        self._filter.follow(self._nearest_turn(positions, self._filter.goal))

    def sample(self, time: int, out: Array) -> Array:
        """Write the joint jet at an instant to `out` (5, n) and return it; allocates nothing."""
        return self._filter.sample(self._elapsed(time), out)

    def _elapsed(self, time: int) -> float:
        return max(0, time - self._instant) / SECOND

    def _nearest_turn(self, positions: Array, near: Array) -> Array:
        turns = np.round((near - positions) / _TURN)
        shifted: Array = np.where(self._continuous, positions + _TURN * turns, positions)
        return shifted

# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`JointStateBuffer`: latest measured state of every joint, with its age."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from screw_dynamics.arrays import Array
from screw_dynamics.messages.joints import joint_state_rows
from screw_dynamics.trajectory import JET_ROWS
from screw_dynamics.trajectory.waypoint_checks import LARGEST


class JointStateBuffer:
    """Keeps the latest JointState values; joints may be spread over several messages."""

    def __init__(self, joint_names: Sequence[str]) -> None:
        self._names = tuple(joint_names)
        self._positions = np.full(len(self._names), np.nan)
        self._velocities = np.zeros(len(self._names))
        self._times = np.zeros(len(self._names), dtype=np.int64)

    def update(self, message: Any, now: int) -> None:
        """
        Store the values of a message received at `now` [ns].

        Raises InputError if the arrays of the message differ in length.
        """
        positions, velocities = joint_state_rows(message, self._names)
        # positions beyond LARGEST are unusable as a start; NaN means not measured
        known = np.abs(positions) <= LARGEST
        self._positions[known] = positions[known]
        self._velocities[known] = np.where(np.abs(velocities) <= LARGEST, velocities, 0.0)[known]
        self._times[known] = now

    def clear(self) -> None:
        """Drop all values."""
        self._positions[:] = np.nan

    def positions(self, now: int, max_age: float) -> Array:
        """
        Return the positions (n,) at `now` [ns]; NaN for joints that are unknown or too old.

        `max_age` [s].
        """
        # a time in the future is from before the clock was set back
        fresh = np.abs(now - self._times) <= max_age * 1e9
        result: Array = np.where(fresh, self._positions, np.nan)
        return result

    def state(self, now: int, max_age: float, moving: bool = False) -> Array | None:
        """
        Return the measured state at `now` [ns] as a (5, n) joint jet.

        The result is None if a joint is unknown or its value is older than `max_age` [s]. Measured
        velocities are noisy and have no known derivatives: they are used only if `moving`, for a
        reference that must match one that starts in motion; otherwise the state is at rest.
        """
        jet = np.zeros((JET_ROWS, len(self._names)))
        jet[0] = self.positions(now, max_age)
        if moving:
            jet[1] = self._velocities
        return jet if np.isfinite(jet[0]).all() else None

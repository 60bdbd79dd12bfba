# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`JointStateBuffer`: the latest measured state of every joint, with its age."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from screw_dynamics.arrays import Array
from screw_dynamics.nodes.conversions import joint_state_rows
from screw_dynamics.trajectory import JET_ROWS
from screw_dynamics.trajectory.waypoint_checks import LARGEST


class JointStateBuffer:
    """
    Keeps the latest JointState values; joints may be spread over several messages.

    Parameters
    ----------
    joint_names : sequence of str

    """

    def __init__(self, joint_names: Sequence[str]) -> None:
        self._names = tuple(joint_names)
        self._positions = np.full(len(self._names), np.nan)
        self._velocities = np.zeros(len(self._names))
        self._times = np.zeros(len(self._names), dtype=np.int64)

    def update(self, message: Any, now: int) -> None:
        """
        Take over what a message carries.

        Parameters
        ----------
        message : sensor_msgs.msg.JointState
        now : int
            Time of reception [ns].

        Raises
        ------
        InputError
            If the arrays of the message have different lengths.

        """
        positions, velocities = joint_state_rows(message, self._names)
        # no trajectory could start where a joint cannot be; NaN is not known either
        known = np.abs(positions) <= LARGEST
        self._positions[known] = positions[known]
        self._velocities[known] = np.where(np.abs(velocities) <= LARGEST, velocities, 0.0)[known]
        self._times[known] = now

    def clear(self) -> None:
        """Forget everything."""
        self._positions[:] = np.nan

    def positions(self, now: int, max_age: float) -> Array:
        """
        Return the positions that are fresh.

        Parameters
        ----------
        now : int
            [ns].
        max_age : float
            [s].

        Returns
        -------
        (n,) ndarray
            NaN where a joint is unknown or its value too old.

        """
        # a time in the future is of a clock that has been set back
        fresh = np.abs(now - self._times) <= max_age * 1e9
        result: Array = np.where(fresh, self._positions, np.nan)
        return result

    def state(self, now: int, max_age: float, moving: bool = False) -> Array | None:
        """
        Return the measured state as a joint jet.

        Measured velocities are noisy and their derivatives unknown; a reference begins at rest
        unless it has to match one that does not.

        Parameters
        ----------
        now : int
            [ns].
        max_age : float
            [s].
        moving : bool
            With the measured velocities, 0 where there are none.

        Returns
        -------
        (5, n) ndarray or None
            None where a joint is unknown or its value too old.

        """
        jet = np.zeros((JET_ROWS, len(self._names)))
        jet[0] = self.positions(now, max_age)
        if moving:
            jet[1] = self._velocities
        return jet if np.isfinite(jet[0]).all() else None

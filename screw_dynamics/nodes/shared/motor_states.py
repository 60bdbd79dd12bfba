# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Newest states of the motors."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from screw_dynamics.errors import InputError
from screw_dynamics.messages.times import SECOND, instant_of
from screw_dynamics.trajectory.waypoint_checks import LARGEST


class MotorStateBuffer:
    """
    Keeps the newest JointState of the motors, each message with all of them.

    `values` (3, m) are positions, velocities and efforts at `instant` [ns], None at first.
    """

    def __init__(self, names: Sequence[str]) -> None:
        self._names = tuple(names)
        self.values = np.zeros((3, len(self._names)))
        self.instant: int | None = None

    def update(self, message: Any, now: int, timeout: float, needed: Sequence[str]) -> None:
        """Store a message received at `now` [ns]; InputError unless it has the `needed` fields."""
        instant = instant_of(message, now, timeout)
        names = list(message.name)
        twice = [name for name in self._names if names.count(name) > 1]
        missing = [name for name in self._names if name not in names]
        if twice or missing:
            raise InputError(
                f'name: expected each of {", ".join(self._names)} once, got '
                f'{", ".join(names) or "none"}; '
                + (f'twice: {", ".join(twice)}' if twice else f'missing: {", ".join(missing)}')
            )
        order = [names.index(name) for name in self._names]
        values = np.zeros_like(self.values)
        for row, field in zip(values, ('position', 'velocity', 'effort'), strict=True):
            given = getattr(message, field)
            if not len(given) and field not in needed:
                continue
            if len(given) != len(names):
                raise InputError(
                    f'{field}: expected {len(names)} values, one per name, got {len(given)}'
                )
            row[:] = np.array(given)[order]
            for name, value in zip(self._names, row.tolist(), strict=True):
                if not abs(value) <= LARGEST:  # also True for NaN
                    raise InputError(f'{field} of {name}: expected a finite number, got {value}')
        if self.instant is None or not 0 < self.instant - instant <= timeout * SECOND:
            self.values[:], self.instant = values, instant  # else a newer one was faster

    def fresh(self, now: int, timeout: float) -> bool:
        """Return True if the values are not older than `timeout` [s]."""
        # a time in the future is from before the clock was set back
        return self.instant is not None and abs(now - self.instant) <= timeout * SECOND

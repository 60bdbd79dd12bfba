# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`StartGate`: whether a robot is measured near the reference with which commands would begin."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from screw_dynamics.common.arrays import Array
from screw_dynamics.control.measurements import JointStateBuffer
from screw_dynamics.model.records import POSITION_UNITS

# samples of a resting reference without fresh states before a warning: after a stall these may
# still wait to be received
_LOOKS = 3


class StartGate:
    """Measured positions (n,): reference plus `distance` and whole `turns`, at the last look."""

    def __init__(self, names: Sequence[str], kinds: Sequence[str]) -> None:
        self._names, self._kinds = tuple(names), tuple(kinds)
        self._turning = np.array([kind == 'continuous' for kind in kinds])
        self._measured = JointStateBuffer(names)
        self._read = np.zeros((2, len(names)))
        self.distance, self.turns = np.zeros(len(names)), np.zeros(len(names))
        self._missed = 0

    def update(self, message: Any, now: int) -> None:
        """Store a JointState received at `now` [ns], or raise InputError."""
        self._measured.update(message, now)

    def clear(self) -> None:
        """Drop what was measured."""
        self._measured.clear()

    def obstacle(
        self, reference: Array, now: int, age: float, tolerance: float
    ) -> tuple[str, str, bool]:
        """Return kind and text of what keeps commands from beginning, and whether it may pass."""
        if not self._measured.write(now, age, self._read):
            self._missed += 1
            known = np.isfinite(self._measured.positions(now, age))
            missing = [name for name, one in zip(self._names, known, strict=True) if not one]
            text = f'expected joint_states of {", ".join(missing)} within {age:g} s, got none'
            return 'unmeasured', text, self._missed < _LOOKS
        self._missed = 0
        np.subtract(self._read[0], reference, out=self.distance)
        np.rint(self.distance / (2.0 * np.pi), out=self.turns)
        self.turns *= 2.0 * np.pi * self._turning
        self.distance -= self.turns
        j = int(np.argmax(np.abs(self.distance)))
        if abs(self.distance[j]) <= tolerance:
            return '', '', False
        unit = POSITION_UNITS[self._kinds[j] == 'prismatic']
        text = (
            f'expected joint_states with {self._names[j]} within {tolerance:g} {unit} of the '
            f'reference {reference[j]:.6g}, got {self._read[0, j]:.6g}'
        )
        return 'distant', text, False

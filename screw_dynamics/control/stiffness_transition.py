# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
`StiffnessTransition`: smooth changes of the stiffness of variable joints.

Change i, at t_i, to the target c_i in T_i seconds, is blended into the previous path of the joint:
K_i(t) = K_{i-1}(t) + s((t - t_i) / T_i) (c_i - K_{i-1}(t)) with the quintic s from 0 to 1. So the
path is C2, stays between the values that it connects, and arrives after T_i. At most 8 changes
run: one begins when 1/8 of the longest duration has passed since the last; until then a newer one
replaces it.
"""

from collections.abc import Mapping, Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from screw_dynamics.common.arrays import Array
from screw_dynamics.common.settings import unexpected
from screw_dynamics.common.times import SECOND
from screw_dynamics.drives.springs import AdjustableSpring
from screw_dynamics.errors import InputError
from screw_dynamics.kernels.drives.stiffness import blend_stiffness

Integers: TypeAlias = NDArray[np.int64]

_ROWS = 3
_MOST_RUNNING = 8


class StiffnessTransition:
    """Stiffness as a C2 function of time, at first that of the springs."""

    def __init__(self, springs: Mapping[str, AdjustableSpring]) -> None:
        self._springs = dict(springs)
        count = len(self._springs)
        self._target = tuple(spring.stiffness for spring in self._springs.values())
        self._default = self._target
        self._jet = np.zeros((_ROWS, count))
        self._rows = {name: self._jet[:, j] for j, name in enumerate(self._springs)}
        # running changes, by joint; one more may wait to begin
        shape = (count, _MOST_RUNNING + 1)
        self._begins = np.zeros(shape, dtype=np.int64)
        self._durations = np.ones(shape, dtype=np.int64)
        self._targets = np.zeros(shape)
        self._counts = np.zeros(count, dtype=np.int64)
        self._rest = np.array(self._target)
        self._last: int | None = None

    def check(self, values: Sequence[float]) -> None:
        """Raise InputError unless there is one value in range per joint, or none at all."""
        names = ', '.join(self._springs) or 'none'
        if len(values) not in (0, len(self._springs)) or any(value <= 0.0 for value in values):
            expected = f'no value or one above 0 for each joint with variable stiffness ({names})'
            raise unexpected('stiffness', expected, list(values))
        for (name, spring), value in zip(self._springs.items(), values, strict=False):
            low, high = spring.min_stiffness, spring.max_stiffness
            if not low <= value <= high:
                raise InputError(
                    f"parameter 'stiffness': joint {name!r}: expected {low:g} to {high:g}, its "
                    f'min_stiffness to max_stiffness in drives_path, got {value:g}'
                )

    def set_target(self, values: Sequence[float], duration: float) -> None:
        """Change the stiffness in `duration` [s] from the last sampled instant on, or at once."""
        before, self._target = self._target, tuple(values) or self._default
        if self._last is None:
            self._arrive()
            return
        for joint, target in enumerate(self._target):
            if target != before[joint]:
                self._change(joint, target, round(SECOND * duration), self._last)

    def _change(self, joint: int, target: float, duration: int, now: int) -> None:
        begins, durations = self._begins[joint], self._durations[joint]
        count = int(self._counts[joint])
        if count and begins[count - 1] >= now:
            count -= 1  # it has had no effect yet
        begin = now
        if count:
            distance = -(-int(durations[:count].max()) // _MOST_RUNNING)
            begin = max(now, int(begins[count - 1]) + distance)
        begins[count], durations[count] = begin, duration
        self._targets[joint, count] = target
        self._counts[joint] = count + 1

    def sample(self, instant: int) -> dict[str, Array] | None:
        """Return K, K', K'' (3,) by joint at an instant [ns], in shared arrays; None if empty."""
        self._last = instant
        if not self._rows:
            return None
        blend_stiffness(
            instant,
            self._begins,
            self._durations,
            self._targets,
            self._counts,
            self._rest,
            self._jet,
        )
        return self._rows

    def forget(self) -> None:
        """Finish all changes at once, since earlier instants are no longer valid."""
        self._last = None
        self._arrive()

    def _arrive(self) -> None:
        self._counts[:] = 0
        self._rest[:] = self._target

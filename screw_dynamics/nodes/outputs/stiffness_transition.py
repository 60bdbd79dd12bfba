# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
`StiffnessTransition`: the stiffness of variable joints on its way from one value to another.

Change i, at t_i, to the target c_i in T_i seconds, is blended into the path that the joint was on:

    ``K_i(t) = K_{i-1}(t) + s((t - t_i) / T_i) (c_i - K_{i-1}(t))``

with K_0 constant and s(u) = 10 u^3 - 15 u^4 + 6 u^5 from 0 to 1, s = 0 before and s = 1 after it.

- Range: 0 <= s <= 1 puts K_i(t) between K_{i-1}(t) and c_i. By induction the path stays between
  the smallest and the largest of the values that it connects: that at rest, and the targets since.
  All of these are within the range of the joint, so the path is, whenever and however often
  targets and durations change.
- Smoothness: s' = s'' = 0 at both ends, so K is C2, as continuous motor efforts need.
- Convergence: K_i = c_i from t_i + T_i on, whatever was running, and what was is forgotten. A
  single change is a quintic.
- Derivatives: with R the width of the values connected, each running change adds at most
  (15/8) R / T_i to |K'|, and (10 / sqrt(3)) R / T_i^2 + (15/4) |K_{i-1}'| / T_i to |K''|.

A change begins at once or, where others run, when 1/8 of the longest of their durations has
passed since the last of them began; until then a newer change replaces it. So at most 8 run: the
first has run for less than its duration T, and each began T / 8 or more after the one before it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from screw_dynamics.arrays import Array
from screw_dynamics.elastic.springs.adjustable_spring import AdjustableSpring
from screw_dynamics.errors import InputError
from screw_dynamics.jit import Kernel
from screw_dynamics.nodes.conversions import SECOND

Integers: TypeAlias = NDArray[np.int64]

_ROWS = 3
_MOST_RUNNING = 8


class StiffnessTransition:
    """Stiffness as a C2 function of time within the range of each joint."""

    def __init__(self, springs: Mapping[str, AdjustableSpring]) -> None:
        self._springs = dict(springs)
        count = len(self._springs)
        self._target = tuple(spring.stiffness for spring in self._springs.values())
        self._default = self._target
        self._jet = np.zeros((_ROWS, count))
        self._rows = {name: self._jet[:, j] for j, name in enumerate(self._springs)}
        # of the changes that run, by joint; one more may wait for its beginning
        shape = (count, _MOST_RUNNING + 1)
        self._begins = np.zeros(shape, dtype=np.int64)
        self._durations = np.ones(shape, dtype=np.int64)
        self._targets = np.zeros(shape)
        self._counts = np.zeros(count, dtype=np.int64)
        self._rest = np.array(self._target)
        self._last: int | None = None

    def check(self, values: Sequence[float]) -> None:
        """Check what is to be the stiffness."""
        names = ', '.join(self._springs) or 'none'
        if len(values) not in (0, len(self._springs)) or any(value <= 0.0 for value in values):
            raise InputError(
                f"parameter 'stiffness': expected no value or one above 0 for each joint with "
                f'variable stiffness ({names}), got {list(values)}'
            )
        for (name, spring), value in zip(self._springs.items(), values, strict=False):
            low, high = spring.min_stiffness, spring.max_stiffness
            if not low <= value <= high:
                raise InputError(
                    f"parameter 'stiffness': joint {name!r}: expected {low:g} to {high:g}, its "
                    f'min_stiffness to max_stiffness in elastic_joints_path, got {value:g}'
                )

    def set_target(self, values: Sequence[float], duration: float) -> None:
        """
        Go to another stiffness from the instant sampled last; at once where there is none.

        Joints whose target stays go on as they did.

        `duration` [s].
        """
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
        """
        Return the stiffness and its two time derivatives.

        `instant` [ns]; returns (3,).
        """
        self._last = instant
        if not self._rows:
            return None
        _blend(
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
        """Be there: the instants sampled so far mean nothing any more."""
        self._last = None
        self._arrive()

    def _arrive(self) -> None:
        self._counts[:] = 0
        self._rest[:] = self._target


def compile_stiffness_transition() -> None:
    """Compile the blending now, so that the first control tick need not."""
    _blend.compile()


def _blend_changes(
    instant: int,
    begins: Integers,
    durations: Integers,
    targets: Array,
    counts: Integers,
    rest: Array,
    jet: Array,
) -> None:
    """
    Fill rows K, K', K'' at an instant; changes that are over, and all before them, are dropped.

    `begins`, `durations` (V, C) [ns]; `targets` (V, C); `counts`, `rest` (V,); `jet` (3, V).
    """
    for j in range(len(counts)):
        over = 0
        for i in range(counts[j]):
            if instant - begins[j, i] >= durations[j, i]:
                over = i + 1
        if over > 0:
            rest[j] = targets[j, over - 1]
            for i in range(over, counts[j]):
                begins[j, i - over] = begins[j, i]
                durations[j, i - over] = durations[j, i]
                targets[j, i - over] = targets[j, i]
            counts[j] -= over
        value, rate, acceleration = rest[j], 0.0, 0.0
        for i in range(counts[j]):
            elapsed, duration = 1e-9 * (instant - begins[j, i]), 1e-9 * durations[j, i]
            if elapsed > 0.0:
                u = elapsed / duration
                v = 1.0 - u
                s = u * u * u * (10.0 + u * (6.0 * u - 15.0))
                s_rate = 30.0 * u * u * v * v / duration
                s_acceleration = 60.0 * u * v * (v - u) / (duration * duration)
                target = targets[j, i]
                gap = target - value
                acceleration += s_acceleration * gap - 2.0 * s_rate * rate - s * acceleration
                rate += s_rate * gap - s * rate
                # what rounding adds is not to lead out of the range
                value = min(max(value + s * gap, min(value, target)), max(value, target))
        jet[0, j], jet[1, j], jet[2, j] = value, rate, acceleration


_blend = Kernel(
    _blend_changes,
    'void(int64, int64[:, ::1], int64[:, ::1], float64[:, ::1], int64[::1], float64[::1], '
    'float64[:, ::1])',
)

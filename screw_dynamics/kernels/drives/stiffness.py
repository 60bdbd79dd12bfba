# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Stiffness of springs on the way from one value to the next."""

from typing import TypeAlias

from numpy import int64
from numpy.typing import NDArray

from screw_dynamics.common.arrays import Array
from screw_dynamics.kernels.kernel import Kernel

Integers: TypeAlias = NDArray[int64]


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
    Write K, K', K'' at an instant [ns] to `jet` (3, V); drop completed and older changes.

    The changes of each of the V joints are in `begins`, `durations` (V, C) [ns] and `targets`
    (V, C); `counts` (V,) is their number and `rest` (V,) the stiffness before the first of them.
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
                # rounding must not lead out of the range
                value = min(max(value + s * gap, min(value, target)), max(value, target))
        jet[0, j], jet[1, j], jet[2, j] = value, rate, acceleration


blend_stiffness = Kernel(
    _blend_changes,
    'void(int64, int64[:, ::1], int64[:, ::1], float64[:, ::1], int64[::1], float64[::1], '
    'float64[:, ::1])',
)

# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Small kernels: one for each thing that kernels are written with."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from screw_dynamics.kernels.bodies.rows import independent
from screw_dynamics.kernels.kernel import Kernel, read_only

FACTORS = (2, 3, 5)
VECTOR, MATRIX = read_only(1), read_only(2)


class Pair(NamedTuple):
    first: object
    second: object


def indices(values, out):
    last = len(values) - 1
    out[0] = values[-1] + 10.0 * values[-2]
    back = last - len(values)
    out[1] = values[back]
    for i in range(last, -1, -1):
        out[-1] = i + values[i - last]
    out[2] = values[last // 2]


def integers(a, b, out):
    out[0], out[1] = a // b, a % b
    out[2] = (a + 7) // 2 + int(-2.7) + abs(a)
    out[3] = min(a, b) - max(a, 3)
    out[4] = a**2 + (a & 7)


def reals(x, y, out):
    out[0] = x / y + x**2 - x**0.5 * 2
    out[1] = min(x, y, 1) + max(x, 0)
    out[2] = math.sqrt(x) + np.exp(-y) + np.hypot(x, y) + np.arcsinh(x) + np.cbrt(y)
    out[3] = 1 / 3 + int(x) / 2
    out[4] = x if x > y and not y > 2.0 else -y


def views(table, out):
    out[0, :] = table[:, 1]
    out[1] = table[1] * 2.0 + table[0]
    row = out[2]
    row[:] = abs(table[2])
    row[1:3] += 10.0
    row[:2] -= table[0, 1:3]
    part = table[1:, 2]
    out[3, :2] = part[:2]
    out[3, 2:] = 0.0
    out[3, -1] = part.size + table.shape[1] + table.ndim + len(table[0, 1:])


def shapes(block, out):
    square = block.reshape((3, -1))
    flat = square[1:].ravel()
    copy = flat.copy()
    copy[0] = 100.0
    zeros = np.zeros((2, 2))
    like = np.empty_like(copy)
    like[:] = 1.0
    out[0] = flat[0] + square[2, 1] + zeros[1, 1] + copy[0] + like[-1]
    counts = np.empty(3, dtype=np.int64)
    for k in range(3):
        counts[k] = k * k
    total = 0
    for count in counts:
        total += count
    out[1] = total
    rows, columns = square.shape
    out[2] = rows * 10 + columns
    out[3] = np.max(block) - np.min(block)
    for row in square:
        out[3] += row[0]


def tuples(x, k, out):
    first, second = x, 2.0 * x
    first, second = second, first
    out[0] = first - second
    pair = Pair(x + 1.0, k)
    out[1] = pair.first * pair.second
    out[2] = FACTORS[k] + (x, 7.0, 9.0)[k]
    a, (b, c) = x, (k, 1)
    out[3] = a + b + c
    for p, q in ((1.0, 2), (3.0, 4)):
        out[4] += p * q
    out[5] = 1.0 if k in (0, 2) else 0.0
    out[6] = 1.0 if k not in FACTORS else 0.0


def loops(values, limit, out):
    found = -1
    for i in range(len(values)):
        for j in range(2):
            out[1] = j
        if values[i] > limit:
            found = i
            break
    else:
        found = -2
    out[0] = found
    low, high = 0, len(values)
    while low < high:
        middle = (low + high) // 2
        if middle % 2 == 1:
            low = middle + 1
            continue
        high = middle
    out[1] = low
    total = 0.0
    for i in range(0, len(values), 2):
        if values[i] < 0.0:
            continue
        total += values[i]
    out[2] = total
    for i in range(3):
        for j in range(i):
            if j == 1:
                break
            out[3] += 10 * i + j
    out[4] = i


def conditions(values, k, out):
    # the second part would read outside of the array
    if k < len(values) and first_of(values[k:]) > 0.0:
        out[0] = 1.0
    if k >= len(values) or first_of(values[k:]) < 0.0:
        out[1] = 1.0
    out[2] = first_of(values[k:]) if k < len(values) else -5.0
    inside = 0.0 < k <= 2
    out[3] = 1.0 if inside else 0.0
    if k == 0:
        out[4] = 1.0
    elif k == 1:
        out[4] = 2.0
    else:
        out[4] = 3.0


def first_of(values):
    return values[0]


def doubled(values):
    made = np.empty(len(values))
    for i in range(len(values)):
        made[i] = 2.0 * values[i]
    return made


def sum_of(values):
    total = 0
    for i in range(len(values)):
        total = total + values[i]
    return total


def memory(values, times):
    """Allocate in a loop, by a function that returns an array, and before a continue."""
    kept = doubled(values)
    total = 0.0
    for t in range(times):
        one = doubled(kept)
        other = one + kept
        if t % 2 == 0:
            continue
        total += sum_of(other) - sum_of(one)
    return total / times


def kept_arrays(values, out):
    """Use an array of one pass of a loop in the next one, and after it."""
    last = values.copy()
    for _ in range(3):
        last = doubled(last)
    out[:] = last


def exchanged(values, out):
    """Exchange arrays, and change the variable of a range in its loop."""
    old, new, count = values.copy(), doubled(values), 3
    for _ in range(count):
        old, new = new, old
        old[0] += 1.0
        count = 5
    out[0], out[1], out[2], out[3], out[4] = old[0], new[0], old[1], new[1], count


def large(count):
    values = np.empty(count)
    values[0] = 1.0
    return values[0]


def early(values):
    for value in values:
        if value < 0.0:
            return -1
    if len(values) == 0:
        return 0
    return 1


def passes(values, out):
    for k in independent(len(values)):
        out[k] = out[k] + 2.0 * values[k]


def finite(values):
    if not math.isfinite(values[0]) or np.isnan(values[0]):
        return False
    return values[0] == values[0]


def constants(out):
    out[0], out[1], out[2] = np.nan, -np.inf, np.finfo(np.float64).tiny
    flag = True
    if flag and len(FACTORS) == 3:
        out[3] = 1e-300


KERNELS = {
    kernel.function.__name__: kernel
    for kernel in (
        Kernel(indices, f'void({VECTOR}, float64[::1])'),
        Kernel(integers, 'void(int64, int64, int64[::1])'),
        Kernel(reals, 'void(float64, float64, float64[::1])'),
        Kernel(views, f'void({MATRIX}, float64[:, ::1])'),
        Kernel(shapes, f'void({read_only(3)}, float64[::1])'),
        Kernel(tuples, 'void(float64, int64, float64[::1])'),
        Kernel(loops, f'void({VECTOR}, float64, float64[::1])'),
        Kernel(conditions, f'void({VECTOR}, int64, float64[::1])'),
        Kernel(memory, f'float64({VECTOR}, int64)'),
        Kernel(kept_arrays, f'void({VECTOR}, float64[::1])'),
        Kernel(exchanged, f'void({VECTOR}, float64[::1])'),
        Kernel(large, 'float64(int64)', releases_gil=False),
        Kernel(early, f'int64({VECTOR})'),
        Kernel(passes, f'void({VECTOR}, float64[::1])'),
        Kernel(finite, f'boolean({VECTOR})'),
        Kernel(constants, 'void(float64[::1])'),
    )
}

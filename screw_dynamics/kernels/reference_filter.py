# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Steps and output of a chain of equal first-order lags (`reference.ReferenceFilter`)."""

import math

from screw_dynamics.jit import Kernel


def _advance(deviations, scaled_time, out):
    """Advance a state by `scaled_time`; `out` may be `deviations`: row k depends on rows >= k."""
    order, n = deviations.shape
    decay = math.exp(-scaled_time)
    for k in range(order):
        for j in range(n):
            out[k, j] = decay * deviations[k, j]
        weight = decay
        for i in range(k + 1, order):
            weight *= scaled_time / (i - k)
            for j in range(n):
                out[k, j] += weight * deviations[i, j]


def _sample(deviations, goal, pole, elapsed, work, out):
    """Write the output and its derivatives after `elapsed` to `out`; `work` is workspace."""
    _advance(deviations, pole * elapsed, work)
    rows, n = out.shape
    factor = 1.0
    for d in range(rows):
        for j in range(n):
            out[d, j] = factor * work[0, j]
        for i in range(rows - 1 - d):
            for j in range(n):
                work[i, j] = work[i + 1, j] - work[i, j]
        factor *= pole
    for j in range(n):
        out[0, j] += goal[j]


_MATRIX = 'float64[:, ::1]'
advance_filter = Kernel(_advance, f'void({_MATRIX}, float64, {_MATRIX})')
sample_filter = Kernel(
    _sample,
    f'void({_MATRIX}, float64[::1], float64, float64, {_MATRIX}, {_MATRIX})',
)

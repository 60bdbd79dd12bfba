# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Sampling of a piecewise polynomial with its time derivatives."""

from screw_dynamics.jit import Kernel, read_only


def _evaluate(breaks, coefficients, end, t, out):
    """Write the derivatives of every joint at time t to `out` (rows, n)."""
    rows, n = out.shape
    segments = coefficients.shape[0]
    for r in range(rows):
        for j in range(n):
            out[r, j] = 0.0
    if segments == 0 or t >= breaks[segments]:
        for j in range(n):
            out[0, j] = end[j]
        return
    if t < breaks[0]:
        for j in range(n):
            out[0, j] = coefficients[0, 0, j]
        return
    low, high = 0, segments
    while high - low > 1:  # breaks[low] <= t < breaks[high]
        middle = (low + high) // 2
        if t >= breaks[middle]:
            low = middle
        else:
            high = middle
    h = breaks[low + 1] - breaks[low]
    u = (t - breaks[low]) / h
    # Horner's scheme on the Taylor coefficients p^(r)(u) / r! of all rows at once
    for k in range(coefficients.shape[1] - 1, -1, -1):
        for r in range(rows - 1, 0, -1):
            for j in range(n):
                out[r, j] = out[r, j] * u + out[r - 1, j]
        for j in range(n):
            out[0, j] = out[0, j] * u + coefficients[low, k, j]
    factor = 1.0
    for r in range(1, rows):
        factor *= r / h
        for j in range(n):
            out[r, j] *= factor


def _evaluate_batch(breaks, coefficients, end, times, out):
    """Write the derivatives at every time to `out` (T, rows, n)."""
    for i in range(times.shape[0]):
        _evaluate(breaks, coefficients, end, times[i], out[i])


_POLYNOMIAL = f'{read_only(1)}, {read_only(3)}, {read_only(1)}'
sample_polynomial = Kernel(_evaluate, f'void({_POLYNOMIAL}, float64, float64[:, ::1])')
sample_polynomial_batch = Kernel(
    _evaluate_batch,
    f'void({_POLYNOMIAL}, {read_only(1)}, float64[:, :, ::1])',
)

# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Kernels of motions over time: polynomials, reference filter, smoothing spline."""

import math

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
    _evaluate_batch, f'void({_POLYNOMIAL}, {read_only(1)}, float64[:, :, ::1])'
)


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
    _sample, f'void({_MATRIX}, float64[::1], float64, float64, {_MATRIX}, {_MATRIX})'
)


def _band_of_inverse(factor, band):
    """Fill the band of A^-1 (p + 1, N) from the lower band of the Cholesky factor of A."""
    width, count = factor.shape
    for j in range(count - 1, -1, -1):
        last = min(width, count - j)
        for i in range(1, last):
            total = 0.0
            for k in range(1, last):
                low, high = min(i, k), max(i, k)
                total += factor[k, j] * band[high - low, j + low]
            band[i, j] = -total / factor[0, j]
        total = 1.0 / factor[0, j]
        for k in range(1, last):
            total -= factor[k, j] * band[k, j]
        band[0, j] = total / factor[0, j]


fill_band_of_inverse = Kernel(_band_of_inverse, f'void({read_only(2)}, float64[:, ::1])')

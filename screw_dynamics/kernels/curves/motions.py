# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Kernels of motions over time: polynomials, reference filter, smoothing spline."""

import math

from screw_dynamics.kernels.kernel import Kernel, read_only


def write_joint_jet(breaks, coefficients, end, t, out):
    """Write the derivatives of every joint at time t to `out` (rows, n)."""
    _evaluate_at(breaks, coefficients, end, t, 0, out.reshape((1, out.shape[0], out.shape[1])), 0)


def _evaluate_batch(breaks, coefficients, end, times, out):
    """Write the derivatives at every time to `out` (T, rows, n)."""
    segment = 0
    for i in range(times.shape[0]):
        segment = _evaluate_at(breaks, coefficients, end, times[i], segment, out, i)


def _evaluate_at(breaks, coefficients, end, t, guess, out, i):
    """Write the derivatives at time t to out[i]; return the segment, which `guess` may be."""
    rows, n, segments = out.shape[1], out.shape[2], coefficients.shape[0]
    if segments == 0 or t >= breaks[segments] or t < breaks[0]:
        for r in range(1, rows):
            for j in range(n):
                out[i, r, j] = 0.0
        after = segments == 0 or t >= breaks[segments]
        for j in range(n):
            out[i, 0, j] = end[j] if after else coefficients[0, 0, j]
        return guess
    low = _segment(breaks, t, guess)
    h = breaks[low + 1] - breaks[low]
    u = (t - breaks[low]) / h
    if rows <= 5:
        _evaluate_few(coefficients, low, h, u, out, i)
    else:
        _evaluate_many(coefficients, low, h, u, out, i)
    return low


def _segment(breaks, t, guess):
    """Return the segment i with breaks[i] <= t < breaks[i + 1]; tries `guess` and the next."""
    if breaks[guess] <= t:
        if t < breaks[guess + 1]:
            return guess
        if t < breaks[guess + 2]:
            return guess + 1
    low, high = 0, breaks.shape[0] - 1
    while high - low > 1:
        middle = (low + high) // 2
        if t >= breaks[middle]:
            low = middle
        else:
            high = middle
    return low


def _evaluate_few(coefficients, segment, h, u, out, i):
    """Write up to five derivatives: Horner's scheme on all of them, one joint at a time."""
    rows, n, count = out.shape[1], out.shape[2], coefficients.shape[1]
    f1 = 1.0 / h
    f2 = 2.0 * f1 * f1
    f3 = 3.0 * f1 * f2
    f4 = 4.0 * f1 * f3
    for j in range(n):
        p0 = p1 = p2 = p3 = p4 = 0.0
        for k in range(count - 1, -1, -1):
            p4 = p4 * u + p3
            p3 = p3 * u + p2
            p2 = p2 * u + p1
            p1 = p1 * u + p0
            p0 = p0 * u + coefficients[segment, k, j]
        out[i, 0, j] = p0
        if rows > 1:
            out[i, 1, j] = p1 * f1
        if rows > 2:
            out[i, 2, j] = p2 * f2
        if rows > 3:
            out[i, 3, j] = p3 * f3
        if rows > 4:
            out[i, 4, j] = p4 * f4


def _evaluate_many(coefficients, segment, h, u, out, i):
    """Write any number of derivatives, as `_evaluate_few`."""
    rows, n = out.shape[1], out.shape[2]
    for r in range(rows):
        for j in range(n):
            out[i, r, j] = 0.0
    for k in range(coefficients.shape[1] - 1, -1, -1):
        for r in range(rows - 1, 0, -1):
            for j in range(n):
                out[i, r, j] = out[i, r, j] * u + out[i, r - 1, j]
        for j in range(n):
            out[i, 0, j] = out[i, 0, j] * u + coefficients[segment, k, j]
    factor = 1.0
    for r in range(1, rows):
        factor *= r / h
        for j in range(n):
            out[i, r, j] *= factor


_POLYNOMIAL = f'{read_only(1)}, {read_only(3)}, {read_only(1)}'
sample_polynomial = Kernel(write_joint_jet, f'void({_POLYNOMIAL}, float64, float64[:, ::1])')
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

# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Series on intervals of a motion, and the ranges of their polynomials.

Time is z = (t - c) / h on an interval [c - h, c + h]. A series (k,) has the Taylor coefficients of
a quantity in z; a batch of them is (I, k, m). Radii of discs are in units of h.
"""

import numpy as np

from screw_dynamics.kernels.kernel import Kernel, read_only

ROUNDING = 1e-13  # of the size of a series
_KNOWN = 1e-3  # of a series: the largest error of its values at the ends that are of use


def size_of(series, radius, first):
    """Return the sum of |x_k| radius^k from k = `first` on."""
    total = 0.0
    for k in range(len(series) - 1, first - 1, -1):
        total = total * radius + abs(series[k])
    for _ in range(first):
        total *= radius
    return total


def recentre(polynomials, centre, half):
    """Turn polynomials (K, n) in u into those in z, u = centre + half z."""
    count, n = polynomials.shape
    for r in range(count):
        for k in range(count - 2, r - 1, -1):
            for j in range(n):
                polynomials[k, j] += centre * polynomials[k + 1, j]
    power = 1.0
    for k in range(count):
        for j in range(n):
            polynomials[k, j] *= power
        power *= half


def set_derivative(series, h, out):
    """Set the series of a time derivative."""
    for k in range(len(out)):
        out[k] = (k + 1) * series[k + 1] / h if k + 1 < len(series) else 0.0


def _expand(coefficients, segments, centres, halves, out, sizes):
    """
    Write polynomials (I, K, n) in z about centres in segments, u = centre + half z.

    `sizes` (I, D, n) has the sums of bounds of the coefficients, of k times these, k (k - 1) times
    these and so on, which do not cancel: for the rounding of positions and their derivatives.
    """
    count, n = out.shape[1], out.shape[2]
    terms = np.empty((count, n))
    for i in range(len(segments)):
        out[i], terms[:] = coefficients[segments[i]], abs(coefficients[segments[i]])
        recentre(out[i], centres[i], halves[i])
        recentre(terms, centres[i], halves[i])
        sizes[i] = 0.0
        for k in range(count):
            weight = 1.0
            for d in range(sizes.shape[1]):
                for j in range(n):
                    sizes[i, d, j] += weight * terms[k, j]
                weight *= k - d


def _set_hulls(
    series, derivative, h, off, centres, columns, bernstein, start, limits,
    low, high, values, known,
):  # fmt: skip
    """
    Write the ranges of derivatives on intervals to columns of `low` and `high` (I, Q).

    `series` (I, k, m) is of the quantity, `off` and `centres` (I, m) how far the derivative is
    from it, and its values at z = 0. `columns` (c,) are those that are wanted, and have the places
    from `start` on. `limits` (3, Q) are lower and upper limits and their sizes. `values` (I, 3, Q)
    are those at -1, 0, 1 as far as they are known; `known` (3, Q) gets their largest excess, and
    the least and largest value at a centre.
    """
    count = series.shape[1] - derivative
    x = np.empty(count)
    for c in range(len(columns)):
        j, place = columns[c], start + c
        least, most = known[1, place], known[2, place]
        for t in range(len(h)):
            least, most = min(least, centres[t, j]), max(most, centres[t, j])
        known[1, place], known[2, place] = least, most
        for t in range(len(h)):
            size, begin, end = 0.0, 0.0, 0.0
            for k in range(count):
                value = series[t, k + derivative, j]
                for d in range(derivative):
                    value *= (k + derivative - d) / h[t]
                x[k] = value
                size += abs(value)
                end += value
                begin += value if k % 2 == 0 else -value
            error, centre = off[t, j] + ROUNDING * size, centres[t, j]
            bottom, top = -np.inf, np.inf
            if error < np.inf:
                swing = size - abs(x[0])
                bottom, top = x[0] - swing, x[0] + swing
                # what is within values that are known needs no nearer bound
                if not (bottom - error >= least and top + error <= most):
                    bottom, top = np.inf, -np.inf
                    for i in range(len(bernstein)):
                        control = 0.0
                        for k in range(count):
                            control += bernstein[i, k] * x[k]
                        bottom, top = min(bottom, control), max(top, control)
                bottom, top = bottom - error, top + error
            low[t, place], high[t, place] = bottom, top
            if not error <= _KNOWN * size:
                begin, end, error = centre, centre, 0.0
            values[t, 0, place], values[t, 1, place], values[t, 2, place] = begin, centre, end
            excess = max(max(begin, end) - error, centre) - limits[1, place]
            excess = max(excess, limits[0, place] - min(min(begin, end) + error, centre))
            known[0, place] = max(known[0, place], excess / limits[2, place])


expand_polynomials = Kernel(
    _expand,
    f'void({read_only(3)}, {read_only(1, "int64")}, {read_only(1)}, {read_only(1)}, '
    'float64[:, :, ::1], float64[:, :, ::1])',
)
set_hulls = Kernel(
    _set_hulls,
    f'void({read_only(3)}, int64, {read_only(1)}, {read_only(2)}, {read_only(2)}, '
    f'{read_only(1, "int64")}, {read_only(2)}, int64, {read_only(2)}, '
    'float64[:, ::1], float64[:, ::1], float64[:, :, ::1], float64[:, ::1])',
)

# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Kernel of thread tensions: bounded least squares by active sets, with time derivatives.

Minimise ``|A x - w|^2 + s^2 |x|^2`` over ``0 <= x <= span``, where x are tensions above their
lower limits and s is `REGULARISATION` of the norm of A.
"""

from math import sqrt

import numpy as np

from screw_dynamics.kernels.kernel import Kernel, read_only
from screw_dynamics.kernels.soft.layout import OK

# of the norm of A: decides among tensions with equal efforts, changes them by 1e-10
REGULARISATION = 1e-5
NOT_FINITE, NOT_ENDED = OK + 1, OK + 2
_LOWER, _FREE, _UPPER = 0, 1, 2
_ROUNDING = 16.0 * np.finfo(float).eps  # of a gradient, by the norms of what it is made of
_ROUNDS = 20  # changes of the set per thread


def _bounded_tensions(matrices, efforts, first, least, most, work, sets, tensions, errors):
    """
    Fill tensions (R, m) and errors (n_soft,) for A (R, n_soft, m) and efforts (R, n).

    `work` is (2 R + 2, m + 2, max(m, n_soft)) with the normal equations and factors, `sets` (m,).
    Derivatives are those of the threads between their limits. Returns a status.
    """
    rows, size, count = matrices.shape
    normal, right, factor = work[:rows, :count], work[:rows, count], work[rows, :count]
    wanted, x = work[rows + 1 : 2 * rows + 1, 0], work[2 * rows + 1, 0]
    place, gradient = work[2 * rows + 1, 1], work[rows, count]
    norm = 0.0
    for d in range(rows):
        for i in range(size):
            value = efforts[d, first + i]
            for j in range(count):
                value -= matrices[d, i, j] * least[j]
                if d == 0:
                    norm += matrices[0, i, j] ** 2
            wanted[d, i] = value
    set_normal_equations(matrices, wanted, normal, right)
    if norm == 0.0:
        norm = 1.0
    scale = 0.0
    for j in range(count):
        normal[0, j, j] += REGULARISATION**2 * norm
        x[j] = 0.0
        sets[j] = _LOWER
    for i in range(size):
        scale += wanted[0, i] ** 2
    if not scale < np.inf:
        return NOT_FINITE
    ended = False
    for _ in range(_ROUNDS * count + 1):
        ended = not free_one(normal[0], right[0], x, least, most, sets, gradient, norm, scale)
        if ended:
            break
        move_to_minimum(normal[0], right[0], x, least, most, sets, factor, place)
    set_derivatives(normal, right, x, sets, factor, tensions)
    for i in range(size):
        value = -wanted[0, i]
        for j in range(count):
            value += matrices[0, i, j] * x[j]
        errors[i] = abs(value)
    for j in range(count):
        tensions[0, j] = x[j] + least[j]
        if sets[j] == _UPPER:
            tensions[0, j] = most[j]
    return OK if ended else NOT_ENDED


def set_normal_equations(matrices, wanted, normal, right):
    """Fill A^T A (R, m, m) and A^T w (R, m) with derivatives, by Leibniz' rule."""
    rows, size, count = matrices.shape
    for d in range(rows):
        for j in range(count):
            right[d, j] = 0.0
            for k in range(count):
                normal[d, j, k] = 0.0
        for i in range(d + 1):
            factor = binomial(d, i)
            for j in range(count):
                for p in range(size):
                    value = factor * matrices[i, p, j]
                    right[d, j] += value * wanted[d - i, p]
                    for k in range(count):
                        normal[d, j, k] += value * matrices[d - i, p, k]


def binomial(d, i):
    """Return d over i."""
    result = 1.0
    for k in range(i):
        result = result * (d - k) / (k + 1)
    return result


def free_one(normal, right, x, least, most, sets, gradient, norm, scale):
    """Free the thread at a limit whose change lowers the objective most; return False if none."""
    count, best, chosen = len(sets), 0.0, -1
    length = 0.0
    for j in range(count):
        length += x[j] * x[j]
    allowed = _ROUNDING * sqrt(norm) * (sqrt(scale) + sqrt(norm * length))
    for j in range(count):
        value = right[j]
        for k in range(count):
            value -= normal[j, k] * x[k]
        gradient[j] = value
        inward = value if sets[j] == _LOWER else -value
        if sets[j] != _FREE and most[j] > least[j] and inward > max(best, allowed):
            best, chosen = inward, j
    if chosen < 0:
        return False
    sets[chosen] = _FREE
    return True


def move_to_minimum(normal, right, x, least, most, sets, factor, place):
    """Move x to the minimum of the free threads; those that meet a limit on the way stay at it."""
    count = len(sets)
    for _ in range(count):
        solve_free(normal, right, x, sets, factor, place)
        part, met = 1.0, -1
        for j in range(count):
            if sets[j] == _FREE:
                top = most[j] - least[j]
                step = place[j] - x[j]
                if place[j] < 0.0 and x[j] < -part * step:
                    part, met = -x[j] / step, j
                elif place[j] > top and top - x[j] < part * step:
                    part, met = (top - x[j]) / step, j
        for j in range(count):
            if sets[j] == _FREE:
                x[j] += part * (place[j] - x[j])
        if met < 0:
            return
        if place[met] < 0.0:
            x[met], sets[met] = 0.0, _LOWER
        else:
            x[met], sets[met] = most[met] - least[met], _UPPER


def solve_free(normal, right, x, sets, factor, place):
    """Set the free entries of `place` to the minimum with the others of x fixed."""
    count = len(sets)
    for j in range(count):
        place[j] = 0.0
        if sets[j] == _FREE:
            value = right[j]
            for k in range(count):
                if sets[k] != _FREE:
                    value -= normal[j, k] * x[k]
            place[j] = value
    set_factor(normal, sets, factor)
    substitute(factor, sets, place)


def set_factor(normal, sets, factor):
    """Fill the lower factor of Cholesky of the free rows and columns."""
    count = len(sets)
    for j in range(count):
        if sets[j] != _FREE:
            continue
        for i in range(j, count):
            if sets[i] != _FREE:
                continue
            value = normal[i, j]
            for k in range(j):
                if sets[k] == _FREE:
                    value -= factor[i, k] * factor[j, k]
            if i == j:
                factor[j, j] = sqrt(max(value, np.finfo(np.float64).tiny))
            else:
                factor[i, j] = value / factor[j, j]


def substitute(factor, sets, y):
    """Solve by the factor for the free entries of y, in place."""
    count = len(sets)
    for j in range(count):
        if sets[j] == _FREE:
            for k in range(j):
                if sets[k] == _FREE:
                    y[j] -= factor[j, k] * y[k]
            y[j] /= factor[j, j]
    for j in range(count - 1, -1, -1):
        if sets[j] == _FREE:
            for k in range(j + 1, count):
                if sets[k] == _FREE:
                    y[j] -= factor[k, j] * y[k]
            y[j] /= factor[j, j]


def set_derivatives(normal, right, x, sets, factor, tensions):
    """Fill the derivatives (rows from 1 on) of the free threads, 0 of those at limits."""
    rows, count = tensions.shape
    set_factor(normal[0], sets, factor)
    for j in range(count):
        tensions[0, j] = x[j]
    for d in range(1, rows):
        for j in range(count):
            tensions[d, j] = 0.0
            if sets[j] != _FREE:
                continue
            value = right[d, j]
            for i in range(1, d + 1):
                weight = binomial(d, i)
                for k in range(count):
                    value -= weight * normal[i, j, k] * tensions[d - i, k]
            tensions[d, j] = value
        substitute(factor, sets, tensions[d])


bounded_tensions = Kernel(
    _bounded_tensions,
    f'int64({read_only(3)}, {read_only(2)}, int64, {read_only(1)}, {read_only(1)}, '
    'float64[:, :, ::1], int64[::1], float64[:, ::1], float64[::1])',
    releases_gil=False,
)


def _rod_thread(jet, first, rests, slopes, weights, work, matrices, row, column):
    """
    Add -dl/dq of a thread along a rod and its derivatives to matrices (R, n_soft, m).

    At points (p,) with weights the tangent is ``rests + slopes q`` (p, 3) with slopes (p, 3, k) of
    the coordinates from `first` on, whose rows begin at `row`. `work` is (3 R + 1, 3).
    """
    rows, own = matrices.shape[0], slopes.shape[2]
    tangents, units, norms = work[:rows], work[rows : 2 * rows], work[2 * rows : 3 * rows, 0]
    for p in range(len(weights)):
        for d in range(rows):
            for c in range(3):
                value = rests[p, c] if d == 0 else 0.0
                for j in range(own):
                    value += slopes[p, c, j] * jet[d, first + j]
                tangents[d, c] = value
        set_directions(tangents, norms, units)
        for d in range(rows):
            for j in range(own):
                value = 0.0
                for c in range(3):
                    value += slopes[p, c, j] * units[d, c]
                matrices[d, row + j, column] -= weights[p] * value


def set_directions(tangents, norms, units):
    """Fill norms (R,) and unit vectors (R, 3) of vectors (R, 3) with derivatives, by Leibniz."""
    for d in range(len(tangents)):
        square = 0.0
        for i in range(d + 1):
            for c in range(3):
                square += binomial(d, i) * tangents[i, c] * tangents[d - i, c]
        if d == 0:
            norms[0] = sqrt(square)
        else:
            for i in range(1, d):
                square -= binomial(d, i) * norms[i] * norms[d - i]
            norms[d] = square / (2.0 * norms[0])
        for c in range(3):
            value = tangents[d, c]
            for i in range(1, d + 1):
                value -= binomial(d, i) * norms[i] * units[d - i, c]
            units[d, c] = value / norms[0]


rod_thread = Kernel(
    _rod_thread,
    f'void({read_only(2)}, int64, {read_only(2)}, {read_only(3)}, {read_only(1)}, '
    'float64[:, ::1], float64[:, :, ::1], int64, int64)',
    releases_gil=False,
)

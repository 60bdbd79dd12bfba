# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Deflection of a spring with a parallel damper: a first-order filter of the effort.

``phi' = (tau - K phi) / d``, T = d / K. The quotient cancels for small T, so the derivatives
phi^(k) are states of their own, each filtered from tau^(k) by the exact step

    ``phi(t + h) = e^-x phi(t) + (x / K) sum_j h^j tau^(j)(t) P_{j+1}(x)``,  x = h / T,

with P_k(x) = int_0^1 e^{-(1-u) x} u^{k-1} / (k-1)! du. Between two samples tau is the polynomial
that matches the known derivatives at both ends; at equal times tau and phi' jump.
"""

import numpy as np

from screw_dynamics.kernels.drives.laws import DAMPED
from screw_dynamics.kernels.kernel import Kernel, read_only

# indices into the clock of a filter
TIME, STARTED = range(2)

# rows of the effort jet that are matched at each end of a step; more would amplify rounding
END_ROWS = 3
TERMS = 2 * END_ROWS
# from this x on the upward recursion keeps all digits of P_1 .. P_TERMS
_LARGE = 20.0
# number of time constants after which the past is negligible: e^-60 = 1e-26
_FORGOTTEN = 60.0
# for smaller x the derivatives follow from the equation at both ends of a step: the effort may
# jump, and the derivatives of so steep a polynomial are lost to rounding, as eps / x^2
_SHORT = 1e-2
# shortest time constant [s] for which a start other than quasi-steady is used: the difference is
# negligible after 60 us, while rounding would appear in the acceleration as 1e-16 / T^2
_SHORTEST = 1e-6
# relative to its size, departures of the effort from the Taylor polynomial of the start that are
# mere rounding
_ROUNDING = 1e-10


def weights(x, result):
    """Fill P_0(x) .. P_m(x), x >= 0, m <= 12, accurate to rounding."""
    count = len(result)
    result[0] = np.exp(-x)
    if x >= _LARGE:
        factorial = 1.0
        for k in range(1, count):
            result[k] = (1.0 / factorial - result[k - 1]) / x
            factorial *= k
        return
    # e^-x / (k-1)! sum_m x^m / (m! (k + m)): no cancellation
    result[1:] = 0.0
    term, m = 1.0, 0
    while term > 1e-19:
        for k in range(1, count):
            result[k] += term / (k + m)
        m += 1
        term *= x / m
    factor = result[0]
    for k in range(1, count):
        result[k] *= factor
        factor /= k


def start_deflection(stiffness, damping, jet, psi):
    """
    Fill phi and its derivatives from the given psi[0], or quasi-steady if psi[0] is NaN.

    Quasi-steady is the series sum_j (-T)^j tau^(j) / K, truncated before its terms grow.
    """
    steady = -1
    constant = damping / stiffness
    if np.isnan(psi[0]) or constant < _SHORTEST:
        steady = _steady_order(constant, jet)
        for k in range(min(steady + 2, len(psi))):
            total = 0.0
            for j in range(steady, k - 1, -1):
                total = jet[j] - constant * total
            psi[k] = total / stiffness
    for k in range(steady + 1, len(psi) - 1):
        psi[k + 1] = (jet[k] - stiffness * psi[k]) / damping


def _steady_order(constant, jet):
    """Return the last j up to which the terms T^j tau^(j) decrease, within the rows of the jet."""
    highest = len(jet) - 1
    if highest < 2:
        return highest if constant * abs(jet[highest]) <= abs(jet[0]) else 0
    order, square = 0, constant * constant
    # compare every second term: those of a sine are in phase, while tau itself may be near zero
    while square * abs(jet[order + 2]) <= abs(jet[order]):
        order += 1
        if order + 2 > highest:
            return highest
    return order


def step_deflection(stiffness, damping, jet, next_jet, h, psi, p, work):
    """Advance phi and its derivatives by h >= 0, from one sample of the effort to the next."""
    x = h * stiffness / damping
    start, end, length, scale = jet, next_jet, h, x
    if x <= _FORGOTTEN:
        weights(x, p)
    else:
        # the quasi-steady series at the end of the step, in powers of (end - t) / h
        start, end, length, scale = next_jet, jet, -h, 1.0
        p[0], p[1] = 0.0, 1.0
        for j in range(2, len(p)):
            p[j] = p[j - 1] / x
    highest = len(jet) - 1
    # a jump of any row affects all derivatives above it
    short = x < _SHORT
    informative = _informative_row(jet, next_jet, h, 0 if short else max(0, len(jet) - END_ROWS))
    change = 0.0
    for k in range(len(psi)):
        last = min(highest, k + 2)
        first = max(0, last + 1 - END_ROWS)
        if short or first < k:
            first = min(informative, k, highest)
        shift = k - first
        before = psi[k]
        if short and shift > 0:
            psi[k] += (next_jet[k - 1] - jet[k - 1] - stiffness * change) / damping
        else:
            connect(start[first : last + 1], end[first : last + 1], length, work)
            # derivative number `shift` of the polynomial: h^j tau^(j) = factor c[j + shift]
            factor, total = 1.0, 0.0
            for j in range(1, shift + 1):
                factor *= j / length
            for j in range(2 * (last + 1 - first) - shift):
                if j > 0:
                    factor *= j + shift
                total += factor * work[0, j + shift] * p[j + 1]
            psi[k] = p[0] * before + scale * total / stiffness
        change = psi[k] - before


def _informative_row(start, end, h, row):
    """Return the lowest row, from `row` on, whose differences exceed rounding."""
    rows = len(start)
    while row < rows - 1:
        expected = 0.0
        for i in range(rows - 1, row - 1, -1):
            expected = start[i] + expected * h / (i - row + 1)
        size = abs(start[row]) + abs(end[row])
        if abs(end[row] - expected) > _ROUNDING * size:
            break
        row += 1
    return row


def connect(start, end, h, work):
    """Fill work[0] with the coefficients, in powers of u = s / h, that join two jets."""
    # the Taylor polynomial of the start plus u^n g(u - 1), n rows each
    n = len(start)
    c, g = work[0], work[1]
    factor = 1.0
    for i in range(n):
        if i > 0:
            factor *= h / i
        c[i], g[i] = start[i] * factor, end[i] * factor
    # remainder after the Taylor polynomial at the end, in powers of v = u - 1
    for i in range(n):
        binomial = 1.0
        for j in range(i, n):
            g[i] -= binomial * c[j]
            binomial *= (j + 1) / (j + 1 - i)
    # divided by u^n = (1 + v)^n: n times the series of 1 / (1 + v)
    for _ in range(n):
        for i in range(1, n):
            g[i] -= g[i - 1]
    # powers of v to powers of u, by Horner's scheme
    for i in range(n):
        c[n + i] = 0.0
    for i in range(n - 1, -1, -1):
        for j in range(n - 1, 0, -1):
            c[n + j] = c[n + j - 1] - c[n + j]
        c[n] = g[i] - c[n]


def advance(time, efforts, laws, offsets, data, damped, clock, psi, last_jets, p, work):
    """
    Advance the deflections of all damped joints to a time; return False if it is in the past.

    `efforts` (k + 1, n) are the jets at that time, `clock` (2,), `psi` (D, rows) and `last_jets`
    (D, k + 1) the state, `p` (TERMS + 1,) and `work` (2, TERMS) workspace; see `MotorTable`.
    Joints with hysteresis or backlash keep theirs, see `write_slip`.
    """
    h = time - clock[TIME]
    if clock[STARTED] > 0.0 and not h >= 0.0:
        return False
    for j in range(len(damped)):
        state = damped[j]
        if state >= 0 and laws[j] == DAMPED:
            stiffness, damping = data[offsets[j]], data[offsets[j] + 1]
            jet = efforts[:, j]
            if clock[STARTED] > 0.0:
                last = last_jets[state]
                step_deflection(stiffness, damping, last, jet, h, psi[state], p, work)
            else:
                start_deflection(stiffness, damping, jet, psi[state])
            last_jets[state] = jet
    clock[TIME], clock[STARTED] = time, 1.0
    return True


advance_deflections = Kernel(
    advance,
    f'boolean(float64, {read_only(2)}, {read_only(1, "int64")}, {read_only(1, "int64")}, '
    f'{read_only(1)}, {read_only(1, "int64")}, float64[::1], float64[:, ::1], float64[:, ::1], '
    'float64[::1], float64[:, ::1])',
)

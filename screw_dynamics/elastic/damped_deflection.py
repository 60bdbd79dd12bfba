# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
The deflection of a spring with a damper beside it: a first-order filter of the effort.

``phi' = (tau - K phi) / d``, T = d / K. The quotient cancels for small T, so the derivatives
phi^(k) are states of their own, each filtered from tau^(k) by the exact step

    ``phi(t + h) = e^-x phi(t) + (x / K) sum_j h^j tau^(j)(t) P_{j+1}(x)``,  x = h / T,

with P_k(x) = int_0^1 e^{-(1-u) x} u^{k-1} / (k-1)! du. Between two samples tau is the polynomial
that has the known derivatives at both ends.
"""

from __future__ import annotations

import numpy as np

# columns of the clock of a filter
TIME, STARTED = range(2)

# rows of the effort jet that meet at each end of a step: polynomials of degree 5, as many as the
# usual five rows of a joint jet give; more would let rounding grow faster than they help
_END_ROWS = 3
TERMS = 2 * _END_ROWS
# from here on the recursion upwards keeps all digits of P_1 .. P_TERMS
_LARGE = 20.0
# beyond it e^-x and 1/x are nothing beside 1
_LARGEST = 1e290
# below it a step changes nothing
_SMALLEST = 1e-17


def weights(x, result):
    """Fill P_0(x) .. P_m(x), x >= 0, m <= 12, to rounding."""
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
    while m <= x or term > 1e-19:
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
    Fill phi and its derivatives, psi[0] given or, where it is NaN, quasi-steady.

    Quasi-steady is the polynomial solution of a polynomial effort, sum_j (-T)^j tau^(j) / K.
    """
    rows = len(jet)
    if not np.isnan(psi[0]):
        for k in range(len(psi) - 1):
            psi[k + 1] = (jet[k] - stiffness * psi[k]) / damping
        return
    constant = damping / stiffness
    for k in range(len(psi)):
        total = 0.0
        for j in range(rows - 1, k - 1, -1):
            total = jet[j] - constant * total
        psi[k] = total / stiffness


def step_deflection(stiffness, damping, jet, next_jet, h, psi, p, work):
    """
    Step phi and its derivatives over h >= 0, between two samples of the effort jet.

    `p` (TERMS + 1,) and `work` (2, TERMS) are workspace.
    """
    x = min(h * stiffness / damping, _LARGEST)
    if x < _SMALLEST:
        return
    weights(x, p)
    highest = len(jet) - 1
    for k in range(len(psi)):
        last = min(highest, k + 2)
        first = max(0, last + 1 - _END_ROWS)
        count = last + 1 - first
        _connect(jet[first : last + 1], next_jet[first : last + 1], h, work)
        # derivative number k - first of the polynomial, with h^j tau^(j) = factor c[j + shift]
        shift = k - first
        factor, total = 1.0, 0.0
        for j in range(1, shift + 1):
            factor *= j / h
        for j in range(2 * count - shift):
            if j > 0:
                factor *= j + shift
            total += factor * work[0, j + shift] * p[j + 1]
        psi[k] = p[0] * psi[k] + x * total / stiffness


def _connect(start, end, h, work):
    """
    Fill work[0] with the coefficients, in powers of u = s / h, that join two jets.

    The polynomial is the Taylor polynomial of the start plus u^n g(u - 1), n rows each.
    """
    n = len(start)
    c, g = work[0], work[1]
    factor = 1.0
    for i in range(n):
        if i > 0:
            factor *= h / i
        c[i], g[i] = start[i] * factor, end[i] * factor
    # what the Taylor polynomial lacks at the end, in powers of v = u - 1
    for i in range(n):
        binomial = 1.0
        for j in range(i, n):
            g[i] -= binomial * c[j]
            binomial *= (j + 1) / (j + 1 - i)
    # divided by u^n = (1 + v)^n: n times the series of 1 / (1 + v)
    for _ in range(n):
        for i in range(1, n):
            g[i] -= g[i - 1]
    # powers of v to powers of u, by Horner
    for i in range(n):
        c[n + i] = 0.0
    for i in range(n - 1, -1, -1):
        for j in range(n - 1, 0, -1):
            c[n + j] = c[n + j - 1] - c[n + j]
        c[n] = g[i] - c[n]


def advance(time, efforts, offsets, data, damped, clock, psi, last_jets, p, work):
    """
    Bring the deflections of all damped joints to a time; say whether it is not in the past.

    Parameters
    ----------
    time : float
    efforts : (k + 1, n) ndarray
        Effort jets of all joints at that time.
    offsets, data, damped
        See `MotorTable`.
    clock, psi, last_jets : (2,), (D, rows), (D, k + 1) ndarray
        State: last time and whether there was one, deflections and their derivatives, efforts.
    p, work : (TERMS + 1,), (2, TERMS) ndarray
        Workspace.

    Returns
    -------
    bool

    """
    h = time - clock[TIME]
    if clock[STARTED] > 0.0 and not h >= 0.0:
        return False
    for j in range(len(damped)):
        state = damped[j]
        if state >= 0:
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


DAMPER_HELPERS = (weights, start_deflection, step_deflection, _connect, advance)

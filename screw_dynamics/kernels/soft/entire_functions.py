# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Entire functions E_n of x = q^2, values and Taylor series: cos q, sin q / q, (1 - cos q) / q^2, ...

``E_n(x) = sum_i (-x)^i / (2 i + n)!``, thus ``E_n = 1 / n! - x E_{n+2}`` and
``2 dE_n/dx = n E_{n+2} - E_{n+1}``. No division by x, unless x is large.
"""

import math

TERMS = 32  # of the power series; x < (n + 2)^2 where it is used


def inverse_factorial_count(top, count):
    """Return how many inverse factorials `entire_series` needs."""
    return top + 2 * count + 2 * TERMS + 2


def set_inverse_factorials(ws, place, size):
    """Set 1 / n! for n = 0, 1, ..."""
    ws[place] = 1.0
    for n in range(1, size):
        ws[place + n] = ws[place + n - 1] / n


def power_series(ws, inverse, x, n):
    """Return E_n(x) by its power series."""
    total, power = ws[inverse + n], 1.0
    for i in range(1, TERMS):
        power *= -x
        term = power * ws[inverse + n + 2 * i]
        total += term
        if abs(term) < 1e-18 * abs(total):
            break
    return total


def set_values(ws, inverse, x, out, stride, top):
    """Set E_0 .. E_top at places with a stride."""
    q = math.sqrt(x)
    low = 0  # below it upwards from the sines, from it on downwards from the power series
    if q >= 1.0:
        ws[out] = math.cos(q)
        ws[out + stride] = math.sin(q) / q
        low = 2
        while low <= top and low <= q:
            n = low - 2
            ws[out + low * stride] = (ws[inverse + n] - ws[out + n * stride]) / x
            low += 1
    for n in range(top, low - 1, -1):
        if n + 2 > top:
            ws[out + n * stride] = power_series(ws, inverse, x, n)
        else:
            ws[out + n * stride] = ws[inverse + n] - x * ws[out + (n + 2) * stride]


def entire_series(ws, inverse, x, out, top, count):
    """
    Set the series of E_0 .. E_top, n-th at ``out + n count``, along a series x.

    The 2 (count - 1) functions behind them are workspace.
    """
    set_values(ws, inverse, ws[x], out, count, top + 2 * (count - 1))
    for k in range(1, count):
        for n in range(top + 2 * (count - 1 - k) + 1):
            first, second = out + (n + 1) * count, out + (n + 2) * count
            total = 0.0
            for m in range(1, k + 1):
                total += m * ws[x + m] * (n * ws[second + k - m] - ws[first + k - m])
            ws[out + n * count + k] = total / (2.0 * k)

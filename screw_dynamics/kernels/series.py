# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Truncated Taylor arithmetic of any order; `bodies` has its own, on rows of several samples.

A series is a row of normalised coefficients, ``x[k] = x^(k) / k!``: the product rule becomes the
Cauchy product. Composition f(x(t)) needs the powers of x(t) - x[0]; `powers[i, k]` is coefficient
k of the i-th power, zero below k = i.
"""

import numpy as np


def to_series(jet, series):
    """Fill a series from the time derivatives of a quantity."""
    to_series_in(1.0, jet, series)


def to_series_in(unit, jet, series):
    """Fill the series of a quantity in a unit from its time derivatives."""
    factorial = 1.0
    for k in range(len(series)):
        if k > 1:
            factorial *= k
        series[k] = jet[k] / factorial / unit


def to_jet(series, jet):
    """Fill the time derivatives of a quantity from its series."""
    factorial = 1.0
    for k in range(len(series)):
        if k > 1:
            factorial *= k
        jet[k] = series[k] * factorial


def quotient(a, b, result):
    """Fill the series of a / b with b[0] not 0: b result = a, coefficient by coefficient."""
    for k in range(len(result)):
        rest = a[k]
        for j in range(1, k + 1):
            rest -= b[j] * result[k - j]
        result[k] = rest / b[0]


def product(a, b, result):
    """Fill the series of a b, an array of its own."""
    for k in range(len(result)):
        total = 0.0
        for j in range(k + 1):
            total += a[j] * b[k - j]
        result[k] = total


def add_product_to_jet(factor, a, b, jet):
    """Add the product of two series, times a factor, to time derivatives."""
    factorial = 1.0
    for k in range(len(jet)):
        if k > 1:
            factorial *= k
        total = 0.0
        for j in range(k + 1):
            total += a[k - j] * b[j]
        jet[k] += factor * total * factorial


def root(a, result):
    """Fill the series of y = sqrt(a) with a[0] > 0: y y = a, coefficient by coefficient."""
    result[0] = np.sqrt(a[0])
    for k in range(1, len(result)):
        rest = a[k]
        for j in range(1, k):
            rest -= result[j] * result[k - j]
        result[k] = 0.5 * rest / result[0]


def exponential(a, result):
    """Fill the series of y = exp(a), from y' = a' y."""
    result[0] = np.exp(a[0])
    for k in range(1, len(result)):
        total = 0.0
        for j in range(1, k + 1):
            total += j * a[j] * result[k - j]
        result[k] = total / k


def sine_and_cosine(a, sine, cosine):
    """Fill the series of sin(a) and cos(a), from their derivatives a' cos(a) and -a' sin(a)."""
    sine[0], cosine[0] = np.sin(a[0]), np.cos(a[0])
    for k in range(1, len(sine)):
        odd, even = 0.0, 0.0
        for j in range(1, k + 1):
            odd += j * a[j] * cosine[k - j]
            even += j * a[j] * sine[k - j]
        sine[k], cosine[k] = odd / k, -even / k


def tanh(u, result, slope):
    """Fill the series of y = tanh(u) and of its slope w = 1 - y^2, from y' = w u'."""
    # with d = exp(-2 |u|): y = (1 - d) / (1 + d), w = 4 d / (1 + d)^2, as 1 - y^2 has no digits
    # left if y is nearly 1, and 1 - d none if d is
    size = 2.0 * abs(u[0])
    if size < 0.5:
        rise = -np.expm1(-size)
        decay = 1.0 - rise
    else:
        decay = np.exp(-size)
        rise = 1.0 - decay
    result[0] = (rise if u[0] >= 0.0 else -rise) / (1.0 + decay)
    slope[0] = 4.0 * decay / (1.0 + decay) ** 2
    for k in range(1, len(result)):
        total = 0.0
        for j in range(1, k + 1):
            total += j * u[j] * slope[k - j]
        result[k] = total / k
        total = 0.0
        for j in range(k + 1):
            total += result[j] * result[k - j]
        slope[k] = -total


def add_powers(x, powers, k):
    """Fill coefficient k of the higher powers of x(t) - x[0], from coefficients of x below k."""
    for i in range(2, k + 1):
        total = 0.0
        for j in range(1, k - i + 2):
            total += x[j] * powers[i - 1, k - j]
        powers[i, k] = total


def compose(taylor, powers, k):
    """Return coefficient k >= 1 of f(x(t)) minus taylor[1] x[k], from f^(i)(x[0]) / i!."""
    total = 0.0
    for i in range(2, k + 1):
        total += taylor[i] * powers[i, k]
    return total


def invert(taylor, y, x, powers):
    """Fill the series x with f(x(t)) = y(t) for a given x[0], from the coefficients of f."""
    for k in range(1, len(x)):
        add_powers(x, powers, k)
        x[k] = (y[k] - compose(taylor, powers, k)) / taylor[1]
        powers[1, k] = x[k]


def invert_pair(taylor, y, s, x, powers):
    """Fill two series with f1(x1) + f2(x2) = y and f1'(x1) + f2'(x2) = s for given x[:, 0]."""
    # of [[f1', f2'], [f1'', f2'']], the matrix for every coefficient
    determinant = 2.0 * (taylor[0, 1] * taylor[1, 2] - taylor[1, 1] * taylor[0, 2])
    for k in range(1, x.shape[1]):
        first, second = y[k], s[k]
        for i in range(2):
            add_powers(x[i], powers[i], k)
            first -= compose(taylor[i], powers[i], k)
            for j in range(2, k + 1):
                second -= (j + 1) * taylor[i, j + 1] * powers[i, j, k]
        x[0, k] = (2.0 * taylor[1, 2] * first - taylor[1, 1] * second) / determinant
        x[1, k] = (taylor[0, 1] * second - 2.0 * taylor[0, 2] * first) / determinant
        powers[0, 1, k], powers[1, 1, k] = x[0, k], x[1, k]

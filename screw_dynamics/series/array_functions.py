# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Elementary functions of Taylor series of arrays, (K + 1, ...), entry by entry.

Each function returns the series of f(a) and of its derivative f'(a).
"""

import numpy as np

from screw_dynamics.lie.scalars import ScalarArray

Pair = tuple[ScalarArray, ScalarArray]


def product(a: ScalarArray, b: ScalarArray) -> ScalarArray:
    """Return the Cauchy product, of the smaller order."""
    rows = range(min(len(a), len(b)))
    return np.array([sum(a[s] * b[k - s] for s in range(k + 1)) for k in rows])


def derivative(a: ScalarArray) -> ScalarArray:
    """Return the derivative with respect to time, of order K - 1."""
    powers = np.arange(1.0, len(a)).reshape(-1, *(1,) * (a.ndim - 1))
    result: ScalarArray = powers * a[1:]
    return result


def cross(a: ScalarArray, b: ScalarArray) -> ScalarArray:
    """Return the cross product of vectors (..., 3)."""
    x, y, z = a[..., 0], a[..., 1], a[..., 2]
    u, v, w = b[..., 0], b[..., 1], b[..., 2]
    return np.stack([y * w - z * v, z * u - x * w, x * v - y * u], axis=-1)


def _integral(slope: ScalarArray, rate: ScalarArray, k: int) -> ScalarArray:
    """Return coefficient k of the integral of slope(t) rate(t), k > 0; rate = a' has K terms."""
    total: ScalarArray = sum(slope[k - 1 - j] * rate[j] for j in range(k)) / k
    return total


def _pair(a: ScalarArray, first: ScalarArray, second: ScalarArray, sign: float) -> Pair:
    """Return the solution of f' = g a', g' = sign f a' from its values at t = 0."""
    rate, f, g = derivative(a), [first], [second]
    for k in range(1, len(a)):
        f.append(_integral(np.array(g), rate, k))
        g.append(sign * _integral(np.array(f), rate, k))
    return np.array(f), np.array(g)


def sin(a: ScalarArray) -> Pair:
    """Return sin and cos."""
    return _pair(a, np.sin(a[0]), np.cos(a[0]), -1.0)


def cos(a: ScalarArray) -> Pair:
    """Return cos and -sin."""
    sine, cosine = sin(a)
    return cosine, -sine


def sinh(a: ScalarArray) -> Pair:
    """Return sinh and cosh."""
    return _pair(a, np.sinh(a[0]), np.cosh(a[0]), 1.0)


def cosh(a: ScalarArray) -> Pair:
    """Return cosh and sinh."""
    sine, cosine = sinh(a)
    return cosine, sine


def tan(a: ScalarArray) -> Pair:
    """Return tan and 1 + tan^2."""
    return _riccati(a, np.tan(a[0]), 1.0)


def tanh(a: ScalarArray) -> Pair:
    """Return tanh and 1 - tanh^2."""
    return _riccati(a, np.tanh(a[0]), -1.0)


def _riccati(a: ScalarArray, first: ScalarArray, sign: float) -> Pair:
    """Return the solution of f' = (1 + sign f^2) a' from its value at t = 0, and its slope."""
    rate, f = derivative(a), [first]
    slope: list[ScalarArray] = [1.0 + sign * first * first]
    for k in range(1, len(a)):
        f.append(_integral(np.array(slope), rate, k))
        slope.append(np.asarray(sign * sum(f[s] * f[k - s] for s in range(k + 1))))
    return np.array(f), np.array(slope)


def exp(a: ScalarArray) -> Pair:
    """Return exp, which is its own derivative."""
    rate, f = derivative(a), [np.exp(a[0])]
    for k in range(1, len(a)):
        f.append(_integral(np.array(f), rate, k))
    result = np.array(f)
    return result, result


def log(a: ScalarArray) -> Pair:
    """Return the logarithm and 1 / a."""
    return _from_slope(a, np.log(a[0]), reciprocal(a)[0])


def arctan(a: ScalarArray) -> Pair:
    """Return the arc tangent and 1 / (1 + a^2)."""
    squares = product(a, a)
    squares[0] = squares[0] + 1.0
    return _from_slope(a, np.arctan(a[0]), reciprocal(squares)[0])


def _from_slope(a: ScalarArray, first: ScalarArray, slope: ScalarArray) -> Pair:
    rate = derivative(a)
    return np.array([first, *(_integral(slope, rate, k) for k in range(1, len(a)))]), slope


def reciprocal(a: ScalarArray) -> Pair:
    """Return 1 / a and -1 / a^2."""
    f = [1.0 / a[0]]
    for k in range(1, len(a)):
        f.append(-f[0] * sum(a[s] * f[k - s] for s in range(1, k + 1)))
    result = np.array(f)
    return result, -product(result, result)


def power(a: ScalarArray, exponent: float) -> Pair:
    """Return a^p and p a^(p - 1); a is not zero unless p is a whole number >= 0."""
    if float(exponent).is_integer() and exponent >= 0:
        below = np.zeros_like(a)
        below[0] = 1.0
        result, slope = below, np.zeros_like(a)
        for _ in range(int(exponent)):
            below, result = result, product(result, a)
            slope = exponent * below
        return result, slope
    f = [a[0] ** exponent]
    for k in range(1, len(a)):
        total = sum((exponent * j - (k - j)) * a[j] * f[k - j] for j in range(1, k + 1))
        f.append(total / (k * a[0]))
    result = np.array(f)
    return result, exponent * product(result, reciprocal(a)[0])


def stumpff(a: ScalarArray, highest: int) -> list[ScalarArray]:
    """
    Return the series of Stumpff's c_0(a), ..., c_highest(a), see `lie.scalars.stumpff`.

    With dc_k/ds = (k c_(k+2) - c_(k+1)) / 2 every coefficient follows from values at t = 0, so
    that nothing is divided by a.
    """
    order = len(a) - 1
    functions = [[row] for row in stumpff_values(a[0], highest + 2 * order)]
    for k in range(1, order + 1):
        for n in range(highest + 2 * (order - k) + 1):
            slope = [
                0.5 * (n * functions[n + 2][k - j] - functions[n + 1][k - j])
                for j in range(1, k + 1)
            ]
            total = sum(j * a[j] * slope[j - 1] for j in range(1, k + 1))
            functions[n].append(total / k)
    return [np.array(rows) for rows in functions[: highest + 1]]


_TERMS = 40  # of the power series


def stumpff_values(s: ScalarArray, highest: int) -> list[ScalarArray]:
    """
    Return c_0(s), ..., c_highest(s) of real or complex numbers (...), to rounding.

    c_n of arguments up to (n + 1) (n + 2) follows from c_(n+2), of larger ones from c_(n-2): no
    error is amplified either way.
    """
    s = np.asarray(s)
    top, size = max(highest, 2) + 2, abs(s)
    small = np.where(size < (top + 1) * (top + 2), s, 0.0)
    factorial = [1.0]
    for n in range(1, top + 1):
        factorial.append(factorial[-1] * n)
    down: list[ScalarArray] = [np.zeros_like(small)] * (top + 1)
    for n in (top - 1, top):
        total = np.ones_like(small)
        for j in range(_TERMS + top, 0, -1):
            total = 1.0 - small * total / ((n + 2 * j - 1) * (n + 2 * j))
        down[n] = total / factorial[n]
    for n in range(top - 2, -1, -1):
        down[n] = 1.0 / factorial[n] - small * down[n + 2]
    large = np.where(size < 1.0, 1.0, s)
    root = np.sqrt(large) if np.iscomplexobj(s) else np.sqrt(abs(large))
    half = np.sin(0.5 * root)
    up = [np.cos(root), np.sin(root) / root, 2.0 * half * half / large]
    if not np.iscomplexobj(s):
        half = np.sinh(0.5 * root)
        negative = [np.cosh(root), np.sinh(root) / root, -2.0 * half * half / large]
        up = [np.where(s < 0.0, n, p) for n, p in zip(negative, up, strict=True)]
    for n in range(3, highest + 1):
        up.append((1.0 / factorial[n - 2] - up[n - 2]) / large)
    return [
        np.where((size < 1.0) | (size < (n + 1) * (n + 2)), down[n], up[n])
        for n in range(highest + 1)
    ]

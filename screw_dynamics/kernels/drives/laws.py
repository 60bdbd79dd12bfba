# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Laws of springs: codes, columns of the motor table, evaluation with derivatives."""

import numpy as np

from screw_dynamics.common.arrays import Array
from screw_dynamics.kernels.kernel import Kernel, read_only

RIGID, LINEAR, DAMPED, VARIABLE, CUBIC, EXPONENTIAL, TABULATED = range(7)
PAIR_EXPONENTIAL, PAIR_QUADRATIC, PAIR_CUBIC = range(7, 10)

# indices of a pair's parameters: the flag of its tendons, the first parameter of its law
PULL_ONLY, PAIR_LAW = range(2)

# columns of the table of motors: inertia, friction coefficients, velocity of the Coulomb law
INERTIA, VISCOUS, COULOMB, COULOMB_VELOCITY = range(4)

_PIECE = 6  # coefficients of a piece of a table
_MAX_STEPS = 200
_SETTLED = 1e-6  # step, in parts of a root, of which nothing is left after the next one


def law_taylor(law: int, data: Array, at: int, phi: float, taylor: Array) -> None:
    """Fill f^(i)(phi) / i! of a nonlinear law, or of that of a pair's first spring."""
    taylor[:] = 0.0
    if law == TABULATED:
        _table_taylor(data, at, phi, taylor)
        return
    first = data[at]
    # the quadratic law has one parameter, possibly the last of the array
    second = 0.0 if law == PAIR_QUADRATIC else data[at + 1]
    if law == EXPONENTIAL:
        sinh_taylor(first, second, np.sinh(second * phi), taylor)
    elif law == PAIR_EXPONENTIAL:
        # exp(x) and exp(x) - 1, one from the other where that loses no digits
        x = second * phi
        if x > -0.5:
            rise = np.expm1(x)
            slope = 1.0 + rise
        else:
            slope = np.exp(x)
            rise = slope - 1.0
        taylor[0] = first / second * rise
        factor = first
        for i in range(1, len(taylor)):
            taylor[i] = factor * slope
            factor *= second / (i + 1)
    elif law in (CUBIC, PAIR_CUBIC):
        force, slope = phi * (first + second * phi * phi), first + 3.0 * second * phi * phi
        values = (force, slope, 3.0 * second * phi, second)
        for i in range(min(4, len(taylor))):
            taylor[i] = values[i]
    elif law == PAIR_QUADRATIC:
        values = (first * phi * phi, 2.0 * first * phi, first, 0.0)
        for i in range(min(3, len(taylor))):
            taylor[i] = values[i]
    else:
        taylor[:] = np.nan


def sinh_taylor(first, second, sine, taylor):
    """Fill the Taylor coefficients of k/a sinh(a phi) from k, a and sinh(a phi)."""
    taylor[0] = first / second * sine
    cosine, factor = np.hypot(1.0, sine), first
    for i in range(1, len(taylor)):
        taylor[i] = factor * (cosine if i % 2 == 1 else sine)
        factor *= second / (i + 1)


def pair_taylor(law: int, data: Array, at: int, phi: Array, taylor: Array) -> None:
    """Fill the Taylor coefficients (2, p) of both springs of a pair at their deflections (2,)."""
    law_taylor(law, data, at + PAIR_LAW, phi[0], taylor[0])
    # f2(x) = -f1(-x)
    law_taylor(law, data, at + PAIR_LAW, -phi[1], taylor[1])
    for i in range(0, taylor.shape[1], 2):
        taylor[1, i] = -taylor[1, i]


def _table_taylor(data, at, phi, taylor):
    count = int(data[at])
    piece = _segment(data, at + 1, count, phi)
    step = data[at + 2 + piece] - data[at + 1 + piece]
    u = (phi - data[at + 1 + piece]) / step
    c = at + 1 + 2 * count + _PIECE * piece
    # derivatives by binomial coefficients: sum_j binomial(j, i) c_j u^(j - i)
    scale = 1.0
    for i in range(min(_PIECE, len(taylor))):
        total, binomial, power = 0.0, 1.0, 1.0
        for j in range(i, _PIECE):
            total += binomial * data[c + j] * power
            binomial *= (j + 1) / (j + 1 - i)
            power *= u
        taylor[i] = total * scale
        scale /= step


def _segment(data, start, count, value):
    """Return i with data[start + i] <= value < data[start + i + 1], 0 <= i < count - 1."""
    low, high = 0, count - 1
    while high - low > 1:
        middle = (low + high) // 2
        if data[start + middle] <= value:
            low = middle
        else:
            high = middle
    return low


def spring_effort(law, parameters, first, stiffness, phi, rate, work):
    """Return the effort of a spring between one motor and its link; NaN outside of a table."""
    if law == LINEAR:
        return parameters[first] * phi
    if law == DAMPED:
        return parameters[first] * phi + parameters[first + 1] * rate
    if law == VARIABLE:
        return stiffness * phi
    if law == TABULATED:
        last = first + int(parameters[first])
        if not parameters[first + 1] <= phi <= parameters[last]:
            return np.nan
    law_taylor(law, parameters, first, phi, work)
    return work[0]


def pair_effort(law, parameters, first, second_spring, phi, work):
    """Return the effort of one spring of a pair at its own deflection; f2(x) = -f1(-x)."""
    side = -1.0 if second_spring else 1.0
    if law == PAIR_QUADRATIC:
        pulled = max(side * phi, 0.0)  # a tendon does not push
        return side * parameters[first + PAIR_LAW] * pulled * pulled
    law_taylor(law, parameters, first + PAIR_LAW, side * phi, work)
    return side * work[0]


def spring_deflection(law: int, data: Array, at: int, tau: float) -> float:
    """Return the deflection at which a nonlinear spring transmits tau; NaN outside of a table."""
    if law == EXPONENTIAL:
        return float(np.arcsinh(data[at + 1] * tau / data[at]) / data[at + 1])
    if law == CUBIC:
        k1, k3, size = data[at], data[at + 1], abs(tau)
        # f is convex: each bound is the root without the other term, and the lesser is not far off
        high = size / k1
        if k3 * high * high > k1:
            high = np.cbrt(size / k3)
        phi = cubic_root(k1, k3, size, high, high)
        return float(phi if tau >= 0.0 else -phi)
    count = int(data[at])
    values = at + 1 + count
    if not data[values] <= tau <= data[values + count - 1]:
        return np.nan
    piece = _segment(data, values, count, tau)
    knot = data[at + 1 + piece]
    step = data[at + 2 + piece] - knot
    c = at + 1 + 2 * count + _PIECE * piece
    rise = tau - data[values + piece]
    start = rise / (data[values + piece + 1] - data[values + piece])
    u = _increasing_root(data[c : c + _PIECE], rise, 1.0, start)
    return float(knot + step * u)


def cubic_root(linear, cubic, target, high, start):
    """Return x with ``linear x + cubic x^3 = target``; the sum increases on [0, high]."""
    coefficients = np.zeros(4)
    coefficients[1], coefficients[3] = linear, cubic
    return _increasing_root(coefficients, target, high, start)


def _increasing_root(c, target, high, start):
    """Return x with sum_{i >= 1} c[i] x^i = target; the sum increases on [0, high]."""
    # Halley steps, with bisection if a step would leave the bracket
    low, x = 0.0, start
    for _ in range(_MAX_STEPS):
        value = slope = bend = 0.0
        for i in range(len(c) - 1, -1, -1):
            bend = bend * x + slope
            slope = slope * x + value
            value = value * x + (c[i] if i > 0 else 0.0)
        rest = target - value
        if rest < 0.0:
            high = x
        else:
            low = x
        step = rest * slope / (slope * slope + rest * bend)
        if abs(step) <= _SETTLED * abs(x):
            return min(max(x + step, low), high)
        x = x + step if low < x + step < high else 0.5 * (low + high)
    return x


def _set_spring_efforts(motors, parameters, stiffness, deflections, work, out):
    """
    Set the effort (m,) of the spring of each motor; rigid joints keep theirs.

    Columns of `motors` (m, 3): law, index of its parameters, whether it is the second of a pair.
    """
    for i in range(len(out)):
        law, first, phi = motors[i, 0], motors[i, 1], deflections[0, i]
        if law >= PAIR_EXPONENTIAL:
            out[i] = pair_effort(law, parameters, first, motors[i, 2] == 1, phi, work)
        elif law != RIGID:
            rate = deflections[1, i]
            out[i] = spring_effort(law, parameters, first, stiffness[i], phi, rate, work)


set_spring_efforts = Kernel(
    _set_spring_efforts,
    f'void({read_only(2, "int64")}, {read_only(1)}, {read_only(1)}, {read_only(2)}, '
    'float64[::1], float64[::1])',
)

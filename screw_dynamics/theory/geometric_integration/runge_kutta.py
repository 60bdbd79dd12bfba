# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Runge-Kutta methods by their Butcher tableaux, explicit and implicit, for any scalars."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from screw_dynamics.errors import InputError, SimulationError
from screw_dynamics.lie.scalars import Scalar, ScalarArray

# the stages of an implicit method are found by iteration
_MOST_ITERATIONS = 100
# below this part of the slopes, changes that no longer shrink are rounding errors
_ROUNDING = 1e-8


@dataclass(frozen=True)
class Tableau:
    """A Runge-Kutta method of s stages: a (s, s) and b (s,) of fractions."""

    a: tuple[tuple[Fraction, ...], ...]
    b: tuple[Fraction, ...]
    order: int

    @property
    def c(self) -> tuple[Fraction, ...]:
        """Times of the stages, the sums of the rows of a."""
        return tuple(sum(row, Fraction(0)) for row in self.a)

    @property
    def is_explicit(self) -> bool:
        """True if each stage depends on those before it only."""
        return not any(any(row[i:]) for i, row in enumerate(self.a))


def tableau(order: int, b: str, *a: str) -> Tableau:
    """
    Return the method with weights b and rows a, fractions in text separated by spaces.

    Zeros at the end of a row may be omitted. InputError names a wrong number of rows or entries.

    Examples
    --------
    >>> from screw_dynamics.theory.geometric_integration.runge_kutta import tableau
    >>> HEUN = tableau(2, '1/2 1/2', '', '1')
    >>> HEUN.c
    (Fraction(0, 1), Fraction(1, 1))
    """
    weights = tuple(map(Fraction, b.split()))
    rows = [tuple(map(Fraction, row.split())) for row in a]
    s = len(weights)
    if len(rows) != s or any(len(row) > s for row in rows):
        raise InputError(
            f'a: expected {s} rows of at most {s} entries, got {[len(row) for row in rows]}'
        )
    padded = tuple(row + (Fraction(0),) * (s - len(row)) for row in rows)
    return Tableau(padded, weights, order)


EULER = tableau(1, '1', '')
EXPLICIT_MIDPOINT = tableau(2, '0 1', '', '1/2')
KUTTA = tableau(3, '1/6 2/3 1/6', '', '1/2', '-1 2')
CLASSICAL = tableau(4, '1/6 1/3 1/3 1/6', '', '1/2', '0 1/2', '0 0 1')
DORMAND_PRINCE = tableau(
    5,
    '35/384 0 500/1113 125/192 -2187/6784 11/84',
    '',
    '1/5',
    '3/40 9/40',
    '44/45 -56/15 32/9',
    '19372/6561 -25360/2187 64448/6561 -212/729',
    '9017/3168 -355/33 46732/5247 49/176 -5103/18656',
)
IMPLICIT_MIDPOINT = tableau(2, '1', '1/2')


def increment(
    method: Tableau, slope: Callable[[Scalar, ScalarArray], ScalarArray], h: Scalar, size: int
) -> ScalarArray:
    """
    Return the increment (size,) of one step of length h that begins at zero.

    ``slope(time, x)`` -> (size,) is the derivative of x; times begin at 0. SimulationError is
    raised if the stages of an implicit method do not converge: the step is too long.
    """
    slopes: list[ScalarArray] = []
    for row, c in zip(method.a, method.c, strict=True):
        slopes.append(slope(_times(h, c), _combined(row, slopes, h, size)))
    if not method.is_explicit:
        slopes = _implicit_slopes(method, slope, h, slopes)
    return _combined(method.b, slopes, h, size)


def _implicit_slopes(
    method: Tableau,
    slope: Callable[[Scalar, ScalarArray], ScalarArray],
    h: Scalar,
    slopes: list[ScalarArray],
) -> list[ScalarArray]:
    """Return the slopes of all stages, iterated until only rounding errors change them."""
    size, before = len(slopes[0]), None
    for _ in range(_MOST_ITERATIONS):
        rows = zip(method.c, method.a, strict=True)
        again = [slope(_times(h, c), _combined(row, slopes, h, size)) for c, row in rows]
        change, scale = abs(np.subtract(again, slopes)).max(), abs(np.array(again)).max()
        slopes = again
        if change <= _ROUNDING * scale and (change == 0 or (before and change >= before)):
            return slopes
        before = change
    raise SimulationError(
        f'h: expected a step at which the implicit stages converge, got {float(h):g} s'
    )


def _times(h: Scalar, fraction: Fraction) -> Scalar:
    """Return h times a fraction, rounded as the scalars are."""
    return h * fraction.numerator / fraction.denominator


def _combined(
    weights: tuple[Fraction, ...], slopes: list[ScalarArray], h: Scalar, size: int
) -> ScalarArray:
    """Return h times the weighted sum of the slopes known so far, (size,)."""
    total: ScalarArray = np.full(size, 0 * h)
    for weight, slope in zip(weights, slopes, strict=False):
        if weight:
            total = total + _times(h, weight) * slope
    return total

# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
SymPy expressions of polynomials in sines and cosines: sums over sums of angles, or products.

Both forms are unique, so that the shorter one needs no search: cos(q_1 + q_2) for parallel axes,
products of sines and cosines for others.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import comb
from typing import Any

import sympy

from screw_dynamics.lie.scalars import ScalarArray
from screw_dynamics.symbolic.angle_polynomials import AnglePolynomial, AngleRing

# (exponents of the symbols, multiples of the angles, True for a sine): coefficient
_Sum = dict[tuple[tuple[int, ...], tuple[int, ...], bool], Any]


def expressions(ring: AngleRing, entries: Sequence[Any]) -> list[sympy.Expr]:
    """Return expressions of scalars, all as sums over sums of angles or all as products."""
    polynomials = [
        entry.polynomial if isinstance(entry, AnglePolynomial) else ring.polynomial(
            sympy.sympify(entry)
        )
        for entry in entries
    ]  # fmt: skip
    most = sum(map(len, polynomials))
    sums: list[_Sum] = []
    for polynomial in polynomials:
        sums.append(_sum_over_angles(ring, polynomial, most))
        most -= len(sums[-1])
        if most < 0:
            return [_common_factor(ring, p, ring.expression) for p in polynomials]
    return [_of_sum(ring, terms) for terms in sums]


def matrix(ring: AngleRing, entries: ScalarArray) -> sympy.Matrix:
    """Return a matrix of the expressions of an array of one or two dimensions."""
    rows = len(entries)
    flat = expressions(ring, list(entries.ravel()))
    return sympy.Matrix(rows, len(flat) // rows, flat)


def _sum_over_angles(ring: AngleRing, polynomial: Any, most: int) -> _Sum:
    """Return a polynomial in cosines and sines of sums; it stops beyond a number of terms."""
    result: _Sum = {}
    first = len(ring.generators) - 2 * len(ring.angles)
    for monomial, coefficient in polynomial.terms():
        symbols, powers = monomial[:first], monomial[first:]
        sines = sum(powers[::2])
        waves: dict[tuple[int, ...], Any] = {(): coefficient}
        for sine, cosine in zip(powers[::2], powers[1::2], strict=True):
            factors = _waves(sine, cosine)
            waves = {
                (*turns, k): c * factor
                for turns, c in waves.items()
                for k, factor in factors.items()
            }
        # each sine is 1 / i of exponentials; what remains of the product is real
        sign = -1 if sines % 4 in (2, 3) else 1
        odd = bool(sines % 2)
        for turns, c in waves.items():
            leading = next((k for k in turns if k), 0)
            if odd and not leading:
                continue
            if leading < 0:
                turns, c = tuple(-k for k in turns), -c if odd else c
            key = symbols, turns, odd
            total = result.get(key, 0) + sign * c
            if total:
                result[key] = total
            else:
                result.pop(key, None)
        if len(result) > 4 * most + 64:  # cancellation would have to remove most of them
            break
    return result


def _waves(sine: int, cosine: int) -> dict[int, Any]:
    """Return the coefficients of exp(i k x) in cos(x)^c (i sin(x))^s, s = 0 or 1."""
    result: dict[int, Any] = {}
    scale = sympy.QQ(1, 2 ** (cosine + sine))
    for j in range(cosine + 1):
        k = cosine - 2 * j
        for shift, sign in ((1, 1), (-1, -1)) if sine else ((0, 1),):
            result[k + shift] = result.get(k + shift, 0) + sign * comb(cosine, j) * scale
    return {k: c for k, c in result.items() if c}


def _of_sum(ring: AngleRing, terms: _Sum) -> sympy.Expr:
    first = len(ring.generators) - 2 * len(ring.angles)
    shared = tuple(min((symbols[k] for symbols, _, _ in terms), default=0) for k in range(first))
    by_wave: dict[Any, list[sympy.Expr]] = {}
    for (symbols, turns, odd), coefficient in terms.items():
        rest = [power - least for power, least in zip(symbols, shared, strict=True)]
        factor = sympy.Mul(_number(coefficient), _powers(ring, rest))
        by_wave.setdefault((turns, odd), []).append(factor)
    sums = []
    for (turns, odd), factors in by_wave.items():
        angle = sympy.Add(
            *(k * entry.argument for k, entry in zip(turns, ring.angles, strict=True))
        )
        wave = sympy.sin(angle) if odd else sympy.cos(angle)
        sums += [factor * wave for factor in factors]
    return sympy.Mul(_powers(ring, shared), sympy.Add(*sums))


def _common_factor(ring: AngleRing, polynomial: Any, show: Any) -> sympy.Expr:
    """Return a polynomial with the symbols that all terms have in front."""
    first = len(ring.generators) - 2 * len(ring.angles)
    shared = [
        min((monomial[k] for monomial in polynomial), default=0) if k < first else 0
        for k in range(len(ring.generators))
    ]
    if not any(shared):
        return show(polynomial)
    rest = ring.ring.from_dict(
        {
            tuple(power - least for power, least in zip(monomial, shared, strict=True)): c
            for monomial, c in polynomial.terms()
        }
    )
    return sympy.Mul(_powers(ring, shared[:first]), show(rest))


def _powers(ring: AngleRing, powers: Sequence[int]) -> sympy.Expr:
    return sympy.Mul(*(base**power for base, power in zip(ring.shown, powers, strict=False)))


def _number(coefficient: Any) -> sympy.Rational:
    return sympy.Rational(int(coefficient.numerator), int(coefficient.denominator))

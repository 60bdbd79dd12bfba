# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Scalars for expressions of robots: polynomials in normal form, with sines and cosines of angles.

Generators are symbols (joint motion, parameters), the sine and cosine of one angle per coordinate
that turns something, and square roots. The rules sin^2 = 1 - cos^2 and sqrt(p)^2 = p are applied
in every product: equal expressions are equal polynomials, and 0 is recognised.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import sympy
from sympy.polys.rings import ring

from screw_dynamics.errors import InputError

_PAIRS = 64  # pairs of terms that are multiplied, per term of the largest result
_MOST_TURNS = 12  # a multiple of an angle above this has a sine and a cosine of its own


class Limits(NamedTuple):
    """Bounds of the work: terms of a polynomial, and the end of the time."""

    terms: int
    seconds: float
    end: float

    def check(self, terms: int) -> None:
        """Raise InputError if a product would have too many terms, or the time is over."""
        if terms > self.terms:
            raise InputError(
                f'expressions: expected at most {self.terms} terms in one, got up to {terms}: '
                'fewer joints, a lower order, more numbers instead of symbols, or a higher '
                'most_terms'
            )
        if time.monotonic() > self.end:
            raise InputError(
                f'expressions: expected to be done in {self.seconds:g} s, they are not: fewer '
                'joints, a lower order, more numbers instead of symbols, or a longer time'
            )


class Angle(NamedTuple):
    """Generators of the sine and cosine of a number times a coordinate, or of a constant."""

    argument: sympy.Expr
    sine: int
    cosine: int


class AngleRing:
    """
    The ring of the expressions of a robot.

    Parameters
    ----------
    symbols : iterable of sympy.Symbol
        Joint motion and parameters.
    angles : iterable of sympy.Expr
        Arguments of the generating sines and cosines.
    constants : iterable of sympy.Expr
        Numbers of the robot; their square roots become generators.
    """

    def __init__(
        self,
        symbols: Iterable[sympy.Symbol],
        angles: Iterable[sympy.Expr],
        constants: Iterable[sympy.Expr],
        limits: Limits,
    ) -> None:
        self.symbols, arguments = list(symbols), list(angles)
        self.limits = limits
        primes = sorted({p for number in constants for p in _primes(number)})
        self.roots = {sympy.sqrt(p): sympy.Dummy(f'sqrt{p}') for p in primes}
        pairs = [(sympy.Dummy('s'), sympy.Dummy('c')) for _ in arguments]
        self.generators = [*self.symbols, sympy.pi, *self.roots.values()]
        first = len(self.generators)
        self.generators += [generator for pair in pairs for generator in pair]
        self.ring = ring(self.generators, sympy.QQ)[0]
        self.angles = [
            Angle(argument, first + 2 * k, first + 2 * k + 1)
            for k, argument in enumerate(arguments)
        ]
        # generators as they appear in expressions
        self.shown = [*self.symbols, sympy.pi, *self.roots]
        for argument in arguments:
            self.shown += [sympy.sin(argument), sympy.cos(argument)]
        gens, one = self.ring.gens, self.ring.one
        self._rules = [
            (self.generators.index(root), p * one)
            for root, p in zip(self.roots.values(), primes, strict=True)
        ]
        self._rules += [(a.sine, one - gens[a.cosine] ** 2) for a in self.angles]
        self._turned: dict[Any, tuple[Any, Any]] = {}

    def scalar(self, expression: Any) -> Any:
        """Return a number 0 or 1 as int, any other expression as AnglePolynomial."""
        expression = sympy.expand(sympy.sympify(expression))
        if expression in (0, 1):
            return int(expression)
        return AnglePolynomial(self, self.polynomial(expression))

    def polynomial(self, expression: sympy.Expr) -> Any:
        """Return a polynomial of the symbols, pi and square roots."""
        known = {
            power: _root(power, self.roots)
            for power in expression.atoms(sympy.Pow)
            if power.base.is_Integer and power.exp.is_Rational and not power.exp.is_Integer
        }
        return self.ring.from_expr(sympy.expand(expression.xreplace(known)))

    def expression(self, polynomial: Any) -> sympy.Expr:
        """Return a polynomial as the sum of its terms."""
        return polynomial.as_expr(*self.shown)

    def product(self, one: Any, other: Any) -> Any:
        """Return the product of two polynomials in normal form."""
        self.limits.check(len(one) * len(other) // _PAIRS)
        return self.reduced(one * other)

    def reduced(self, polynomial: Any) -> Any:
        """Return a polynomial in normal form."""
        for index, square in self._rules:
            if not any(monomial[index] > 1 for monomial in polynomial):
                continue
            parts: dict[int, dict[Any, Any]] = {}
            for monomial, coefficient in polynomial.terms():
                half, odd = divmod(monomial[index], 2)
                rest = (*monomial[:index], odd, *monomial[index + 1 :])
                parts.setdefault(half, {})[rest] = coefficient
            polynomial = sum(
                (self.ring.from_dict(part) * square**half for half, part in parts.items()),
                self.ring.zero,
            )
        self.limits.check(len(polynomial))
        return polynomial

    def cosine_and_sine(self, argument: Any) -> tuple[Any, Any]:
        """Return polynomials of the cosine and sine of a sum of multiples of coordinates."""
        if argument not in self._turned:
            total = self.ring.one, self.ring.zero
            for part in _summands(self.expression(argument)):
                total = self._turn(total, self._multiple(part))
            self._turned[argument] = total
        return self._turned[argument]

    def _multiple(self, argument: sympy.Expr) -> tuple[Any, Any]:
        """Return the cosine and sine of a number times the argument of an angle, or a number."""
        if not argument.free_symbols:
            cosine, sine = sympy.cos(argument), sympy.sin(argument)
            if not (cosine.has(sympy.cos) or sine.has(sympy.sin)):
                return self.polynomial(cosine), self.polynomial(sine)
        for angle in self.angles:
            ratio = argument / angle.argument
            if ratio.is_Integer and abs(ratio) <= _MOST_TURNS:
                once = self.ring.gens[angle.cosine], self.ring.gens[angle.sine]
                if ratio < 0:
                    once = once[0], -once[1]
                total = self.ring.one, self.ring.zero
                for _ in range(abs(int(ratio))):
                    total = self._turn(total, once)
                return total
        raise InputError(f'expressions: expected an angle of the robot, got {argument}')

    def _turn(self, one: tuple[Any, Any], other: tuple[Any, Any]) -> tuple[Any, Any]:
        (c1, s1), (c2, s2) = one, other
        return (
            self.reduced(c1 * c2) - self.reduced(s1 * s2),
            self.reduced(s1 * c2) + self.reduced(c1 * s2),
        )


class AnglePolynomial:
    """An element of an `AngleRing`, with the arithmetic that `lie` and `theory` use."""

    __slots__ = ('polynomial', 'ring')

    def __init__(self, ring_of: AngleRing, polynomial: Any) -> None:
        self.ring, self.polynomial = ring_of, polynomial

    def __add__(self, other: Any) -> Any:
        """Add a scalar or number."""
        if isinstance(other, np.ndarray):
            return NotImplemented
        if not isinstance(other, AnglePolynomial) and other == 0:
            return self
        return AnglePolynomial(self.ring, self.polynomial + self._other(other))

    __radd__ = __add__

    def __mul__(self, other: Any) -> Any:
        """Multiply by a scalar or number; the product is in normal form."""
        if isinstance(other, np.ndarray):
            return NotImplemented
        if isinstance(other, AnglePolynomial):
            return AnglePolynomial(self.ring, self.ring.product(self.polynomial, other.polynomial))
        if other == 0:
            return 0
        return AnglePolynomial(self.ring, self.polynomial * self._other(other))

    __rmul__ = __mul__

    def __neg__(self) -> AnglePolynomial:
        """Change the sign."""
        return AnglePolynomial(self.ring, -self.polynomial)

    def __sub__(self, other: Any) -> Any:
        """Subtract a scalar or number."""
        return NotImplemented if isinstance(other, np.ndarray) else self + -other

    def __rsub__(self, other: Any) -> Any:
        """Subtract from a scalar or number."""
        return NotImplemented if isinstance(other, np.ndarray) else -self + other

    def __truediv__(self, number: Any) -> Any:
        """Divide by a number."""
        if isinstance(number, np.ndarray | AnglePolynomial):
            return NotImplemented
        return self * (1 / Fraction(number))

    def __pow__(self, exponent: int) -> Any:
        """Return a power with a whole exponent of 0 or more."""
        result: Any = 1
        for _ in range(exponent):
            result = self * result
        return result

    def __bool__(self) -> bool:
        """Return whether the scalar is not identically 0."""
        return bool(self.polynomial)

    def __eq__(self, other: object) -> bool:
        """Return whether the scalars are identical."""
        return bool(self.polynomial == self._other(other))

    def __hash__(self) -> int:
        """Return a hash of the polynomial."""
        return hash(self.polynomial)

    def cos(self) -> AnglePolynomial:
        """Return the cosine."""
        return AnglePolynomial(self.ring, self.ring.cosine_and_sine(self.polynomial)[0])

    def sin(self) -> AnglePolynomial:
        """Return the sine."""
        return AnglePolynomial(self.ring, self.ring.cosine_and_sine(self.polynomial)[1])

    def _other(self, other: Any) -> Any:
        if isinstance(other, AnglePolynomial):
            return other.polynomial
        number = Fraction(other)  # of floats too, exactly
        return self.ring.ring.ground_new(sympy.QQ(number.numerator, number.denominator))


def generating_angles(
    multiples: Mapping[sympy.Symbol, Iterable[sympy.Expr]], offsets: Iterable[sympy.Expr]
) -> list[sympy.Expr]:
    """
    Return arguments of which the angles of all joints are whole multiples or sums.

    `multiples` are the factors of the coordinates that turn something; a coordinate has one
    argument if all are small multiples of it. Numbers whose sine is not a square root have their
    own.
    """
    angles = []
    for coordinate, factors in multiples.items():
        sizes = sorted({sympy.Abs(factor) for factor in factors if factor != 0})
        if not sizes:
            continue
        rational = all(size.is_Rational for size in sizes)
        base = sympy.gcd_list(sizes) if rational else None
        if base and sizes[-1] / base <= _MOST_TURNS:
            sizes = [base]
        angles += [size * coordinate for size in sizes]
    for offset in sorted({sympy.Abs(offset) for offset in offsets if offset != 0}):
        if sympy.cos(offset).has(sympy.cos) or sympy.sin(offset).has(sympy.sin):
            angles.append(offset)
    return angles


def _summands(expression: sympy.Expr) -> list[sympy.Expr]:
    """Return number times coordinate for each coordinate of a sum, and the constant rest."""
    terms = sympy.Add.make_args(expression)
    parts = [term for term in terms if term.free_symbols]
    rest = sympy.Add(*(term for term in terms if not term.free_symbols))
    return [*parts, rest] if rest != 0 else parts


def _primes(number: sympy.Expr) -> set[int]:
    """Return the primes whose square roots a number contains."""
    found: set[int] = set()
    for power in sympy.sympify(number).atoms(sympy.Pow):
        if power.base.is_Integer and power.exp.is_Rational and not power.exp.is_Integer:
            found |= set(sympy.factorint(power.base))
    return found


def _root(power: sympy.Pow, roots: Mapping[sympy.Expr, sympy.Symbol]) -> sympy.Expr:
    """Return n^(k/2) as whole powers of generators."""
    result = sympy.Integer(1)
    for prime, exponent in sympy.factorint(power.base).items():
        whole, half = divmod(exponent * power.exp.p, 2)
        result *= sympy.Integer(prime) ** whole * roots[sympy.sqrt(prime)] ** half
    return result

# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Values of the translation: known ones are Python objects, others are expressions in C.

Known numbers, tuples and functions stand for themselves. A `Size` is a known number of bodies or
coordinates: loops over it stay loops.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

# a known Python object, or one of the classes of this file
Value: TypeAlias = Any

NAME, PRODUCT, SUM, COMPARISON = 3, 2, 1, 0  # how tightly the operators of a text bind


class TranslationError(Exception):
    """A kernel uses Python that the translator does not know; a bug of this room."""


class Size(int):
    """A known number of bodies or coordinates."""

    def __add__(self, other: int) -> Size:
        """Return a size."""
        return Size(int(self) + other)

    def __sub__(self, other: int) -> Size:
        """Return a size."""
        return Size(int(self) - other)

    def __mul__(self, other: int) -> Size:
        """Return a size."""
        return Size(int(self) * other)

    __radd__, __rmul__ = __add__, __mul__


@dataclass(frozen=True)
class Number:
    """A double or a truth value, computed at run time."""

    text: str
    level: int = NAME
    ctype: str = 'double'

    def within(self, level: int) -> str:
        """Return the text as an operand of an operator that binds as tightly as `level`."""
        return self.text if self.level >= level else f'({self.text})'


@dataclass(frozen=True)
class Integer:
    """
    An integer computed at run time: ``constant + sum of factor * name``.

    `choices` are all values that it can have, if they are known.
    """

    constant: int
    terms: tuple[tuple[str, int], ...]
    choices: frozenset[int] | None = None

    @property
    def text(self) -> str:
        """The expression in C."""
        parts = [name if factor == 1 else f'{factor} * {name}' for name, factor in self.terms]
        text = ' + '.join(parts).replace('+ -', '- ')
        if self.constant:
            text += f' {"-" if self.constant < 0 else "+"} {abs(self.constant)}'
        return text

    @property
    def level(self) -> int:
        """How tightly the text binds."""
        (_, factor), *others = self.terms
        return SUM if others or self.constant else (NAME if factor == 1 else PRODUCT)

    def within(self, level: int) -> str:
        """Return the text as an operand of an operator that binds as tightly as `level`."""
        return self.text if self.level >= level else f'({self.text})'


def named(name: str, choices: frozenset[int] | None = None) -> Integer:
    """Return the integer of a C variable."""
    return Integer(0, ((name, 1),), choices)


def linear(constant: int, terms: dict[str, int]) -> int | Integer:
    """Return a linear expression, a known number if all terms vanish."""
    left = tuple((name, factor) for name, factor in terms.items() if factor)
    return Integer(constant, left) if left else constant


@dataclass(frozen=True)
class View:
    """
    A part of an array: element (i, j, ...) is ``root[offset + stride_0 i + stride_1 j + ...]``.

    Without `dims` the part is a run of rows without end. The content of a table of the robot is
    `data`: an array whose first `unknown` axes belong to indices known at run time only, or with
    `row` the flat table, whose rows of this length begin after `header` numbers.
    """

    root: str
    offset: int | Integer = 0
    dims: tuple[tuple[Value, Value], ...] | None = None
    data: NDArray[Any] | None = None
    unknown: int = 0
    header: int = 0
    row: int = 0
    ctype: str = 'double'
    counts: tuple[int, ...] = ()  # places of sizes in the header

    def content(self, index: Value, ranges: Mapping[str, range]) -> Value:
        """
        Return the known content of a run of rows at an index, its choices, or None.

        `ranges` are those of integers in C.
        """
        if self.data is None or not self.row:
            return None
        if isinstance(index, int):
            number = float(self.data[index])
            return Size(int(number)) if index in self.counts else number
        along = self.along(index, ranges)
        if along is not None:
            return known(along)
        if all(factor % self.row == 0 for _, factor in index.terms):
            column = (index.constant - self.header) % self.row
            return known(self.data[self.header + column :: self.row])
        return None

    def along(self, index: Integer, ranges: Mapping[str, range]) -> NDArray[Any] | None:
        """Return the numbers of a column at the rows of a loop, None if it is not one."""
        (name, factor), *others = index.terms
        if self.data is None or others or factor != self.row or name not in ranges:
            return None
        return self.data[[index.constant + self.row * k for k in ranges[name]]]

    def moved(self, offset: Value) -> View:
        """Return the view with another offset."""
        return replace(self, offset=offset)


def known(numbers: NDArray[Any]) -> Value:
    """Return the only number of an array, else the set of its numbers."""
    different = frozenset(numbers.ravel().tolist())
    return next(iter(different)) if len(different) == 1 else different


def is_known(value: Value) -> bool:
    """Return whether a value is a known number, or anything else known when translating."""
    if isinstance(value, tuple):
        return all(map(is_known, value))
    return not isinstance(value, (Number, Integer, View))


def literal(value: Value) -> str:
    """Return a known number in C."""
    if isinstance(value, bool):
        return '1' if value else '0'
    if isinstance(value, int):
        return str(int(value))
    if np.isnan(value):
        return '(double)NAN'
    if np.isinf(value):
        return 'HUGE_VAL' if value > 0.0 else '-HUGE_VAL'
    return repr(float(value))


def text_of(value: Value, level: int = SUM, ctype: str | None = None) -> str:
    """Return a value in C as an operand; a conversion is written to get the type."""
    if isinstance(value, (Number, Integer)):
        if ctype == 'double' and isinstance(value, Integer):
            return f'(double){value.within(NAME)}'
        return value.within(level)
    if not isinstance(value, (int, float, np.integer, np.floating)):
        raise TranslationError(f'{value!r} is not a number')
    if ctype == 'double':
        value = float(value)
    text = literal(value)
    return f'({text})' if text.startswith('-') and level > SUM else text


def type_of(value: Value) -> str:
    """Return the type of a value in C."""
    if isinstance(value, Number):
        return value.ctype
    if isinstance(value, bool):
        return 'bool'
    if isinstance(value, Integer) or (isinstance(value, (int, np.integer))):
        return 'int'
    return 'double'

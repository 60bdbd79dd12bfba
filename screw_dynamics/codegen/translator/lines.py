# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Values in C and the lines of a function that compute them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from screw_dynamics.codegen.translator.types import (
    BOOLEAN,
    DOUBLE,
    INTEGER,
    LANES,
    NATURAL,
    ArrayType,
    Known,
    OneOf,
    Pointer,
    Scalar,
    TranslationError,
    TupleType,
    Type,
    c_name,
    has_value,
    in_c,
    is_boolean,
    is_number,
    is_real,
)


@dataclass(frozen=True)
class Value:
    """An expression in C and its type."""

    text: str
    kind: Type


@dataclass(frozen=True)
class Elementwise(Value):
    """An array that is not stored: `item(indices)` is the value of an item, of type `kind`."""

    shape: list[Value]
    item: Callable[[list[str]], Value]


def known(value: Any) -> Value:
    """Return a value that is known, a real number as one of C."""
    if isinstance(value, float):
        value = float(value)  # numpy's has another text
        if value != value:
            return Value('NAN', DOUBLE)
        if value in (float('inf'), -float('inf')):
            return Value('INFINITY' if value > 0.0 else '(-INFINITY)', DOUBLE)
        return Value(_literal(value), DOUBLE)
    if isinstance(value, tuple):
        return tuple_of([known(part) for part in value])
    if type(value) is bool:
        return Value(str(int(value)), Known(value))
    if isinstance(value, int):
        return Value(_literal(value), Known(value))
    return Value('', Known(value))


def known_number(value: Any) -> Value:
    """Return a value that is known, a real number, too, unless it is not finite."""
    if isinstance(value, float) and np.isfinite(value):
        return Value(_literal(float(value)), Known(float(value)))
    return known(value)


def one_of(values: set[Any], other: Value) -> Value:
    """Return a number in C that is one of some, which may be none; `other` is its text."""
    if len(values) == 1:
        return known_number(values.pop())
    if not values or not all(float(one).is_integer() for one in values):
        return other
    item = other.kind
    if item == INTEGER and min(values) >= 0:
        item = NATURAL
    assert isinstance(item, Scalar)
    return Value(other.text, OneOf(item, frozenset(values)))


def integers_of(value: Value) -> set[int] | None:
    """Return what an integer can be, None if that is not known."""
    if not is_number(value.kind):
        return None
    if isinstance(value.kind, OneOf):
        return {*value.kind.values}
    return {value.kind.value} if isinstance(value.kind, Known) else None


def _literal(value: float) -> str:
    return repr(value) if value >= 0 else f'({value!r})'


def tuple_of(parts: Sequence[Value], record: Any = None) -> Value:
    """Return a tuple."""
    kind = TupleType(tuple(part.kind for part in parts), record)
    texts = [part.text for part in parts if has_value(part.kind)]
    return Value(f'({c_name(kind)}){{{", ".join(texts)}}}', kind)


class Lines:
    """
    Lines of a function, names of temporary variables, the number of allocations.

    For one robot, `unroll` is the length up to which loops are repeated, arrays are on the stack
    (`arrays` are their declarations), and known real numbers are folded; for any, it is None.
    """

    def __init__(self, unroll: int | None = None) -> None:
        self.unroll = unroll
        self.lines: list[str] = []
        self.arrays: list[str] = []
        self.allocations = 0
        self._count = 0

    @property
    def one_robot(self) -> bool:
        """Return whether the lines are for one robot."""
        return self.unroll is not None

    def known(self, value: Any) -> Value:
        """Return a value that is known."""
        return known_number(value) if self.one_robot else known(value)

    def emit(self, text: str) -> None:
        """Add a line."""
        self.lines.append(text)

    def name(self) -> str:
        """Return a new name."""
        self._count += 1
        return f't{self._count}'

    @contextmanager
    def block(self, head: str) -> Iterator[None]:
        """Put the lines of a ``with`` block into a block of C."""
        self.emit(f'{head} {{')
        yield
        self.emit('}')

    @contextmanager
    def aside(self) -> Iterator[list[str]]:
        """Collect the lines of a ``with`` block elsewhere."""
        kept, self.lines = self.lines, []
        try:
            yield self.lines
        finally:
            self.lines = kept

    def bound(self, value: Value) -> Value:
        """Return a value as the name of a variable, unless it is one or known."""
        if not has_value(value.kind) or value.text.isidentifier():
            return value
        if isinstance(value.kind, TupleType) and value.kind.record == 'shape':
            return value
        name, kind = self.name(), c_name(value.kind)
        # braces without the type are also C++
        self.emit(f'{kind} {name} = {value.text.removeprefix(f"({kind})")};')
        return Value(name, value.kind)

    def copied(self, value: Value) -> Value:
        """Return a value in a new variable, so that assignments do not change it."""
        fresh = isinstance(value.kind, ArrayType) and not value.text.startswith('v_')
        if fresh or not has_value(value.kind):
            return value
        return self.bound(Value(f'({value.text})', value.kind))

    def set_as(self, value: Value, kind: Type) -> str:
        """Return the text of a value as another type, that of a tuple as a variable."""
        if not isinstance(kind, TupleType):
            return converted(value, kind)
        return self.bound(Value(converted(self.bound(value), kind), kind)).text


def converted(value: Value, kind: Type) -> str:
    """Return the text of a value as another type that holds it."""
    kind, own = in_c(kind), in_c(value.kind)
    if kind == own or isinstance(kind, (ArrayType, Pointer)):
        return value.text
    if isinstance(kind, TupleType) and isinstance(own, TupleType):
        parts = [
            converted(part_of(value, k), part)
            for k, part in enumerate(kind.parts)
            if has_value(part)
        ]
        return f'({c_name(kind)}){{{", ".join(parts)}}}'
    if kind == DOUBLE and not isinstance(own, (ArrayType, TupleType)):
        if isinstance(value.kind, Known):
            return f'{float(value.kind.value)!r}'
        return f'(double){value.text}' if value.text.isidentifier() else f'(double)({value.text})'
    if kind == LANES:
        return f'every_lane({converted(value, DOUBLE)})'
    if kind == BOOLEAN and not is_boolean(own):
        raise TranslationError(f'{value.text} is no truth value')
    return value.text


def part_of(value: Value, index: int) -> Value:
    """Return a part of a tuple."""
    if not isinstance(value.kind, TupleType):
        raise TranslationError(f'{value.text} is no tuple')
    kind = value.kind.parts[index]
    if not has_value(kind):
        return known_number(kind.value) if isinstance(kind, Known) else Value('', kind)
    return Value(f'{value.text}.m{index}', kind)


def condition(value: Value) -> Value:
    """Return a value as a truth value."""
    if is_boolean(value.kind):
        return value
    if isinstance(value.kind, Known):
        return known(bool(value.kind.value))
    if is_real(value.kind) or is_number(value.kind):
        return Value(f'({value.text} != 0)', BOOLEAN)
    raise TranslationError(f'{value.text} is no condition')


def length(text: str) -> Value:
    """Return a length, or another integer that is never negative."""
    return Value(text, NATURAL)

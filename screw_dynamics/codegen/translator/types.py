# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Types of values in translated kernels, and their names in C."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, TypeAlias

from screw_dynamics.codegen.translator.known_numbers import Contents, Places


class TranslationError(Exception):
    """A kernel uses what has no translation."""


@dataclass(frozen=True)
class Known:
    """A value that is known when the kernel is translated: a number, a function, a class."""

    value: Any

    def __eq__(self, other: object) -> bool:
        """Return whether value and type are equal: 1 and True are not."""
        if not isinstance(other, Known) or type(self.value) is not type(other.value):
            return False
        return bool(self.value == other.value)

    def __hash__(self) -> int:
        """Return the hash of value and type."""
        return hash((type(self.value), self.value))


@dataclass(frozen=True)
class Scalar:
    """A number in C."""

    name: str


DOUBLE, INTEGER, BOOLEAN, LANES = map(Scalar, ('double', 'int64_t', 'bool', 'lanes'))
NATURAL = Scalar('natural')
"""An integer that is never negative: its index needs no wrapping."""

ITEMS = {'double': 'f', 'int64_t': 'i', 'bool': 'b'}
"""Letters of the items of arrays in names of types."""


@dataclass(frozen=True)
class OneOf:
    """A number in C, a double or an integer, that is one of some that are known."""

    item: Scalar
    values: frozenset[Any]


@dataclass(frozen=True)
class Pointer:
    """
    A pointer to rows, each a double or one double of several samples.

    `places` are those in a table that is known.
    """

    row: Scalar
    constant: bool = False
    places: Places | None = None


@dataclass(frozen=True)
class ArrayType:
    """
    An array; `packed` if its items are contiguous in C order.

    `shape` has the lengths that are known, and is empty if none is.
    """

    item: Scalar
    ndim: int
    packed: bool = True
    constant: bool = False
    shape: tuple[int | None, ...] = ()
    contents: Contents | None = None


@dataclass(frozen=True)
class TupleType:
    """A tuple; `record` is the class of a named one."""

    parts: tuple[Type, ...]
    record: Any = None


@dataclass(frozen=True)
class NoneType:
    """No value."""


Type: TypeAlias = Known | Scalar | OneOf | Pointer | ArrayType | TupleType | NoneType

NONE = NoneType()


def is_number(kind: Type) -> bool:
    """Return whether a type is that of integers, known ones too."""
    if isinstance(kind, Known):
        return isinstance(kind.value, int) and not isinstance(kind.value, bool)
    return in_c(kind) in (INTEGER, NATURAL)


def is_boolean(kind: Type) -> bool:
    """Return whether a type is that of truth values."""
    return kind == BOOLEAN or (isinstance(kind, Known) and type(kind.value) is bool)


def is_natural(kind: Type) -> bool:
    """Return whether an integer is never negative."""
    return is_number(kind) and in_c(kind) == NATURAL


def is_real(kind: Type) -> bool:
    """Return whether a type is that of real numbers, known ones too."""
    return in_c(kind) == DOUBLE


def in_c(kind: Type) -> Type:
    """Return the type of a value in a variable of C."""
    if isinstance(kind, Known):
        if is_boolean(kind):
            return BOOLEAN
        if is_number(kind):
            return NATURAL if kind.value >= 0 else INTEGER
        if isinstance(kind.value, float):
            return DOUBLE
    if isinstance(kind, OneOf):
        return kind.item
    return kind


def joined(one: Type | None, other: Type) -> Type:
    """Return the type of a variable that holds values of two types."""
    if one is None or one == other:
        return other
    if isinstance(one, TupleType) and isinstance(other, TupleType):
        if len(one.parts) == len(other.parts) and one.record is other.record:
            parts = tuple(map(joined, one.parts, other.parts))
            return TupleType(parts, one.record)
    if isinstance(one, OneOf) and isinstance(other, OneOf) and one.item == other.item:
        return OneOf(one.item, one.values | other.values)
    one, other = in_c(one), in_c(other)
    if one == other:
        return one
    if isinstance(one, Pointer) and isinstance(other, Pointer) and one.row == other.row:
        if one.constant == other.constant:
            return Pointer(one.row, one.constant, _all_places(one.places, other.places))
    if isinstance(one, ArrayType) and isinstance(other, ArrayType):
        if (one.item, one.ndim, one.constant) == (other.item, other.ndim, other.constant):
            shape = one.shape if one.shape == other.shape else ()
            return ArrayType(one.item, one.ndim, False, one.constant, shape)
    order = (BOOLEAN, NATURAL, INTEGER, DOUBLE, LANES)
    if one in order and other in order:
        return max(one, other, key=order.index)
    raise TranslationError(f'one variable holds {one} and {other}')


def _all_places(one: Places | None, other: Places | None) -> Places | None:
    if one is None or other is None or one.numbers != other.numbers:
        return None
    return Places(one.numbers, one.starts | other.starts)


def has_array(kind: Type) -> bool:
    """Return whether a value is or contains an array."""
    if isinstance(kind, TupleType):
        return any(map(has_array, kind.parts))
    return isinstance(kind, ArrayType)


_named: dict[str, Type] = {}


def c_name(kind: Type) -> str:
    """Return the name of a type in C."""
    name = _name(in_c(kind))
    _named[name] = kind
    return name


def _name(kind: Type) -> str:
    if kind == NATURAL:
        return 'int64_t'
    if isinstance(kind, Scalar):
        return kind.name
    if isinstance(kind, Pointer):
        row = 'stored_lanes' if kind.row == LANES else kind.row.name
        return f'const {row} *' if kind.constant else f'{row} *'
    if isinstance(kind, ArrayType):
        return f'array_{"c" * kind.constant}{ITEMS[kind.item.name]}{kind.ndim}'
    if isinstance(kind, TupleType):
        return 'tuple_' + '_'.join(_letters(part) for part in kind.parts)
    if isinstance(kind, NoneType):
        return 'void'
    raise TranslationError(f'{kind} is not a value of C')


def _letters(kind: Type) -> str:
    """Return the type of an item of a tuple for the tuple's name."""
    if isinstance(kind, Known):
        return 'k'
    name = c_name(kind)
    for word, letter in (
        *ITEMS.items(),
        ('const ', 'c'),
        (' *', 'p'),
        ('array_', ''),
        ('tuple', 't'),
    ):
        name = name.replace(word, letter)
    return name


def has_value(kind: Type) -> bool:
    """Return whether a value of this type exists in C, other than one that is known."""
    if isinstance(kind, TupleType):
        return any(map(has_value, kind.parts))
    return not isinstance(kind, (Known, NoneType))


def declarations(text: str) -> list[str]:
    """Return the declarations of the arrays and tuples in a text in C, parts first."""
    made: dict[str, str] = {}

    def declare(kind: Type) -> None:
        name = c_name(kind) if has_value(kind) else ''
        if name in made or not name:
            return
        if isinstance(kind, ArrayType):
            item, n = 'const ' * kind.constant + kind.item.name, kind.ndim
            made[name] = f'typedef struct {{ {item} *p; int64_t n[{n}], s[{n}]; }} {name};'
        if isinstance(kind, TupleType):
            for part in kind.parts:
                declare(part)
            members = ' '.join(
                f'{c_name(part)} m{k};' for k, part in enumerate(kind.parts) if has_value(part)
            )
            made[name] = f'typedef struct {{ {members} }} {name};'

    for name in sorted(set(re.findall(r'\b(?:tuple|array)_\w+', text))):
        declare(_named[name])
    return list(made.values())

# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Functions that kernels call and that C has in another form."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from screw_dynamics.codegen.translator.arrays import (
    allocated,
    elementwise,
    is_array,
    reduced,
    sizes_of,
)
from screw_dynamics.codegen.translator.known_numbers import Places
from screw_dynamics.codegen.translator.lines import (
    Value,
    converted,
    integers_of,
    known,
    length,
    one_of,
)
from screw_dynamics.codegen.translator.types import (
    BOOLEAN,
    DOUBLE,
    INTEGER,
    LANES,
    NONE,
    ArrayType,
    Known,
    OneOf,
    Pointer,
    Scalar,
    TranslationError,
    TupleType,
    Type,
    in_c,
    is_natural,
    is_number,
    joined,
)
from screw_dynamics.kernels import pointers
from screw_dynamics.kernels.bodies import rows

if TYPE_CHECKING:
    from screw_dynamics.codegen.translator.statements import Statements


def _real(name: str) -> Callable[..., Value]:
    """Return the translation of a function of real numbers."""

    def call(body: Statements, *arguments: Value) -> Value:
        if any(is_array(one) for one in arguments):
            return elementwise(body.out, arguments, lambda x: call(body, *x))
        texts = ', '.join(converted(one, DOUBLE) for one in arguments)
        return Value(f'{name}({texts})', DOUBLE)

    return call


def _test(name: str) -> Callable[..., Value]:
    """Return the translation of a property of a real number."""

    def call(body: Statements, one: Value) -> Value:
        return Value(f'(bool){name}({converted(one, DOUBLE)})', BOOLEAN)

    return call


def _absolute(body: Statements, one: Value) -> Value:
    if is_array(one):
        return elementwise(body.out, [one], lambda x: _absolute(body, x[0]))
    if one.kind == LANES:
        return Value(f'magnitudes({one.text})', LANES)
    if isinstance(one.kind, Known):
        return body.out.known(abs(one.kind.value))
    if is_number(one.kind):
        return Value(f'(int64_t)llabs({one.text})', INTEGER)
    return Value(f'fabs({converted(one, DOUBLE)})', DOUBLE)


def _extreme(symbol: str, name: str) -> Callable[..., Value]:
    """Return the translation of min or max, of arguments or of an array."""

    def call(body: Statements, *arguments: Value) -> Value:
        if len(arguments) == 1 and is_array(arguments[0]):
            start = 'INFINITY' if symbol == '<' else '-INFINITY'
            return reduced(
                body.out, arguments[0], start, lambda most, x: f'{name}({x.text}, {most})'
            )
        result = arguments[0]
        for other in arguments[1:]:
            kind = in_c(joined(result.kind, other.kind))
            if isinstance(result.kind, Known) and isinstance(other.kind, Known):
                pick = min if symbol == '<' else max
                result = body.out.known(pick(result.kind.value, other.kind.value))
                continue
            winner = _always(symbol, result, other)
            if winner is not None:
                result = winner
                continue
            if symbol == '>' and (is_natural(result.kind) or is_natural(other.kind)):
                kind = joined(joined(None, INTEGER), kind) if kind == DOUBLE else _natural(kind)
            suffix = '_d' if kind == DOUBLE else '_i'
            a, b = converted(result, kind), converted(other, kind)
            result = Value(f'{name}{suffix}({a}, {b})', kind)
        return result

    return call


def _always(symbol: str, one: Value, other: Value) -> Value | None:
    """Return that of two integers which is never larger, or never smaller, than the other."""
    a, b = integers_of(one), integers_of(other)
    if a is None or b is None:
        return None
    for first, second, value in ((a, b, one), (b, a, other)):
        if max(first) <= min(second) if symbol == '<' else min(first) >= max(second):
            return value
    return None


def _natural(kind: Type) -> Type:
    return length('').kind if is_number(kind) else kind


def _length(body: Statements, one: Value) -> Value:
    if isinstance(one.kind, TupleType):
        return known(len(one.kind.parts))
    return sizes_of(body.out.bound(one))[0]


def _array(zeros: bool) -> Callable[..., Value]:
    def call(body: Statements, shape: Value, kind: Value | None = None) -> Value:
        item = DOUBLE if kind is None else _item(kind)
        if isinstance(shape.kind, TupleType) and shape.kind.record != 'shape':
            shape = body.out.bound(shape)
        return allocated(body.out, item, sizes_of(shape), zeros)

    return call


def _item(kind: Value) -> Scalar:
    assert isinstance(kind.kind, Known)
    name = np.dtype(kind.kind.value).name
    return {'float64': DOUBLE, 'int64': INTEGER, 'bool': BOOLEAN}[name]


def _empty_like(body: Statements, one: Value) -> Value:
    assert isinstance(one.kind, ArrayType)
    return allocated(body.out, one.kind.item, sizes_of(body.out.bound(one)))


def _int(body: Statements, one: Value) -> Value:
    if is_number(one.kind):
        return one
    if isinstance(one.kind, Known):
        return known(int(one.kind.value))
    cut = Value(f'(int64_t)({one.text})', INTEGER)
    return one_of({*map(int, one.kind.values)}, cut) if isinstance(one.kind, OneOf) else cut


def _float(body: Statements, one: Value) -> Value:
    if isinstance(one.kind, Known):
        return body.out.known(float(one.kind.value))
    return Value(converted(one, DOUBLE), DOUBLE)


def _limits(body: Statements, kind: Value) -> Value:
    assert isinstance(kind.kind, Known)
    return Value('', Known(np.finfo(kind.kind.value)))


# rows of a workspace


def _pointer_to(value: Value) -> str:
    return f'{value.text}.p' if isinstance(value.kind, ArrayType) else value.text


def is_constant(value: Value) -> bool:
    """Return whether a pointer or an array is that of numbers that nothing changes."""
    return isinstance(value.kind, (Pointer, ArrayType)) and value.kind.constant


def row_kind(value: Value) -> Scalar:
    """Return the type of a row at a pointer or in an array."""
    if isinstance(value.kind, Pointer):
        return value.kind.row
    if isinstance(value.kind, ArrayType) and value.kind.packed:
        return DOUBLE
    raise TranslationError(f'{value.text} has no rows')


def _row_pointer(body: Statements, start: Value, row: Value) -> Value:
    start = body.out.bound(start)
    places = _places(start)
    if places is not None:
        rows = integers_of(row)
        places = None if rows is None else places.moved(rows)
    kind = Pointer(row_kind(start), is_constant(start), places)
    return Value(f'({_pointer_to(start)} + {row.text})', kind)


def _places(start: Value) -> Places | None:
    return start.kind.places if isinstance(start.kind, Pointer) else None


def _load(body: Statements, start: Value, row: Value) -> Value:
    kind = row_kind(start)
    text = f'{_pointer_to(start)}[{row.text}]'
    item, places = Value(f'((lanes){text})' if kind == LANES else text, kind), _places(start)
    if places is None or not isinstance(row.kind, Known):
        return item
    return one_of(places.choices(row.kind.value), item)


def _store(body: Statements, start: Value, row: Value, value: Value) -> Value:
    kind = row_kind(start)
    body.out.emit(f'{_pointer_to(start)}[{row.text}] = {converted(value, kind)};')
    return Value('', NONE)


CALLS: dict[Any, Callable[..., Value]] = {
    abs: _absolute, np.abs: _absolute, min: _extreme('<', 'least'), max: _extreme('>', 'most'),
    np.min: _extreme('<', 'least_d'), np.max: _extreme('>', 'most_d'),
    len: _length, int: _int, float: _float, np.float64: _float, bool: lambda body, one: one,
    np.empty: _array(False), np.zeros: _array(True), np.empty_like: _empty_like,
    np.finfo: _limits,
    np.isnan: _test('isnan'), np.isfinite: _test('isfinite'), math.isfinite: _test('isfinite'),
    math.isnan: _test('isnan'),
    np.arcsinh: _real('asinh'),
    **{getattr(np, name): _real(name) for name in (
        'cos', 'sin', 'exp', 'expm1', 'log', 'sqrt', 'cbrt', 'sinh', 'cosh', 'tanh', 'floor',
        'hypot',
    )},
    **{getattr(math, name): _real(name) for name in ('cos', 'sin', 'exp', 'sqrt')},
    rows.at: _row_pointer, rows.get: _load, rows.put: _store,
    pointers.row_pointer: _row_pointer, pointers.load_row: _load, pointers.store_row: _store,
}  # fmt: skip
"""Translations by function: each takes the `Statements` and the arguments."""

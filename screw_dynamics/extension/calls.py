# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Functions that kernels call and that C has in another form."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from screw_dynamics.extension.arrays import (
    allocated,
    elementwise,
    is_array,
    reduced,
    sizes_of,
)
from screw_dynamics.extension.lines import Value, converted, known, length
from screw_dynamics.extension.types import (
    BOOLEAN,
    DOUBLE,
    INTEGER,
    LANES,
    NONE,
    ArrayType,
    Known,
    Pointer,
    Scalar,
    TranslationError,
    TupleType,
    Type,
    is_natural,
    is_number,
    joined,
)
from screw_dynamics.kernels.taylor import pointers, rows, sines

if TYPE_CHECKING:
    from screw_dynamics.extension.statements import Statements


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
            kind = joined(joined(None, result.kind), other.kind)
            if isinstance(result.kind, Known) and isinstance(other.kind, Known):
                pick = min if symbol == '<' else max
                result = known(pick(result.kind.value, other.kind.value))
                continue
            if symbol == '>' and (is_natural(result.kind) or is_natural(other.kind)):
                kind = joined(joined(None, INTEGER), kind) if kind == DOUBLE else _natural(kind)
            suffix = '_d' if kind == DOUBLE else '_i'
            a, b = converted(result, kind), converted(other, kind)
            result = Value(f'{name}{suffix}({a}, {b})', kind)
        return result

    return call


def _natural(kind: Type) -> Type:
    return length('').kind if is_number(kind) else kind


def _length(body: Statements, one: Value) -> Value:
    if isinstance(one.kind, TupleType):
        return known(len(one.kind.parts))
    return length(sizes_of(body.out.bound(one))[0])


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
    if isinstance(one.kind, Known):
        return known(int(one.kind.value))
    return Value(f'(int64_t)({one.text})', INTEGER)


def _float(body: Statements, one: Value) -> Value:
    return Value(converted(one, DOUBLE), DOUBLE)


def _limits(body: Statements, kind: Value) -> Value:
    assert isinstance(kind.kind, Known)
    return Value('', Known(np.finfo(kind.kind.value)))


# rows of a workspace


def _pointer_to(value: Value) -> str:
    return f'{value.text}.p' if isinstance(value.kind, ArrayType) else value.text


def _row_of(value: Value) -> Scalar:
    if isinstance(value.kind, Pointer):
        return value.kind.row
    if isinstance(value.kind, ArrayType) and value.kind.packed:
        return DOUBLE
    raise TranslationError(f'{value.text} has no rows')


def _row_pointer(body: Statements, start: Value, row: Value) -> Value:
    start = body.out.bound(start)
    return Value(f'({_pointer_to(start)} + {row.text})', Pointer(_row_of(start)))


def _lanes_pointer(body: Statements, array: Value, row: Value) -> Value:
    array = body.out.bound(array)
    return Value(f'((stored_lanes *){array.text}.p + {row.text})', Pointer(LANES))


def _as_floats(body: Statements, start: Value) -> Value:
    return Value(f'((double *){start.text})', Pointer(DOUBLE))


def _load(body: Statements, start: Value, row: Value) -> Value:
    kind = _row_of(start)
    text = f'{_pointer_to(start)}[{row.text}]'
    return Value(f'((lanes){text})' if kind == LANES else text, kind)


def _store(body: Statements, start: Value, row: Value, value: Value) -> Value:
    kind = _row_of(start)
    body.out.emit(f'{_pointer_to(start)}[{row.text}] = {converted(value, kind)};')
    return Value('', NONE)


def _load_strided(body: Statements, start: Value, offset: Value, stride: Value) -> Value:
    return Value(f'strided({start.text} + {offset.text}, {stride.text})', LANES)


def _store_strided(
    body: Statements, start: Value, offset: Value, stride: Value, vector: Value
) -> Value:
    body.out.emit(f'set_strided({start.text} + {offset.text}, {stride.text}, {vector.text});')
    return Value('', NONE)


def _unless_small(body: Statements, one: Value, bound: Value) -> Value:
    name = 'lanes_unless_small' if one.kind == LANES else 'unless_small'
    return Value(f'{name}({one.text}, {converted(bound, one.kind)})', one.kind)


def _sines(body: Statements, ws: Value, start: Value, count: Value) -> Value:
    width = pointers.SIMD_WIDTH if _row_of(ws) == LANES else 1
    arguments = [
        _as_floats(body, ws),
        length(f'({start.text} * {width})'),
        length(f'({count.text} * {width})'),
    ]
    return body.call(sines.sine_run, arguments)


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
    rows.at: _row_pointer, rows.get: _load, rows.put: _store, rows.sines: _sines,
    rows.absolute: _absolute, rows.unless_small: _unless_small,
    pointers.row_pointer: _row_pointer, pointers.simd_pointer: _lanes_pointer,
    pointers.as_floats: _as_floats, pointers.load_row: _load, pointers.store_row: _store,
    pointers.load_strided: _load_strided, pointers.store_strided: _store_strided,
}  # fmt: skip
"""Translations by function: each takes the `Statements` and the arguments."""

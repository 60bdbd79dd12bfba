# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Functions that kernels call and that have a form of their own in C."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from screw_dynamics.codegen import arithmetic
from screw_dynamics.codegen.expressions import Expressions
from screw_dynamics.codegen.statements import Block, Line, Variable
from screw_dynamics.codegen.values import (
    COMPARISON,
    NAME,
    PRODUCT,
    SUM,
    Integer,
    Number,
    Size,
    TranslationError,
    Value,
    View,
    is_known,
    named,
    text_of,
)
from screw_dynamics.kernels.taylor import rows


def _plus(a: Value, b: Value) -> Value:
    return arithmetic.binary(ast.Add, a, b)


def _at(translator: Expressions, ws: View, row: Value) -> View:
    return ws.moved(_plus(ws.offset, translator.bound(row, 'row')))


def _get(translator: Expressions, ws: View, row: Value) -> Value:
    index = _plus(ws.offset, row)
    content = ws.content(index, translator.ranges)
    if content is not None and not isinstance(content, frozenset):
        return content
    return translator.load(View(ws.root, index))


def _integer(translator: Expressions, ws: View, row: Value) -> Value:
    index = _plus(ws.offset, row)
    content = ws.content(index, translator.ranges)
    if isinstance(content, Size):
        return content
    if content is not None and not isinstance(content, frozenset):
        return int(content)
    choices = None if content is None else frozenset(map(int, content))
    numbers = None if content is None else ws.along(index, translator.ranges)
    if numbers is not None:
        ((name, _),) = index.terms
        rows = translator.ranges[name]
        slope, rest = divmod(int(numbers[1] - numbers[0]), rows.step)
        start = int(numbers[0]) - slope * rows.start
        if not rest and all(start + slope * k == x for k, x in zip(rows, numbers, strict=True)):
            return Integer(start, ((name, slope),), choices)
    return named(f'(int){ws.root}[{text_of(index)}]', choices)


def _put(translator: Expressions, ws: View, row: Value, value: Value) -> None:
    translator.store(ws.moved(_plus(ws.offset, row)), value)


def _sines(translator: Expressions, ws: View, start: Value, count: Value) -> None:
    begin = _plus(ws.offset, start)
    name = translator.new_name('k')
    if is_known(count):
        translator.ranges[name] = range(int(count))
    places = [
        f'{ws.root}[{text_of(_plus(_plus(begin, named(name)), k * count))}]' for k in (0, 1, 2)
    ]
    head = f'for (int {name} = 0; {name} < {text_of(count)}; {name}++)'
    body = [Line(f'{places[k]} = {f}({places[0]});') for k, f in ((1, 'cos'), (2, 'sin'))]
    translator.out.append(Block(head, [*body]))
    translator.forget(ws.root)


def _unless_small(translator: Expressions, value: Value, bound: Value) -> Value:
    value = translator.bound(value, 'value')
    test = arithmetic.comparison(ast.Gt, _absolute(translator, value), bound)
    return arithmetic.chosen(test, value, math.nan)


def _absolute(translator: Expressions, value: Value) -> Value:
    if is_known(value):
        return abs(value)
    if isinstance(value, Integer):
        return named(f'abs({value.text})')
    return Number(f'fabs({value.text})')


def _extreme(smallest: bool) -> Callable[..., Value]:
    def extreme(translator: Expressions, *values: Value) -> Value:
        result = translator.bound(values[0], 'largest')
        for value in values[1:]:
            result = arithmetic.larger(result, translator.bound(value, 'other'), smallest)
        return result

    return extreme


def _length(translator: Expressions, value: Value) -> Value:
    if isinstance(value, View):
        if not value.dims:
            raise TranslationError('length of rows')
        return value.dims[0][0]
    return len(value)


def _as_float(translator: Expressions, value: Value) -> Value:
    if is_known(value):
        return float(value)
    return Number(text_of(value, NAME, 'double'), PRODUCT) if isinstance(value, Integer) else value


def _as_int(translator: Expressions, value: Value) -> Value:
    if is_known(value):
        return int(value)
    return value if isinstance(value, Integer) else named(f'(int){value.within(NAME)}')


def _is_nan(translator: Expressions, value: Value) -> Value:
    if is_known(value):
        return math.isnan(value)
    value = translator.bound(value, 'value')
    return Number(f'{value.text} != {value.text}', COMPARISON, 'bool')


def _array(translator: Expressions, shape: Value, zero: bool = False) -> View:
    sizes = shape if isinstance(shape, tuple) else (shape,)
    if not is_known(sizes):
        raise TranslationError('an array whose size is not known')
    dims, step = [], 1
    for size in reversed(sizes):
        dims.append((size, step))
        step *= int(size)
    name = translator.new_name('work')
    text = '0' if zero else ''
    translator.out.append(Variable(name, 'double', text, constant=False, size=max(step, 1)))
    translator.memory[name] = {}
    return View(name, dims=tuple(reversed(dims)))


def _zeros(translator: Expressions, shape: Value) -> View:
    return _array(translator, shape, zero=True)


def _of_math(name: str, known: Callable[[float], float]) -> Callable[..., Value]:
    def function(translator: Expressions, value: Value) -> Value:
        if is_known(value):
            return float(known(value))
        return Number(f'{name}({text_of(value, SUM, "double")})')

    return function


CALLS: dict[Any, Callable[..., Value]] = {
    rows.at: _at,
    rows.get: _get,
    rows.put: _put,
    rows.integer: _integer,
    rows.sines: _sines,
    rows.absolute: _absolute,
    rows.unless_small: _unless_small,
    abs: _absolute,
    max: _extreme(False),
    min: _extreme(True),
    len: _length,
    float: _as_float,
    int: _as_int,
    np.isnan: _is_nan,
    np.empty: _array,
    np.zeros: _zeros,
}
for _name in ('sin', 'cos', 'sinh', 'cosh', 'tanh', 'exp', 'expm1', 'log', 'sqrt', 'cbrt'):
    CALLS[getattr(np, _name)] = _of_math(_name, getattr(np, _name))
CALLS[np.arcsinh] = _of_math('asinh', np.arcsinh)
for _name in ('sin', 'cos', 'tanh', 'exp', 'log', 'sqrt'):
    CALLS[getattr(math, _name)] = _of_math(_name, getattr(math, _name))

# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Arithmetic of `values`: known numbers are folded, also 0 x, 1 x and x + 0."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable

from screw_dynamics.codegen.values import (
    COMPARISON,
    NAME,
    PRODUCT,
    SUM,
    Integer,
    Number,
    TranslationError,
    Value,
    is_known,
    linear,
    named,
    text_of,
    type_of,
)

_KNOWN: dict[type, Callable[[Value, Value], Value]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}
_SYMBOLS: dict[type, str] = {
    ast.Eq: '==',
    ast.NotEq: '!=',
    ast.Lt: '<',
    ast.LtE: '<=',
    ast.Gt: '>',
    ast.GtE: '>=',
}
_DIVISIONS: dict[type, str] = {ast.Mult: '*', ast.FloorDiv: '/', ast.Mod: '%'}


def binary(operation: type, a: Value, b: Value) -> Value:
    """Return the value of an arithmetic operation."""
    if is_known(a) and is_known(b):
        return _KNOWN[operation](a, b)
    if type_of(a) == type_of(b) == 'int' and operation is not ast.Div:
        return _integers(operation, a, b)
    if operation is ast.Pow:
        if b != 2:
            raise TranslationError('powers other than squares')
        return Number(f'{text_of(a, NAME)} * {text_of(a, NAME)}', PRODUCT)
    return _doubles(operation, a, b)


def _integers(operation: type, a: Value, b: Value) -> Value:
    if operation in (ast.Add, ast.Sub):
        sign = 1 if operation is ast.Add else -1
        constant, terms = _parts(a)
        other, others = _parts(b)
        for name, factor in others.items():
            terms[name] = terms.get(name, 0) + sign * factor
        return linear(constant + sign * other, terms)
    if operation is ast.Mult and (is_known(a) or is_known(b)):
        factor, value = (a, b) if is_known(a) else (b, a)
        constant, terms = _parts(value)
        return linear(int(factor) * constant, {name: int(factor) * f for name, f in terms.items()})
    symbol = _DIVISIONS[operation]
    # names of divisions: the operands are never negative
    return named(f'({text_of(a, PRODUCT)} {symbol} {text_of(b, NAME)})')


def _parts(value: Value) -> tuple[int, dict[str, int]]:
    if isinstance(value, Integer):
        return value.constant, dict(value.terms)
    return int(value), {}


def _doubles(operation: type, a: Value, b: Value) -> Value:
    zero_a, zero_b = _is(a, 0.0), _is(b, 0.0)
    if operation is ast.Mult:
        if zero_a or zero_b:
            return 0.0
        for one, other in ((a, b), (b, a)):
            if _is(one, 1.0):
                return other
            if _is(one, -1.0):
                return negative(other)
        return Number(f'{_operand(a, PRODUCT)} * {_operand(b, NAME)}', PRODUCT)
    if operation is ast.Div:
        if zero_a:
            return 0.0
        return a if _is(b, 1.0) else Number(f'{_operand(a, PRODUCT)} / {_operand(b, NAME)}', 2)
    if operation is ast.Add:
        if zero_a or zero_b:
            return b if zero_a else a
        return Number(f'{_operand(a, SUM)} + {_operand(b, PRODUCT)}', SUM)
    if operation is ast.Sub:
        if zero_a or zero_b:
            return negative(b) if zero_a else a
        return Number(f'{_operand(a, SUM)} - {_operand(b, PRODUCT)}', SUM)
    raise TranslationError(f'{operation.__name__} of doubles')


def _is(value: Value, number: float) -> bool:
    return isinstance(value, (int, float)) and value == number


def _operand(value: Value, level: int) -> str:
    return text_of(value, level, 'double')


def negative(a: Value) -> Value:
    """Return -a."""
    if is_known(a):
        return -a
    if isinstance(a, Integer):
        return _integers(ast.Mult, -1, a)
    return Number(f'-{a.within(NAME)}', SUM)


def comparison(operation: type, a: Value, b: Value) -> Value:
    """Return the truth value of a comparison, known if it is the same for all choices."""
    compare = _KNOWN[operation]
    if is_known(a) and is_known(b):
        return bool(compare(a, b))
    for value, other, swapped in ((a, b, False), (b, a, True)):
        if isinstance(value, Integer) and value.choices and is_known(other):
            results = {compare(other, c) if swapped else compare(c, other) for c in value.choices}
            if len(results) == 1:
                return results.pop()
    both = 'double' if 'double' in (type_of(a), type_of(b)) else 'int'
    left, right = text_of(a, SUM, both), text_of(b, SUM, both)
    return Number(f'{left} {_SYMBOLS[operation]} {right}', COMPARISON, 'bool')


def conjunction(values: list[Value], symbol: str) -> Value:
    """Return ``a && b ...`` or ``a || b ...``."""
    absorbing = symbol == '||'
    left = []
    for value in values:
        if is_known(value):
            if bool(value) is absorbing:
                return absorbing
        else:
            left.append(value)
    if not left:
        return not absorbing
    if len(left) == 1:
        return left[0]
    return Number(f' {symbol} '.join(f'({v.text})' for v in left), COMPARISON, 'bool')


def opposite(value: Value) -> Value:
    """Return ``not value``."""
    return (not value) if is_known(value) else Number(f'!({value.text})', NAME, 'bool')


def larger(a: Value, b: Value, smallest: bool = False) -> Value:
    """Return max(a, b), or min(a, b)."""
    if is_known(a) and is_known(b):
        return min(a, b) if smallest else max(a, b)
    for operation in (ast.LtE, ast.Lt) if smallest else (ast.GtE, ast.Gt):
        test = comparison(operation, a, b)
        if is_known(test):
            return a if test else b
    return chosen(test, a, b)


def chosen(test: Value, a: Value, b: Value) -> Value:
    """Return ``test ? a : b``."""
    if type_of(a) == type_of(b) == 'int':
        return named(f'(({test.text}) ? {text_of(a)} : {text_of(b)})')
    ctype = 'bool' if type_of(a) == type_of(b) == 'bool' else 'double'
    text = f'(({test.text}) ? {text_of(a, SUM, ctype)} : {text_of(b, SUM, ctype)})'
    return Number(text, NAME, ctype)

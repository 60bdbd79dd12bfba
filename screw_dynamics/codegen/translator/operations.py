# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Operations and comparisons of values in C; those of known values are done at once."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from contextlib import suppress
from operator import (
    add,
    and_,
    eq,
    floordiv,
    ge,
    gt,
    le,
    lt,
    mod,
    mul,
    ne,
    or_,
    sub,
    truediv,
)  # fmt: skip
from typing import Any

from screw_dynamics.codegen.translator.arrays import elementwise, is_array
from screw_dynamics.codegen.translator.lines import (
    Lines,
    Value,
    converted,
    integers_of,
    known,
    known_number,
    one_of,
    part_of,
)
from screw_dynamics.codegen.translator.types import (
    BOOLEAN,
    DOUBLE,
    INTEGER,
    LANES,
    NATURAL,
    NONE,
    Known,
    OneOf,
    TranslationError,
    TupleType,
    in_c,
    is_boolean,
    is_natural,
    joined,
)

_SYMBOLS: dict[type, str] = {
    ast.Add: '+', ast.Sub: '-', ast.Mult: '*', ast.Div: '/', ast.BitAnd: '&', ast.BitOr: '|',
    ast.Eq: '==', ast.NotEq: '!=', ast.Lt: '<', ast.LtE: '<=', ast.Gt: '>', ast.GtE: '>=',
    ast.Is: '==', ast.IsNot: '!=',
}  # fmt: skip


_COMPARISONS: dict[str, Callable[[Any, Any], Any]] = {
    '==': eq, '!=': ne, '<': lt, '<=': le, '>': gt, '>=': ge,
}  # fmt: skip
_OPERATIONS: dict[type, Callable[[Any, Any], Any]] = {
    ast.Add: add, ast.Sub: sub, ast.Mult: mul, ast.Div: truediv, ast.FloorDiv: floordiv,
    ast.Mod: mod, ast.Pow: pow, ast.BitAnd: and_, ast.BitOr: or_,
}  # fmt: skip


def operation(out: Lines, operator: ast.operator, left: Value, right: Value) -> Value:
    """Return the value of an operation."""
    if is_array(left) or is_array(right):
        return elementwise(out, [left, right], lambda x: operation(out, operator, x[0], x[1]))
    one, other = left.kind, right.kind
    if isinstance(one, Known) and isinstance(other, Known):
        with suppress(ZeroDivisionError):  # of data that a robot lacks, where nothing computes
            return out.known(_OPERATIONS[type(operator)](one.value, other.value))
    kind = in_c(joined(one, other))
    if isinstance(operator, ast.Pow):
        return _power(out, left, right)
    symbol = _SYMBOLS.get(type(operator), '')
    if kind == LANES:
        return Value(f'({left.text} {symbol} {right.text})', LANES)
    if isinstance(operator, ast.Div) or kind == DOUBLE:
        if not symbol:
            raise TranslationError(f'{ast.dump(operator)} of real numbers')
        folded = _folded(operator, left, right) if out.one_robot else None
        if folded is not None:
            return folded
        a, b = converted(left, DOUBLE), converted(right, DOUBLE)
        return Value(f'({a} {symbol} {b})', DOUBLE)
    if isinstance(operator, (ast.BitAnd, ast.BitOr)) and is_boolean(one) and is_boolean(other):
        return Value(f'({left.text} {symbol} {right.text})', BOOLEAN)
    if isinstance(operator, (ast.FloorDiv, ast.Mod)):
        symbol = '/' if isinstance(operator, ast.FloorDiv) else '%'
        if not (is_natural(one) and is_natural(other)):
            name = 'floor_quotient' if symbol == '/' else 'floor_rest'
            return Value(f'{name}({left.text}, {right.text})', INTEGER)
    grows = isinstance(operator, (ast.Add, ast.Mult, ast.FloorDiv, ast.Mod, ast.BitAnd))
    natural = grows and is_natural(one) and is_natural(other)
    result = Value(f'({left.text} {symbol} {right.text})', NATURAL if natural else INTEGER)
    first, second = integers_of(left), integers_of(right)
    if not out.one_robot or first is None or second is None:
        return result
    operate = _OPERATIONS[type(operator)]
    return one_of({operate(a, b) for a in first for b in second}, Value(result.text, INTEGER))


def _folded(operator: ast.operator, left: Value, right: Value) -> Value | None:
    """Return the value of an operation with a known 0 or 1 or -1, None for others."""
    sides = (left, right), (right, left)
    for value, other in sides if isinstance(operator, (ast.Add, ast.Mult)) else sides[1:]:
        number = value.kind.value if isinstance(value.kind, Known) else None
        if number is None:
            continue
        same = Value(converted(other, DOUBLE), DOUBLE)
        if isinstance(operator, ast.Mult) and number == 0:
            return known_number(0.0)
        if number == (0 if isinstance(operator, (ast.Add, ast.Sub)) else 1):
            return same
        if number == -1 and isinstance(operator, (ast.Mult, ast.Div)):
            return Value(f'(-{same.text})', DOUBLE)
    if isinstance(left.kind, Known) and left.kind.value == 0:
        if isinstance(operator, ast.Sub):
            return Value(f'(-{converted(right, DOUBLE)})', DOUBLE)
        return known_number(0.0) if isinstance(operator, ast.Div) else None
    return None


def _power(out: Lines, left: Value, right: Value) -> Value:
    if isinstance(right.kind, Known) and 2 <= right.kind.value <= 4:
        left = out.bound(left)
        result = left
        for _ in range(right.kind.value - 1):
            result = operation(out, ast.Mult(), result, left)
        return result
    return Value(f'pow({converted(left, DOUBLE)}, {converted(right, DOUBLE)})', DOUBLE)


def compared(operator: ast.cmpop, left: Value, right: Value) -> Value:
    """Return the value of a comparison."""
    if isinstance(operator, (ast.In, ast.NotIn)):
        assert isinstance(right.kind, TupleType)
        parts = [compared(ast.Eq(), left, part_of(right, k)) for k in range(len(right.kind.parts))]
        found = all_of(parts, '||')
        if isinstance(operator, ast.In):
            return found
        return Value(f'(!{found.text})', BOOLEAN)
    if isinstance(left.kind, Known) and isinstance(right.kind, Known):
        found = _COMPARISONS[_SYMBOLS[type(operator)]](left.kind.value, right.kind.value)
        return known(bool(found))
    if isinstance(left.kind, OneOf) and isinstance(right.kind, Known):
        compare = _COMPARISONS[_SYMBOLS[type(operator)]]
        decided = {bool(compare(one, right.kind.value)) for one in left.kind.values}
        if len(decided) == 1:
            return known(decided.pop())
    if NONE in (left.kind, right.kind):
        return known(isinstance(operator, ast.IsNot))
    return Value(f'({left.text} {_SYMBOLS[type(operator)]} {right.text})', BOOLEAN)


def all_of(parts: Sequence[Value], symbol: str) -> Value:
    """Return the conjunction or the disjunction of conditions, without known ones."""
    decisive = symbol == '||'
    left = []
    for part in parts:
        if isinstance(part.kind, Known):
            if part.kind.value is decisive:
                return known(decisive)
        else:
            left.append(part.text)
    if not left:
        return known(not decisive)
    return Value(left[0] if len(left) == 1 else f'({f" {symbol} ".join(left)})', BOOLEAN)

# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Expressions of kernels in C."""

from __future__ import annotations

import ast
import builtins
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
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
from types import FunctionType
from typing import Any

from screw_dynamics.extension.arrays import (
    element,
    elementwise,
    is_array,
    items_of,
    stored,
    view,
)
from screw_dynamics.extension.lines import (
    Elementwise,
    Lines,
    Value,
    condition,
    converted,
    known,
    length,
    part_of,
    tuple_of,
)
from screw_dynamics.extension.types import (
    BOOLEAN,
    DOUBLE,
    INTEGER,
    LANES,
    NATURAL,
    NONE,
    ArrayType,
    Known,
    TranslationError,
    TupleType,
    Type,
    c_name,
    has_value,
    is_boolean,
    is_natural,
    is_number,
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


def require_integer(node: ast.expr, value: Value) -> Value:
    """Return a value; raise TranslationError unless it is an integer, to which C might cut it."""
    if not is_number(value.kind):
        raise TranslationError(f'{ast.unparse(node)}: expected an integer')
    return value


class Expressions(ABC):
    """Expressions of one function; `types` are those of its variables."""

    def __init__(self, function: FunctionType, types: dict[str, Type]) -> None:
        self.function, self.types, self.out = function, types, Lines()
        cells = function.__closure__ or ()
        self.outer = dict(zip(function.__code__.co_freevars, cells, strict=True))

    @abstractmethod
    def call(self, function: Any, arguments: Sequence[Value]) -> Value:
        """Return the value of a call of a function of Python."""

    def evaluate(self, node: ast.expr) -> Value:
        """Return the value of an expression."""
        method: Callable[[Any], Value] | None = getattr(self, f'_{type(node).__name__}', None)
        if method is None:
            raise TranslationError(f'{ast.unparse(node)} has no translation')
        return method(node)

    def integer(self, node: ast.expr) -> Value:
        """Return the value of an index or of a bound of one."""
        return require_integer(node, self.evaluate(node))

    def evaluate_all(self, nodes: Sequence[ast.expr]) -> list[Value]:
        """Return the values of expressions, in the order of Python."""
        values: list[Value] = []
        for node in nodes:
            before = len(self.out.lines)
            value = self.evaluate(node)
            if len(self.out.lines) > before:
                # what was read before is read before what was added now
                added, self.out.lines[before:] = self.out.lines[before:], []
                values = [self._read(one) for one in values]
                self.out.lines.extend(added)
            values.append(value)
        return values

    def _read(self, value: Value) -> Value:
        if isinstance(value, Elementwise) or not ('[' in value.text or '(' in value.text):
            return value
        return self.out.bound(value)

    def _Constant(self, node: ast.Constant) -> Value:
        return Value('', NONE) if node.value is None else known(node.value)

    def _Name(self, node: ast.Name) -> Value:
        if node.id in self.types:
            kind = self.types[node.id]
            if isinstance(kind, Known):
                return known(kind.value)
            return Value(f'v_{node.id}', kind)
        if node.id in self.outer:
            return known(self.outer[node.id].cell_contents)
        if node.id in self.function.__globals__:
            return known(self.function.__globals__[node.id])
        if hasattr(builtins, node.id):
            return known(getattr(builtins, node.id))
        raise TranslationError(f'{node.id} has no value yet')

    def _Attribute(self, node: ast.Attribute) -> Value:
        if ast.unparse(node).endswith('.ctypes.data'):
            array = self.evaluate(node.value.value)  # type: ignore[attr-defined]
            return Value(f'(int64_t)(intptr_t){array.text}.p', INTEGER)
        owner = self.evaluate(node.value)
        if isinstance(owner.kind, Known):
            return known(getattr(owner.kind.value, node.attr))
        if isinstance(owner.kind, TupleType) and owner.kind.record is not None:
            return part_of(owner, owner.kind.record._fields.index(node.attr))
        if isinstance(owner.kind, ArrayType):
            ndim = owner.kind.ndim
            if node.attr == 'ndim':
                return known(ndim)
            owner = self.out.bound(owner)
            if node.attr == 'size':
                return length(' * '.join(f'{owner.text}.n[{k}]' for k in range(ndim)))
            if node.attr == 'shape':
                return Value(f'{owner.text}.n', TupleType((NATURAL,) * ndim, 'shape'))
        raise TranslationError(f'{ast.unparse(node)} has no translation')

    def _Tuple(self, node: ast.Tuple) -> Value:
        return tuple_of([stored(self.out, v) for v in self.evaluate_all(node.elts)])

    def _UnaryOp(self, node: ast.UnaryOp) -> Value:
        value = self.evaluate(node.operand)
        if isinstance(node.op, ast.Not):
            value = condition(value)
            if isinstance(value.kind, Known):
                return known(not value.kind.value)
            return Value(f'(!{value.text})', BOOLEAN)
        if not isinstance(node.op, ast.USub):
            raise TranslationError(f'{ast.unparse(node)} has no translation')
        if isinstance(value.kind, Known) and is_number(value.kind):
            return known(-value.kind.value)
        if is_array(value):
            return elementwise(self.out, [value], lambda x: Value(f'(-{x[0].text})', x[0].kind))
        kind = INTEGER if is_number(value.kind) else value.kind
        return Value(f'(-{value.text})', kind)

    def _BinOp(self, node: ast.BinOp) -> Value:
        left, right = self.evaluate_all([node.left, node.right])
        return self.operation(node.op, left, right)

    def operation(self, operator: ast.operator, left: Value, right: Value) -> Value:
        """Return the value of an operation."""
        if is_array(left) or is_array(right):
            return elementwise(
                self.out, [left, right], lambda x: self.operation(operator, x[0], x[1])
            )
        one, other = left.kind, right.kind
        if isinstance(one, Known) and isinstance(other, Known):
            return known(_OPERATIONS[type(operator)](one.value, other.value))
        kind = joined(joined(None, one), other) if one != other else one
        if isinstance(operator, ast.Pow):
            return self._power(left, right)
        symbol = _SYMBOLS.get(type(operator), '')
        if kind == LANES:
            return Value(f'({left.text} {symbol} {right.text})', LANES)
        if isinstance(operator, ast.Div) or kind == DOUBLE:
            if not symbol:
                raise TranslationError(f'{ast.dump(operator)} of real numbers')
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
        return Value(f'({left.text} {symbol} {right.text})', NATURAL if natural else INTEGER)

    def _power(self, left: Value, right: Value) -> Value:
        if isinstance(right.kind, Known) and 2 <= right.kind.value <= 4:
            left = self.out.bound(left)
            result = left
            for _ in range(right.kind.value - 1):
                result = self.operation(ast.Mult(), result, left)
            return result
        return Value(f'pow({converted(left, DOUBLE)}, {converted(right, DOUBLE)})', DOUBLE)

    def _Compare(self, node: ast.Compare) -> Value:
        values = self.evaluate_all([node.left, *node.comparators])
        if len(node.ops) > 1:
            values = [values[0], *(self.out.bound(v) for v in values[1:-1]), values[-1]]
        parts = [
            self._compared(operator, *values[k : k + 2]) for k, operator in enumerate(node.ops)
        ]
        return self._all_of(parts, '&&')

    def _compared(self, operator: ast.cmpop, left: Value, right: Value) -> Value:
        if isinstance(operator, (ast.In, ast.NotIn)):
            assert isinstance(right.kind, TupleType)
            parts = [
                self._compared(ast.Eq(), left, part_of(right, k))
                for k in range(len(right.kind.parts))
            ]
            found = self._all_of(parts, '||')
            if isinstance(operator, ast.In):
                return found
            return Value(f'(!{found.text})', BOOLEAN)
        if isinstance(left.kind, Known) and isinstance(right.kind, Known):
            found = _COMPARISONS[_SYMBOLS[type(operator)]](left.kind.value, right.kind.value)
            return known(bool(found))
        if NONE in (left.kind, right.kind):
            return known(isinstance(operator, ast.IsNot))
        return Value(f'({left.text} {_SYMBOLS[type(operator)]} {right.text})', BOOLEAN)

    def _all_of(self, parts: Sequence[Value], symbol: str) -> Value:
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

    def _BoolOp(self, node: ast.BoolOp) -> Value:
        symbol = '&&' if isinstance(node.op, ast.And) else '||'
        decisive = symbol == '||'
        parts: list[Value] = []
        for one in node.values:
            with self.out.aside() as lines:
                part = condition(self.evaluate(one))
            if lines and parts:
                # evaluated only if the parts before do not decide
                before = self._all_of(parts, symbol)
                name = self.out.name()
                self.out.emit(f'bool {name} = {before.text};')
                with self.out.block(f'if ({"!" if decisive else ""}{name})'):
                    self.out.lines.extend(lines)
                    self.out.emit(f'{name} = {part.text};')
                parts = [Value(name, BOOLEAN)]
                continue
            self.out.lines.extend(lines)
            parts.append(part)
            if isinstance(part.kind, Known) and part.kind.value is decisive:
                return self._all_of(parts, symbol)
        return self._all_of(parts, symbol)

    def _IfExp(self, node: ast.IfExp) -> Value:
        test = condition(self.evaluate(node.test))
        if isinstance(test.kind, Known):
            return self.evaluate(node.body if test.kind.value else node.orelse)
        sides, texts = [], []
        for side in (node.body, node.orelse):
            with self.out.aside() as lines:
                value = stored(self.out, self.evaluate(side))
            sides.append((value, lines))
            texts.extend(lines)
        kind = joined(joined(None, sides[0][0].kind), sides[1][0].kind)
        if isinstance(kind, Known):
            return known(kind.value)
        if not texts:
            a, b = (converted(value, kind) for value, _ in sides)
            return Value(f'({test.text} ? {a} : {b})', kind)
        name = self.out.name()
        self.out.emit(f'{c_name(kind)} {name};')
        for head, (value, lines) in zip((f'if ({test.text})', 'else'), sides, strict=True):
            with self.out.block(head):
                self.out.lines.extend(lines)
                self.out.emit(f'{name} = {converted(value, kind)};')
        return Value(name, kind)

    def _Subscript(self, node: ast.Subscript) -> Value:
        owner = self.evaluate(node.value)
        if isinstance(owner.kind, TupleType):
            return self._of_tuple(owner, self.integer(node.slice))
        if isinstance(owner, Elementwise):
            owner = stored(self.out, owner)
        return self.part(owner, node.slice)

    def _of_tuple(self, owner: Value, index: Value) -> Value:
        assert isinstance(owner.kind, TupleType)
        parts = owner.kind.parts
        if owner.kind.record == 'shape':
            if isinstance(index.kind, Known):
                return length(f'{owner.text}[{index.kind.value % len(parts)}]')
            return length(f'{owner.text}[{index.text}]')
        if isinstance(index.kind, Known):
            return part_of(owner, index.kind.value % len(parts))
        kind: Type | None = None
        for part in parts:
            kind = joined(kind, part)
        assert kind is not None
        owner = self.out.bound(owner)
        texts = [converted(part_of(owner, k), kind) for k in range(len(parts))]
        name = self.out.name()
        self.out.emit(f'const {c_name(kind)} {name}[] = {{{", ".join(texts)}}};')
        return Value(f'{name}[{index.text}]', joined(None, kind) if has_value(kind) else INTEGER)

    def part(self, owner: Value, node: ast.expr) -> Value:
        """Return an element or a view of an array."""
        parts = node.elts if isinstance(node, ast.Tuple) else [node]
        if len(parts) == 1 and isinstance(parts[0], ast.Constant) and parts[0].value is ...:
            return owner
        indices: list[Value | slice] = []
        for one in parts:
            if isinstance(one, ast.Slice):
                if one.step is not None:
                    raise TranslationError(f'{ast.unparse(node)}: a step')
                low = known(0) if one.lower is None else self.integer(one.lower)
                high = None if one.upper is None else self.integer(one.upper)
                indices.append(slice(low, high))
            else:
                indices.append(self.integer(one))
        owner = self.out.bound(owner)
        if not isinstance(owner.kind, ArrayType):
            raise TranslationError(f'{owner.text}[{ast.unparse(node)}] has no translation')
        if len(indices) == owner.kind.ndim and not any(isinstance(k, slice) for k in indices):
            return element(owner, [k for k in indices if isinstance(k, Value)])
        return view(self.out, owner, indices)

    def _Call(self, node: ast.Call) -> Value:
        keywords = [keyword.value for keyword in node.keywords]
        if isinstance(node.func, ast.Attribute):
            owner = self.evaluate(node.func.value)
            if not isinstance(owner.kind, Known):
                arguments = self.evaluate_all([*node.args, *keywords])
                return items_of(self.out, owner, node.func.attr, arguments)
            function = getattr(owner.kind.value, node.func.attr)
        else:
            named = self.evaluate(node.func)
            if not isinstance(named.kind, Known):
                raise TranslationError(f'{ast.unparse(node)}: a call of a value')
            function = named.kind.value
        arguments = self.evaluate_all([*node.args, *keywords])
        if isinstance(function, type) and hasattr(function, '_fields'):
            return tuple_of([stored(self.out, one) for one in arguments], function)
        return self.call(function, arguments)

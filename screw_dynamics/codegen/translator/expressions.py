# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Expressions of kernels in C."""

from __future__ import annotations

import ast
import builtins
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from types import FunctionType
from typing import Any

from screw_dynamics.codegen.translator.arrays import (
    element,
    elementwise,
    is_array,
    items_of,
    shape_item,
    sizes_of,
    stored,
    view,
)
from screw_dynamics.codegen.translator.lines import (
    Elementwise,
    Lines,
    Value,
    condition,
    converted,
    known,
    known_number,
    length,
    part_of,
    tuple_of,
)
from screw_dynamics.codegen.translator.operations import all_of, compared, operation
from screw_dynamics.codegen.translator.types import (
    BOOLEAN,
    INTEGER,
    NONE,
    ArrayType,
    Known,
    TranslationError,
    TupleType,
    Type,
    c_name,
    has_value,
    is_boolean,
    is_number,
    joined,
)


def require_integer(node: ast.expr, value: Value) -> Value:
    """Return a value; raise TranslationError unless it is an integer, to which C might cut it."""
    if not is_number(value.kind):
        raise TranslationError(f'{ast.unparse(node)}: expected an integer')
    return value


class Expressions(ABC):
    """Expressions of one function; `types` are those of its variables."""

    def __init__(self, function: FunctionType, types: dict[str, Type], out: Lines) -> None:
        self.function, self.types, self.out = function, types, out
        self.counters: dict[str, int] = {}  # of loops that are repeated
        self.flow: dict[str, Type] = {}  # more of variables than their types, at this line
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
        return Value('', NONE) if node.value is None else self.out.known(node.value)

    def _Name(self, node: ast.Name) -> Value:
        if node.id in self.counters:
            return known(self.counters[node.id])
        if node.id in self.types:
            kind = self.flow.get(node.id, self.types[node.id])
            if isinstance(kind, Known):
                return known_number(kind.value)
            return Value(f'v_{node.id}', kind)
        if node.id in self.outer:
            return self.out.known(self.outer[node.id].cell_contents)
        if node.id in self.function.__globals__:
            return self.out.known(self.function.__globals__[node.id])
        if hasattr(builtins, node.id):
            return known(getattr(builtins, node.id))
        raise TranslationError(f'{node.id} has no value yet')

    def _Attribute(self, node: ast.Attribute) -> Value:
        if ast.unparse(node).endswith('.ctypes.data'):
            array = self.evaluate(node.value.value)  # type: ignore[attr-defined]
            return Value(f'(int64_t)(intptr_t){array.text}.p', INTEGER)
        owner = self.evaluate(node.value)
        if isinstance(owner.kind, Known):
            return self.out.known(getattr(owner.kind.value, node.attr))
        if isinstance(owner.kind, TupleType) and owner.kind.record is not None:
            return part_of(owner, owner.kind.record._fields.index(node.attr))
        if isinstance(owner.kind, ArrayType):
            ndim = owner.kind.ndim
            if node.attr == 'ndim':
                return known(ndim)
            owner = self.out.bound(owner)
            sizes = sizes_of(owner)
            if node.attr == 'size':
                return length(' * '.join(size.text for size in sizes))
            if node.attr == 'shape':
                parts = tuple(size.kind for size in sizes)
                return Value(f'{owner.text}.n', TupleType(parts, 'shape'))
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
        if isinstance(value.kind, Known):
            return self.out.known(-value.kind.value)
        if is_array(value):
            return elementwise(self.out, [value], lambda x: Value(f'(-{x[0].text})', x[0].kind))
        kind = INTEGER if is_number(value.kind) else value.kind
        return Value(f'(-{value.text})', kind)

    def _BinOp(self, node: ast.BinOp) -> Value:
        left, right = self.evaluate_all([node.left, node.right])
        return operation(self.out, node.op, left, right)

    def _Compare(self, node: ast.Compare) -> Value:
        values = self.evaluate_all([node.left, *node.comparators])
        if len(node.ops) > 1:
            values = [values[0], *(self.out.bound(v) for v in values[1:-1]), values[-1]]
        parts = [compared(operator, *values[k : k + 2]) for k, operator in enumerate(node.ops)]
        return all_of(parts, '&&')

    def _BoolOp(self, node: ast.BoolOp) -> Value:
        symbol = '&&' if isinstance(node.op, ast.And) else '||'
        decisive = symbol == '||'
        parts: list[Value] = []
        for one in node.values:
            with self.out.aside() as lines:
                part = self.evaluate(one)
                if not is_boolean(part.kind):
                    raise TranslationError(f'{ast.unparse(one)}: expected a truth value')
            if lines and parts:
                # evaluated only if the parts before do not decide
                before = all_of(parts, symbol)
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
                return all_of(parts, symbol)
        return all_of(parts, symbol)

    def _IfExp(self, node: ast.IfExp) -> Value:
        test = condition(self.evaluate(node.test))
        if isinstance(test.kind, Known):
            return self.evaluate(node.body if test.kind.value else node.orelse)
        sides, texts = [], []
        for side in (node.body, node.orelse):
            with self.out.aside() as lines:
                value = stored(self.out, self.evaluate(side))
                if isinstance(value.kind, TupleType):
                    value = self.out.bound(value)
            sides.append((value, lines))
            texts.extend(lines)
        kind = joined(joined(None, sides[0][0].kind), sides[1][0].kind)
        if isinstance(kind, Known):
            return known_number(kind.value)
        if not texts:
            a, b = (converted(value, kind) for value, _ in sides)
            return Value(f'({test.text} ? {a} : {b})', kind)
        name = self.out.name()
        self.out.emit(f'{c_name(kind)} {name};')
        for head, (value, lines) in zip((f'if ({test.text})', 'else'), sides, strict=True):
            with self.out.block(head):
                self.out.lines.extend(lines)
                self.out.emit(f'{name} = {self.out.set_as(value, kind)};')
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
                return shape_item(owner, index.kind.value % len(parts))
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
            return element(self.out, owner, [k for k in indices if isinstance(k, Value)])
        return view(self.out, owner, indices)

    def _Call(self, node: ast.Call) -> Value:
        if any(keyword.arg != 'dtype' for keyword in node.keywords):
            raise TranslationError(f'{ast.unparse(node)}: arguments by name')
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

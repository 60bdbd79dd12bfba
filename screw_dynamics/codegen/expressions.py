# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Expressions of kernels, evaluated to `values`."""

from __future__ import annotations

import ast
import builtins
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from types import FunctionType
from typing import Any

from screw_dynamics.codegen import arithmetic
from screw_dynamics.codegen.source_text import definition
from screw_dynamics.codegen.statements import Statement, Store, Variable
from screw_dynamics.codegen.values import (
    NAME,
    SUM,
    Integer,
    Number,
    TranslationError,
    Value,
    View,
    is_known,
    known,
    named,
    text_of,
    type_of,
)


@dataclass
class Scope:
    """A function that is being translated; `real_return` if it becomes a function in C."""

    function: FunctionType
    names: dict[str, Value]
    real_return: bool = False
    loops: list[Any] = field(default_factory=list)

    @property
    def tree(self) -> ast.FunctionDef:
        """The syntax tree."""
        return definition(self.function)

    def global_value(self, name: str) -> Value:
        """Return a name of the module, of an enclosing function or of Python."""
        free = self.function.__code__.co_freevars
        if name in free:
            closure = self.function.__closure__ or ()
            return closure[free.index(name)].cell_contents
        if name in self.function.__globals__:
            return self.function.__globals__[name]
        try:
            return getattr(builtins, name)
        except AttributeError:
            where = f'{self.function.__module__}.{self.function.__name__}'
            raise TranslationError(f'{where}: {name} has no value here') from None


class Expressions(ABC):
    """Evaluation of expressions; `out` receives the statements that they need."""

    def __init__(self) -> None:
        self.out: list[Statement] = []
        self.taken: set[str] = set()
        self.ranges: dict[str, range] = {}
        """Of the counters of loops in C."""
        self.choices: dict[str, frozenset[int]] = {}
        """Of integers in C."""
        self.memory: dict[str, dict[int, Value]] = {}
        """Numbers and variables in elements of arrays of the function."""

    @abstractmethod
    def call(self, function: Any, arguments: Sequence[Value]) -> Value:
        """Return the value of a call."""

    def new_name(self, hint: str) -> str:
        """Return a new name for a variable in C."""
        hint = hint.strip('_') or 'unused'
        name, number = hint, 1
        while name in self.taken:
            number += 1
            name = f'{hint}_{number}'
        self.taken.add(name)
        return name

    def bound(self, value: Value, hint: str) -> Value:
        """Return a value whose text is a variable that does not change any more."""
        if isinstance(value, tuple):
            return tuple(self.bound(part, hint) for part in value)
        if isinstance(value, Number) and not value.text.isidentifier():
            name = self.new_name(hint)
            self.out.append(Variable(name, value.ctype, value.text))
            return Number(name, NAME, value.ctype)
        if isinstance(value, Integer):
            if all(name.isidentifier() for name, _ in value.terms):
                return value
            name = self.new_name(hint)
            self.out.append(Variable(name, 'int', value.text))
            if value.choices is not None:
                self.choices[name] = value.choices
            return named(name, value.choices)
        if isinstance(value, View) and isinstance(value.offset, Integer):
            if all(name.isidentifier() for name, _ in value.offset.terms):
                return value
            parts = [
                (self.bound(named(name), hint), factor) for name, factor in value.offset.terms
            ]
            offset: Value = value.offset.constant
            for part, factor in parts:
                offset = arithmetic.binary(
                    ast.Add, offset, arithmetic.binary(ast.Mult, part, factor)
                )
            return value.moved(offset)
        return value

    def evaluate(self, node: ast.expr, scope: Scope) -> Value:
        """Return the value of an expression."""
        method = getattr(self, f'_{type(node).__name__.lower()}', None)
        if method is None:
            raise TranslationError(f'{ast.unparse(node)}: {type(node).__name__} is not known')
        return method(node, scope)

    def _constant(self, node: ast.Constant, scope: Scope) -> Value:
        return node.value

    def _name(self, node: ast.Name, scope: Scope) -> Value:
        if node.id in scope.names:
            return scope.names[node.id]
        return scope.global_value(node.id)

    def _tuple(self, node: ast.Tuple, scope: Scope) -> Value:
        return tuple(self.evaluate(part, scope) for part in node.elts)

    def _binop(self, node: ast.BinOp, scope: Scope) -> Value:
        a, b = self.evaluate(node.left, scope), self.evaluate(node.right, scope)
        if isinstance(node.op, (ast.BitAnd, ast.BitOr)):
            return arithmetic.conjunction(
                [a, b], '&&' if isinstance(node.op, ast.BitAnd) else '||'
            )
        if isinstance(node.op, ast.Pow) and not is_known(a):
            a = self.bound(a, 'base')
        return arithmetic.binary(type(node.op), a, b)

    def _unaryop(self, node: ast.UnaryOp, scope: Scope) -> Value:
        value = self.evaluate(node.operand, scope)
        if isinstance(node.op, ast.Not):
            return arithmetic.opposite(value)
        return value if isinstance(node.op, ast.UAdd) else arithmetic.negative(value)

    def _compare(self, node: ast.Compare, scope: Scope) -> Value:
        values = [self.evaluate(part, scope) for part in (node.left, *node.comparators)]
        tests = []
        for operation, a, b in zip(node.ops, values[:-1], values[1:], strict=True):
            if isinstance(operation, ast.In):
                equal = [arithmetic.comparison(ast.Eq, a, part) for part in b]
                tests.append(arithmetic.conjunction(equal, '||'))
            else:
                tests.append(arithmetic.comparison(type(operation), a, b))
        return arithmetic.conjunction(tests, '&&')

    def _boolop(self, node: ast.BoolOp, scope: Scope) -> Value:
        values, absorbing = [], isinstance(node.op, ast.Or)
        for part in node.values:
            value = self.evaluate(part, scope)
            values.append(value)
            if is_known(value) and bool(value) is absorbing:
                break
        return arithmetic.conjunction(values, '||' if absorbing else '&&')

    def _ifexp(self, node: ast.IfExp, scope: Scope) -> Value:
        test = self.evaluate(node.test, scope)
        if is_known(test):
            return self.evaluate(node.body if test else node.orelse, scope)
        a, b = self.evaluate(node.body, scope), self.evaluate(node.orelse, scope)
        if isinstance(a, View) and isinstance(b, View):
            if a.root != b.root or a.dims != b.dims:
                raise TranslationError(f'{ast.unparse(node)}: two arrays')
            return replace(a, offset=arithmetic.chosen(test, a.offset, b.offset), data=None)
        return arithmetic.chosen(test, a, b)

    def _call(self, node: ast.Call, scope: Scope) -> Value:
        if isinstance(node.func, ast.Attribute) and node.func.attr == 'reshape':
            return self._reshaped(self.evaluate(node.func.value, scope), node, scope)
        function = self.evaluate(node.func, scope)
        arguments = [self.evaluate(part, scope) for part in node.args]
        try:
            return self.call(function, arguments)
        except TranslationError as error:
            where = f'{scope.function.__module__}.{scope.function.__name__}'
            raise TranslationError(f'{where}: {error}') from error

    def _attribute(self, node: ast.Attribute, scope: Scope) -> Value:
        value = self.evaluate(node.value, scope)
        if isinstance(value, View):
            sizes = tuple(size for size, _ in value.dims or ())
            if node.attr == 'shape':
                return sizes
            if node.attr == 'size' and len(sizes) == 1:
                return sizes[0]
            raise TranslationError(f'{ast.unparse(node)} of an array')
        return getattr(value, node.attr)

    def _reshaped(self, value: View, node: ast.Call, scope: Scope) -> View:
        shape = self.evaluate(node.args[0], scope)
        strides, step = [], 1
        for size in reversed(shape):
            strides.append(step)
            step *= int(size)
        data = None if value.data is None else value.data.reshape([int(s) for s in shape])
        return replace(value, dims=tuple(zip(shape, reversed(strides), strict=True)), data=data)

    def _subscript(self, node: ast.Subscript, scope: Scope) -> Value:
        value = self.evaluate(node.value, scope)
        if isinstance(value, tuple):
            return value[self.evaluate(node.slice, scope)]
        part = self.part(value, node, scope)
        return part if part.dims != () else self.load(part)

    def part(self, value: View, node: ast.Subscript, scope: Scope) -> View:
        """Return the part of an array that a subscript selects."""
        indices = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        if not isinstance(value, View) or value.dims is None or len(indices) > len(value.dims):
            raise TranslationError(f'{ast.unparse(node)}: not an array of this shape')
        dims: list[tuple[Value, int]] = []
        offset, data, unknown = value.offset, value.data, value.unknown
        for index, (size, stride) in zip(indices, value.dims, strict=False):
            axis = unknown + len(dims)
            if isinstance(index, ast.Slice):
                start = 0 if index.lower is None else self.evaluate(index.lower, scope)
                stop = size if index.upper is None else self.evaluate(index.upper, scope)
                stop = arithmetic.larger(stop, size, smallest=True) if is_known(stop) else stop
                dims.append((arithmetic.binary(ast.Sub, stop, start), stride))
                if data is not None:
                    if not (is_known(start) and is_known(stop)):
                        data = None
                    else:
                        data = data[(slice(None),) * axis + (slice(int(start), int(stop)),)]
            else:
                start = self.bound(self.evaluate(index, scope), 'index')
                if data is not None and is_known(start):
                    data = data.take(int(start), axis=axis)
                elif data is not None:
                    data = _moved_to_front(data, axis)
                    unknown += 1
            step = arithmetic.binary(ast.Mult, start, stride)
            offset = arithmetic.binary(ast.Add, offset, step)
        rest = value.dims[len(indices) :]
        return replace(value, offset=offset, dims=(*dims, *rest), data=data, unknown=unknown)

    def load(self, element: View) -> Value:
        """Return an element of an array."""
        text = f'{element.root}[{text_of(element.offset)}]'
        choices = None if element.data is None else known(element.data)
        if choices is not None and not isinstance(choices, frozenset):
            return choices
        held = self.memory.get(element.root, {})
        if isinstance(element.offset, int) and element.offset in held:
            return held[element.offset]
        if element.ctype == 'int':
            return named(text, choices)
        return Number(text)

    def store(self, element: View, value: Value) -> None:
        """Set an element of an array."""
        index, text = text_of(element.offset), text_of(value, SUM, 'double')
        self.out.append(Store(element.root, index, text))
        if not isinstance(element.offset, int):
            self.forget(element.root)
        elif element.root in self.memory:
            held = self.memory[element.root]
            if is_known(value) or _is_variable(value):
                held[element.offset] = float(value) if is_known(value) else value
            else:
                held.pop(element.offset, None)

    def forget(self, root: str | None = None) -> None:
        """Forget what is in the elements of an array, or of all."""
        for name in self.memory if root is None else self.memory.keys() & {root}:
            self.memory[name] = {}

    def copied(self, value: Value, hint: str) -> Variable:
        """Return a variable, to be declared, that begins with a value."""
        ctype = type_of(value)
        return Variable(self.new_name(hint), ctype, text_of(value, SUM, ctype), constant=False)


def _is_variable(value: Value) -> bool:
    return isinstance(value, Number) and value.ctype == 'double' and value.text.isidentifier()


def _moved_to_front(data: Any, axis: int) -> Any:
    return (
        data.swapaxes(0, axis)
        if axis == 0
        else data.transpose((axis, *(k for k in range(data.ndim) if k != axis)))
    )

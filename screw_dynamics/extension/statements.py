# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Statements of kernels in C."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Sequence
from functools import cache
from types import FunctionType

from screw_dynamics.extension.arrays import element, fill, is_array, stored, view
from screw_dynamics.extension.expressions import Expressions, require_integer
from screw_dynamics.extension.lines import Value, condition, converted, known, length, part_of
from screw_dynamics.extension.types import (
    INTEGER,
    NATURAL,
    NONE,
    ArrayType,
    Known,
    TranslationError,
    TupleType,
    Type,
    has_array,
    has_value,
    is_natural,
    joined,
)

_RANGES = 'range', 'independent'

RESULT = 'return'
"""The name of the result among those of variables."""


@cache
def tree_of(function: FunctionType) -> ast.FunctionDef:
    """Return the syntax tree of a function."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(function))).body[0]
    if not isinstance(tree, ast.FunctionDef):
        raise TranslationError(f'{function.__name__} is not a function')
    return tree


class Statements(Expressions):
    """
    Statements of one function.

    Types of variables are those of all their values, so a function is translated again until they
    no longer change (`changed`).
    """

    def __init__(self, function: FunctionType, types: dict[str, Type]) -> None:
        super().__init__(function, types)
        self.changed = False
        self._loops: list[str] = []
        self.defined: dict[str, Type] = {}

    def run(self, statements: Sequence[ast.stmt]) -> bool:
        """Translate statements; return False if the next ones are never reached."""
        for statement in statements:
            if not self._run_one(statement):
                return False
        return True

    def _run_one(self, node: ast.stmt) -> bool:
        if isinstance(node, ast.Return):
            self._return(node)
            return False
        if isinstance(node, (ast.Break, ast.Continue)):
            if isinstance(node, ast.Break) and self._loops[-1]:
                self.out.emit(f'{self._loops[-1]} = true;')
            self.out.emit('break;' if isinstance(node, ast.Break) else 'continue;')
            return False
        if isinstance(node, ast.If):
            return self._if(node)
        if isinstance(node, ast.For):
            self._for(node)
        elif isinstance(node, ast.While):
            self._while(node)
        elif isinstance(node, ast.Expr):
            if not isinstance(node.value, ast.Constant):
                self.evaluate(node.value)
        elif isinstance(node, ast.Assign):
            self._assign_all(node.targets, node.value)
        elif isinstance(node, ast.AugAssign):
            self._augment(node)
        elif isinstance(node, ast.AnnAssign) and node.value is not None:
            self._assign_all([node.target], node.value)
        elif not isinstance(node, ast.Pass):
            raise TranslationError(f'{ast.unparse(node)} has no translation')
        return True

    def _return(self, node: ast.Return) -> None:
        value = Value('', NONE)
        if node.value is not None:
            value = stored(self.out, self.evaluate(node.value))
        kind = joined(self.types.get(RESULT), value.kind)
        if self.types.get(RESULT) != kind:
            self.changed = True
            self.types[RESULT] = kind
        self.out.emit(f'return {converted(value, kind)};' if has_value(kind) else 'return;')

    def _if(self, node: ast.If) -> bool:
        test = condition(self.evaluate(node.test))
        if isinstance(test.kind, Known):
            return self.run(node.body if test.kind.value else node.orelse)
        with self.out.block(f'if ({test.text})'):
            goes_on = self.run(node.body)
        if not node.orelse:
            return True
        with self.out.block('else'):
            also = self.run(node.orelse)
        return goes_on or also

    def _while(self, node: ast.While) -> None:
        first = len(self.out.lines)
        with self.out.block('for (;;)'):
            test = condition(self.evaluate(node.test))
            self.out.emit(f'if (!{test.text}) break;')
            self._repeat(node, first)

    def _for(self, node: ast.For) -> None:
        if isinstance(node.iter, ast.Call) and ast.unparse(node.iter.func) in _RANGES:
            left = self.out.name() if node.orelse else ''
            if left:
                self.out.emit(f'bool {left} = false;')
            self._count(node, node.iter, left)
            if left:
                with self.out.block(f'if (!{left})'):
                    self.run(node.orelse)
            return
        if node.orelse:
            raise TranslationError(f'{ast.unparse(node)}: a loop with else')
        values = self.evaluate(node.iter)
        kind = values.kind
        if isinstance(kind, TupleType):
            values = self.out.bound(values)
            for k in range(len(kind.parts)):
                self.assign(node.target, part_of(values, k))
                self.run(node.body)
            return
        if not isinstance(kind, ArrayType):
            raise TranslationError(f'{ast.unparse(node.iter)}: not a sequence')
        values, name = self.out.bound(values), self.out.name()
        first = len(self.out.lines)
        with self.out.block(f'for (int64_t {name} = 0; {name} < {values.text}.n[0]; {name}++)'):
            index = length(name)
            one = kind.ndim == 1
            item = element(values, [index]) if one else view(self.out, values, [index])
            self.assign(node.target, item)
            self._repeat(node, first)

    def _repeat(self, node: ast.For | ast.While, head: int, left: str = '') -> None:
        """
        Translate the body of a loop whose head is the line `head`.

        `left` is the flag that it was left by break.
        """
        self._loops.append(left)
        before = self.out.allocations
        with self.out.aside() as lines:
            self.run(node.body)
        self._loops.pop()
        if self.out.allocations == before or not self._forgets(node):
            self.out.lines.extend(lines)
            return
        # the memory of a pass is that of the next one
        name = self.out.name()
        self.out.lines.insert(head, f'const place_t {name} = marked();')
        self.out.emit(f'released({name});')
        self.out.lines.extend(lines)

    def _forgets(self, loop: ast.For | ast.While) -> bool:
        """Return whether no array that is assigned in a loop is used outside of it."""
        inside = {
            node.id
            for node in ast.walk(loop)
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
        }
        arrays = {name for name in inside if has_array(self.types.get(name, NONE))}
        within = set(ast.walk(loop))
        return not any(
            isinstance(node, ast.Name) and node.id in arrays and node not in within
            for node in ast.walk(tree_of(self.function))
        )

    def _count(self, node: ast.For, call: ast.Call, left: str) -> None:
        """Translate a loop over a range."""
        given = self.evaluate_all(call.args)
        for one, value in zip(call.args, given, strict=True):
            require_integer(one, value)
        start, stop, step = known(0), given[0], known(1)
        if len(given) > 1:
            start, stop = given[:2]
        if len(given) > 2:
            step = given[2]
        if not isinstance(step.kind, Known):
            raise TranslationError(f'{ast.unparse(call)}: a variable step')
        stop, name = self.out.bound(stop), self.out.name()
        up = step.kind.value > 0
        # counting down, the last value lies above the stop
        low = is_natural(start.kind) if up else _at_least_minus_one(stop.kind)
        head = f'int64_t {name} = {start.text}; {name} {"<" if up else ">"} {stop.text}'
        first = len(self.out.lines)
        if ast.unparse(call.func) == 'independent':
            self.out.emit('#pragma GCC ivdep')
        with self.out.block(f'for ({head}; {name} += {step.text})'):
            self.assign(node.target, Value(name, NATURAL if low else INTEGER))
            self._repeat(node, first, left)

    def _assign_all(self, targets: Sequence[ast.expr], node: ast.expr) -> None:
        if len(targets) == 1 and isinstance(targets[0], ast.Tuple) and isinstance(node, ast.Tuple):
            values = self.evaluate_all(node.elts)
            if len(values) > 1:
                values = [v if is_array(v) else self._copied(v) for v in values]
            for target, value in zip(targets[0].elts, values, strict=True):
                self.assign(target, value)
            return
        value = self.evaluate(node)
        if len(targets) > 1:
            value = self.out.bound(stored(self.out, value))
        for target in targets:
            self.assign(target, value)

    def _copied(self, value: Value) -> Value:
        """Return a value in a new variable, so that assignments do not change it."""
        if not has_value(value.kind):
            return value
        return self.out.bound(Value(f'({value.text})', value.kind))

    def assign(self, target: ast.expr, value: Value) -> None:
        """Emit an assignment."""
        if isinstance(target, ast.Name):
            self._set(target.id, stored(self.out, value))
        elif isinstance(target, ast.Tuple):
            if isinstance(value.kind, ArrayType):
                value = self.out.bound(value)
                parts = [element(value, [known(k)]) for k in range(len(target.elts))]
            else:
                value = self.out.bound(value)
                parts = [self._of_tuple(value, known(k)) for k in range(len(target.elts))]
            for one, part in zip(target.elts, parts, strict=True):
                self.assign(one, part)
        elif isinstance(target, ast.Subscript):
            owner = self.evaluate(target.value)
            if is_array(value) or ':' in ast.unparse(target.slice):
                fill(self.out, self.part(owner, target.slice), value)
                return
            place = self.part(owner, target.slice)
            if isinstance(place.kind, ArrayType):
                fill(self.out, place, value)
            else:
                self.out.emit(f'{place.text} = {converted(value, place.kind)};')
        else:
            raise TranslationError(f'{ast.unparse(target)} cannot be assigned')

    def _set(self, name: str, value: Value) -> None:
        kind = joined(self.defined.get(name), value.kind)
        kind = joined(self.types.get(name), kind)
        self.defined[name] = kind
        if self.types.get(name) != kind:
            self.changed = True
            self.types[name] = kind
        if has_value(kind):
            self.out.emit(f'v_{name} = {converted(value, kind)};')

    def _augment(self, node: ast.AugAssign) -> None:
        target = ast.parse(ast.unparse(node.target), mode='eval').body
        if isinstance(node.target, ast.Name):
            left, right = self.evaluate_all([target, node.value])
            value = self.operation(node.op, left, right)
            if is_array(left):
                fill(self.out, left, value)
            else:
                self.assign(node.target, value)
            return
        assert isinstance(node.target, ast.Subscript)
        right = self.evaluate(node.value)
        place = self.part(self.evaluate(node.target.value), node.target.slice)
        value = self.operation(node.op, place, right)
        if isinstance(place.kind, ArrayType):
            fill(self.out, place, value)
        else:
            self.out.emit(f'{place.text} = {converted(value, place.kind)};')


def _at_least_minus_one(kind: Type) -> bool:
    return is_natural(kind) or (isinstance(kind, Known) and kind.value == -1)

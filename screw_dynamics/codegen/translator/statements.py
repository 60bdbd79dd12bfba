# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Statements of kernels in C."""

from __future__ import annotations

import ast
from abc import abstractmethod
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from types import FunctionType
from typing import Any

from screw_dynamics.codegen.translator.arrays import (
    element,
    fill,
    is_array,
    sizes_of,
    stored,
    view,
)
from screw_dynamics.codegen.translator.expressions import Expressions, require_integer
from screw_dynamics.codegen.translator.known_numbers import Size
from screw_dynamics.codegen.translator.lines import (
    Lines,
    Value,
    condition,
    converted,
    known,
    length,
    one_of,
    part_of,
)
from screw_dynamics.codegen.translator.operations import operation
from screw_dynamics.codegen.translator.syntax import changed_names, ends_early, names_outside
from screw_dynamics.codegen.translator.types import (
    INTEGER,
    NATURAL,
    NONE,
    ArrayType,
    Known,
    TranslationError,
    TupleType,
    Type,
    c_name,
    has_array,
    has_value,
    is_natural,
    joined,
)

_RANGES = 'range', 'independent'

RESULT = 'return'
"""The name of the result among those of variables."""


class Statements(Expressions):
    """
    Statements of one function.

    Types of variables are those of all their values, so a function is translated again until they
    no longer change (`changed`).
    """

    def __init__(self, function: FunctionType, types: dict[str, Type], out: Lines) -> None:
        super().__init__(function, types, out)
        self.changed = False
        self._loops: list[str] = []
        self.defined: dict[str, Type] = {}

    @abstractmethod
    def conditions(self, lines: list[str]) -> int:
        """Return the number of conditions in lines and in the functions that they call."""

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
        self.out.emit(f'return {self.out.set_as(value, kind)};' if has_value(kind) else 'return;')

    def _if(self, node: ast.If) -> bool:
        test = condition(self.evaluate(node.test))
        if isinstance(test.kind, Known):
            return self.run(node.body if test.kind.value else node.orelse)
        before, flows = dict(self.flow), []
        with self.out.block(f'if ({test.text})'):
            goes_on = self.run(node.body)
        flows += [self.flow] * goes_on
        self.flow, also = before, True
        if node.orelse:
            self.flow = dict(before)
            with self.out.block('else'):
                also = self.run(node.orelse)
        flows += [self.flow] * also
        self.flow = {
            name: kind
            for name, kind in self.flow.items()
            if all(one.get(name) == kind for one in flows)
        }
        return goes_on or also

    def _while(self, node: ast.While) -> None:
        if node.orelse:
            raise TranslationError(f'while {ast.unparse(node.test)}: a loop with else')
        first = len(self.out.lines)
        self._forget(node)
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
            if any(isinstance(one, (ast.Break, ast.Continue)) for one in ast.walk(node)):
                raise TranslationError(f'{ast.unparse(node.iter)}: a loop over it that ends early')
            values = self.out.bound(values)
            parts = [part_of(values, k) for k in range(len(kind.parts))]
            if self.out.one_robot and all(isinstance(part.kind, Known) for part in parts):
                self._repeated(node, [part.kind.value for part in parts])  # type: ignore[union-attr]
                return
            for part in parts:
                self.assign(node.target, part)
                self.run(node.body)
            return
        if not isinstance(kind, ArrayType):
            raise TranslationError(f'{ast.unparse(node.iter)}: not a sequence')
        values, name = self.out.bound(values), self.out.name()
        first = len(self.out.lines)
        size = sizes_of(values)[0]
        self._forget(node)
        with self.out.block(f'for (int64_t {name} = 0; {name} < {size.text}; {name}++)'):
            index = length(name)
            one = kind.ndim == 1
            item = element(self.out, values, [index]) if one else view(self.out, values, [index])
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
        self._forget(node)
        self._loops.pop()
        forgets = self.out.allocations > before and self._forgets(node)
        if self.out.one_robot and self.out.allocations > before and not forgets:
            raise TranslationError('an array of a pass is used outside of the loop')
        if self.out.one_robot or not forgets:
            self.out.lines.extend(lines)
            return
        # the memory of a pass is that of the next one
        name = self.out.name()
        self.out.lines.insert(head, f'const place_t {name} = marked();')
        self.out.emit(f'released({name});')
        self.out.lines.extend(lines)

    def _forgets(self, loop: ast.For | ast.While) -> bool:
        """Return whether no array that is assigned in a loop is used outside of it."""
        changed = changed_names(loop)
        arrays = {name for name in changed if has_array(self.types.get(name, NONE))}
        return not arrays & names_outside(self.function, loop)

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
        passes = self._short(node, start, stop, step)
        if passes is not None:
            self._repeated(node, passes)
            return
        emit = partial(self._in_c, node, step, left)
        passes = self._bodies(node, start, stop, step)
        if passes is None:
            emit(start, stop, None)
            return
        # the first body is the only root of many robots
        rest = passes[1:] if step.kind.value > 0 else passes[:-1]
        whole, others = (
            self._tried(emit, known(some.start), known(some.stop), some) for some in (passes, rest)
        )
        if self.conditions(others) >= self.conditions(whole):
            self.out.lines += whole
            self._forget(node)
        elif step.kind.value > 0:
            self._repeated(node, passes[:1])
            self.out.lines += others
            self._forget(node)
        else:
            self.out.lines += others
            self._forget(node)
            self._repeated(node, passes[-1:])

    def _in_c(
        self,
        node: ast.For,
        step: Value,
        left: str,
        start: Value,
        stop: Value,
        passes: range | None,
    ) -> None:
        """Emit a loop over a range."""
        assert isinstance(step.kind, Known)
        # the range keeps the first value of a variable that the loop changes
        changes = stop.text.removeprefix('v_') in changed_names(node)
        stop, name = (self.out.copied if changes else self.out.bound)(stop), self.out.name()
        up = step.kind.value > 0
        # counting down, the last value lies above the stop
        low = is_natural(start.kind) if up else _at_least_minus_one(stop.kind)
        head = f'int64_t {name} = {start.text}; {name} {"<" if up else ">"} {stop.text}'
        first = len(self.out.lines)
        assert isinstance(node.iter, ast.Call)
        if ast.unparse(node.iter.func) == 'independent':
            self.out.emit('#pragma GCC ivdep')
        counter = Value(name, NATURAL if low else INTEGER)
        self._forget(node)
        with self.out.block(f'for ({head}; {name} += {step.text})'):
            self.assign(node.target, one_of(set(passes), counter) if passes else counter)
            self._repeat(node, first, left)

    def _tried(self, emit: Callable[..., None], *arguments: Any) -> list[str]:
        """Return the lines that a function emits."""
        flow, arrays = dict(self.flow), list(self.out.arrays)
        with self.out.aside() as lines:
            emit(*arguments)
        self.flow, self.out.arrays = flow, arrays
        return lines

    def _forget(self, loop: ast.For | ast.While) -> None:
        """Forget what is known of variables that a loop changes."""
        for name in changed_names(loop):
            self.flow.pop(name, None)

    def _bodies(self, node: ast.For, *bounds: Value) -> range | None:
        """Return the passes of a loop over bodies or coordinates of one robot."""
        numbers = [one.kind.value for one in bounds if isinstance(one.kind, Known)]
        if not self.out.one_robot or len(numbers) < len(bounds) or ends_early(node):
            return None
        return range(*numbers) if len(range(*numbers)) > 2 else None

    def _short(self, node: ast.For, *bounds: Value) -> range | None:
        """Return the passes of a loop that is repeated in C."""
        numbers = [one.kind.value for one in bounds if isinstance(one.kind, Known)]
        if self.out.unroll is None or len(numbers) < len(bounds):
            return None
        passes = range(*numbers)
        sized = any(isinstance(one, Size) for one in numbers)
        if len(passes) > (1 if sized else self.out.unroll):
            return None
        return None if ends_early(node) else passes

    def _repeated(self, node: ast.For, numbers: Iterable[int]) -> None:
        assert isinstance(node.target, ast.Name)
        for number in numbers:
            self.counters[node.target.id] = number
            self.run(node.body)
        self.counters.pop(node.target.id, None)

    def _assign_all(self, targets: Sequence[ast.expr], node: ast.expr) -> None:
        if len(targets) == 1 and isinstance(targets[0], ast.Tuple) and isinstance(node, ast.Tuple):
            values = self.evaluate_all(node.elts)
            if len(values) > 1:
                values = [self.out.copied(stored(self.out, v)) for v in values]
            for target, value in zip(targets[0].elts, values, strict=True):
                self.assign(target, value)
            return
        value = self.evaluate(node)
        if len(targets) > 1:
            value = self.out.bound(stored(self.out, value))
        for target in targets:
            self.assign(target, value)

    def assign(self, target: ast.expr, value: Value) -> None:
        """Emit an assignment."""
        if isinstance(target, ast.Name):
            self._set(target.id, stored(self.out, value))
        elif isinstance(target, ast.Tuple):
            if isinstance(value.kind, ArrayType):
                value = self.out.bound(value)
                parts = [element(self.out, value, [known(k)]) for k in range(len(target.elts))]
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
            self.out.emit(f'v_{name} = {self.out.set_as(value, kind)};')
        if self.out.one_robot:
            self.flow.pop(name, None)
            if not has_value(value.kind) or c_name(value.kind) == c_name(kind):
                self.flow[name] = value.kind

    def _augment(self, node: ast.AugAssign) -> None:
        target = ast.parse(ast.unparse(node.target), mode='eval').body
        if isinstance(node.target, ast.Name):
            left, right = self.evaluate_all([target, node.value])
            value = operation(self.out, node.op, left, right)
            if is_array(left):
                fill(self.out, left, value)
            else:
                self.assign(node.target, value)
            return
        assert isinstance(node.target, ast.Subscript)
        right = self.evaluate(node.value)
        place = self.part(self.evaluate(node.target.value), node.target.slice)
        value = operation(self.out, node.op, place, right)
        if isinstance(place.kind, ArrayType):
            fill(self.out, place, value)
        else:
            self.out.emit(f'{place.text} = {converted(value, place.kind)};')


def _at_least_minus_one(kind: Type) -> bool:
    return is_natural(kind) or (isinstance(kind, Known) and kind.value == -1)

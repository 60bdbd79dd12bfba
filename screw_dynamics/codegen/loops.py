# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Loops of kernels: repeated if short and known, else loops in C."""

from __future__ import annotations

import ast
import re
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from screw_dynamics.codegen import arithmetic
from screw_dynamics.codegen.expressions import Expressions, Scope
from screw_dynamics.codegen.source_text import (
    assigned,
    contains,
    loaded,
    names_after,
    read_before_assigned,
)
from screw_dynamics.codegen.statements import Assignment, Block, Variable
from screw_dynamics.codegen.values import (
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
    type_of,
)

_FEW_RUNS = 3  # loops with fewer keep them together


@dataclass
class Carried:
    """The names that a loop in C changes, with their variables."""

    variables: dict[str, Value]


class Loops(Expressions):
    """Translation of loops; `unroll` is the length up to which they are repeated."""

    unroll: int
    conditions = 0  # on values that are not known, so far

    @abstractmethod
    def saved(self) -> Any:
        """Return the state of the translation."""

    @abstractmethod
    def restore(self, state: Any) -> None:
        """Go back to a state of the translation."""

    @abstractmethod
    def run(self, statements: Sequence[ast.stmt], scope: Scope) -> Any:
        """Translate statements."""

    def loop(self, statement: ast.For | ast.While, scope: Scope) -> Any:
        """Translate a loop; return how it ends."""
        if isinstance(statement, ast.While):
            self._in_c(statement, scope, None)
            return None
        items = self._items(statement.iter, scope)
        if isinstance(items, range) or items[-1:] != ('range',):
            return self._repeated(statement, items, scope)
        early = contains(statement.body, (ast.Break, ast.Return), True)
        if all(map(is_known, items[:3])) and not early:
            return self._of_known_length(statement, range(*map(int, items[:3])), scope)
        self._in_c(statement, scope, items[:3])
        return None

    def _of_known_length(self, statement: ast.For, rows: range, scope: Scope) -> Any:
        """Translate a loop in C; its first or last run apart if that saves conditions in it."""
        before, names = self.saved(), dict(scope.names)
        apart = (0, 0)
        end, fewest = self._with_ends_apart(statement, rows, *apart, scope)
        if not fewest or len(rows) < _FEW_RUNS:
            return end
        for ends in ((1, 0), (0, 1)):
            self.restore(before)
            scope.names = dict(names)
            end, conditions = self._with_ends_apart(statement, rows, *ends, scope)
            if conditions < fewest:
                return end
        self.restore(before)
        scope.names = dict(names)
        return self._with_ends_apart(statement, rows, *apart, scope)[0]

    def _with_ends_apart(
        self, statement: ast.For, rows: range, first: int, last: int, scope: Scope
    ) -> tuple[Any, int]:
        """Translate a loop; return how it ends and the number of conditions in the loop in C."""
        end = self._repeated(statement, rows[:first], scope)
        before = self.conditions
        middle = rows[first : len(rows) - last]
        self._in_c(statement, scope, (middle.start, middle.stop, middle.step))
        conditions = self.conditions - before
        end = end or self._repeated(statement, rows[len(rows) - last :], scope)
        return end, conditions

    def _items(self, node: ast.expr, scope: Scope) -> Any:
        """Return the known items of a loop, or the bounds and the step of its range."""
        if not (isinstance(node, ast.Call) and ast.unparse(node.func) == 'range'):
            items = self.evaluate(node, scope)
            if not isinstance(items, tuple):
                raise TranslationError(f'a loop over {ast.unparse(node)}')
            return items
        bounds = [self.evaluate(part, scope) for part in node.args]
        sized = any(isinstance(bound, Size) for bound in bounds)
        start, stop, step = (0, bounds[0], 1) if len(bounds) == 1 else (*bounds, 1)[:3]
        if is_known(start) and is_known(stop):
            items = range(int(start), int(stop), int(step))
            if len(items) <= 1 or (len(items) <= self.unroll and not sized):
                return items
        return start, stop, step, 'range'

    def _repeated(self, statement: ast.For, items: Any, scope: Scope) -> Any:
        assert isinstance(statement.target, ast.Name)
        scope.loops.append(None)
        end = None
        for item in items:
            scope.names[statement.target.id] = item
            end = self.run(statement.body, scope)
            if end == 'broken':
                break
            if end not in (None, 'continued'):
                scope.loops.pop()
                return end
        scope.loops.pop()
        return None

    def _in_c(self, statement: ast.For | ast.While, scope: Scope, bounds: Any) -> None:
        carried = Carried(
            {name: self._variable(name, scope) for name in _carried(statement, scope)}
        )
        names = {**scope.names, **carried.variables}
        outer, self.out = self.out, []
        self.forget()
        inner = replace(scope, names=dict(names), loops=[*scope.loops, carried])
        if isinstance(statement, ast.While):
            head = f'while ({self._test(statement, inner)})'
        else:
            assert isinstance(statement.target, ast.Name)
            counter = self.new_name(statement.target.id)
            inner.names[statement.target.id] = named(counter)
            head = _head(counter, *bounds)
            if all(map(is_known, bounds)):
                self.ranges[counter] = range(*map(int, bounds))
        end = self.run(statement.body, inner)
        if end is None:
            self.update(carried, inner)
        body, self.out = self.out, outer
        self.out.append(Block(head, body))
        self.forget()
        changed = assigned([statement])
        scope.names = {
            name: value
            for name, value in names.items()
            if name not in changed or name in carried.variables
        }

    def _test(self, statement: ast.While, scope: Scope) -> str:
        test = self.evaluate(statement.test, scope)
        if self.out or is_known(test):
            raise TranslationError(f'while {ast.unparse(statement.test)}')
        return str(test.text)

    def _variable(self, name: str, scope: Scope) -> Value:
        """Declare the variable of a name that a loop changes."""
        value = scope.names[name]
        if isinstance(value, View):
            return value.moved(self._declared(value.offset, name))
        if isinstance(value, tuple):
            return tuple(self._declared(part, name) for part in value)
        return self._declared(value, name)

    def _declared(self, value: Value, hint: str) -> Value:
        if not isinstance(value, (Number, Integer, int, float)):
            raise TranslationError(f'a loop changes {hint}, which is not a number')
        variable: Variable = self.copied(value, hint)
        self.out.append(variable)
        if variable.ctype == 'int':
            return named(variable.name)
        return Number(variable.name, ctype=variable.ctype)

    def update(self, carried: Carried, scope: Scope) -> None:
        """Give the variables of a loop their values of the next run."""
        changes: list[tuple[str, str, str]] = []
        for name, variable in carried.variables.items():
            _pairs(variable, scope.names[name], changes)
        targets = {target for target, _, _ in changes}
        for k, (target, text, ctype) in enumerate(changes):
            if targets & (_names(text) - {target}):
                safe = self.new_name(f'next_{target}')
                self.out.append(Variable(safe, ctype, text))
                changes[k] = target, safe, ctype
        self.out.extend(Assignment(target, text) for target, text, _ in changes)

    def fill(self, part: View, value: Value) -> None:
        """Set an element or a part of an array."""
        if not part.dims:
            self.store(part, value)
            return
        size, stride = part.dims[0]
        if is_known(size) and int(size) <= self.unroll and not isinstance(size, Size):
            for k in range(int(size)):
                self._fill_row(part, value, k, stride)
            return
        counter = self.new_name('k')
        if is_known(size):
            self.ranges[counter] = range(int(size))
        outer, self.out = self.out, []
        self.forget()
        self._fill_row(part, value, named(counter), stride)
        body, self.out = self.out, outer
        self.out.append(Block(_head(counter, 0, size, 1), body))
        self.forget()

    def _fill_row(self, part: View, value: Value, k: Value, stride: int) -> None:
        def row(view: View, step: int) -> View:
            shift = arithmetic.binary(ast.Mult, k, step)
            assert view.dims is not None
            offset = arithmetic.binary(ast.Add, view.offset, shift)
            return replace(view, offset=offset, dims=view.dims[1:], data=None)

        if isinstance(value, View):
            assert value.dims
            value = row(value, value.dims[0][1])
            value = value if value.dims else self.load(value)
        self.fill(row(part, stride), value)


def _carried(statement: ast.For | ast.While, scope: Scope) -> list[str]:
    """Return the names with values from before that a loop changes and that are read later."""
    changed = assigned(statement.body) & scope.names.keys()
    early = read_before_assigned(statement.body)
    if isinstance(statement, ast.While):
        early |= loaded([statement.test])
    later = set(names_after(scope.tree, statement.end_lineno))
    outside = {name for loop in scope.loops if loop is not None for name in loop.variables}
    return sorted(changed & (early | later | outside))


def _head(counter: str, start: Value, stop: Value, step: Value) -> str:
    if not is_known(step) or step == 0:
        raise TranslationError('a range with a step that is not known')
    sign = '<' if step > 0 else '>'
    by = {1: f'{counter}++', -1: f'{counter}--'}.get(int(step), f'{counter} += {int(step)}')
    return f'for (int {counter} = {text_of(start)}; {counter} {sign} {text_of(stop)}; {by})'


def _pairs(variable: Value, value: Value, changes: list[tuple[str, str, str]]) -> None:
    """Append target, text and type of every number that changes."""
    if isinstance(variable, tuple):
        for one, other in zip(variable, value, strict=True):
            _pairs(one, other, changes)
        return
    if isinstance(variable, View):
        if value.root != variable.root:
            raise TranslationError(f'a loop changes an array from {variable.root}')
        variable, value = variable.offset, value.offset
    ctype = type_of(variable)
    if ctype in ('int', 'bool') and type_of(value) == 'double':
        raise TranslationError(f'a loop changes {variable.text} from an integer to a double')
    text = text_of(value, SUM, ctype)
    if text != variable.text:
        changes.append((variable.text, text, ctype))


def _names(text: str) -> set[str]:
    return set(re.findall(r'[A-Za-z_]\w*', text))

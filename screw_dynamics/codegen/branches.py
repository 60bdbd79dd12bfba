# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Conditions of kernels, and the values of names behind them."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from screw_dynamics.codegen.expressions import Scope
from screw_dynamics.codegen.loops import Loops
from screw_dynamics.codegen.statements import Assignment, Block, Statement
from screw_dynamics.codegen.values import (
    SUM,
    Integer,
    Number,
    TranslationError,
    Value,
    View,
    is_known,
    named,
    text_of,
    type_of,
)


class Returned(NamedTuple):
    """End of a function that is part of another in C, with its result."""

    value: Value


ENDED, CONTINUED, BROKEN = 'ended', 'continued', 'broken'  # other ends of a block


class Branches(Loops):
    """Translation of conditions on values that are not known."""

    def sides(self, statement: ast.If, test: Value, rest: Sequence[ast.stmt], scope: Scope) -> Any:
        """Translate both sides of a condition, each with the rest of the block."""
        before, outer, memory = scope.names, self.out, self.memory
        ends, scopes, outs = [], [], []
        for side in (statement.body, statement.orelse):
            self.out = []
            self.memory = {name: dict(held) for name, held in memory.items()}
            inner = replace(scope, names=dict(before))
            ends.append(self.run([*side, *rest], inner))
            scopes.append(inner.names)
            outs.append(self.out)
        self.out = outer
        self.forget()
        end = self._joined(ends, scopes, outs, scope)
        outer.append(Block(f'if ({test.text})', outs[0]))
        if outs[1]:
            outer.append(Block('else', outs[1]))
        return end

    def _joined(
        self, ends: list[Any], names: list[dict[str, Value]], outs: Any, scope: Scope
    ) -> Any:
        """Join the values of two sides; return how both end."""
        if BROKEN in ends:
            raise TranslationError('a loop of known length ends early')
        if ENDED in ends:
            other = 1 if ends[0] == ENDED else 0
            if isinstance(ends[other], Returned):
                raise TranslationError('only one side returns')
            scope.names = self._outlived(names[other], outs[other], scope.names)
            return ends[other]
        if all(isinstance(end, Returned) for end in ends):
            values = self._phi(ends[0].value, ends[1].value, 'result', outs)
            return Returned(values)
        if Returned(None) in ends and None in ends:  # the end of a function without a result
            return Returned(None)
        if any(isinstance(end, Returned) for end in ends):
            raise TranslationError('only one side returns')
        joined = {}
        for name in names[0].keys() & names[1].keys():
            if same(names[0][name], names[1][name]):
                joined[name] = names[0][name]
            else:
                value = self._phi(names[0][name], names[1][name], name, outs)
                if value is not NotImplemented:
                    joined[name] = value
        scope.names = joined
        return next((end for end in ends if end is not None), None)

    def _outlived(
        self, names: dict[str, Value], out: list[Statement], before: dict[str, Value]
    ) -> dict[str, Value]:
        """Return the names that one side leaves; what it computed gets variables outside."""
        kept = {}
        for name, value in names.items():
            if name in before and same(value, before[name]):
                kept[name] = value
            else:
                left = self._phi(value, value, name, (out, []))
                if left is not NotImplemented:
                    kept[name] = left
        return kept

    def _phi(self, a: Value, b: Value, hint: str, outs: Any) -> Value:
        """Return a value that is `a` on one side and `b` on the other."""
        if a is None and b is None:
            return None
        if isinstance(a, tuple) and isinstance(b, tuple) and len(a) == len(b):
            return tuple(self._phi(x, y, hint, outs) for x, y in zip(a, b, strict=True))
        if isinstance(a, View) and isinstance(b, View):
            if a.root != b.root or a.dims != b.dims:
                return NotImplemented
            offset = self._phi(a.offset, b.offset, hint, outs)
            return replace(a, offset=offset, data=None if a.row == 0 else a.data)
        if not all(isinstance(x, (Number, Integer, int, float)) for x in (a, b)):
            return a if same(a, b) else NotImplemented
        if is_known(a) and is_known(b) and type(a) is type(b) and a == b:
            return a
        types = {type_of(a), type_of(b)}
        ctype = types.pop() if len(types) == 1 else 'double'
        variable = replace(self.copied(0.0, hint), ctype=ctype, text='')
        self.out.append(variable)
        for value, out in ((a, outs[0]), (b, outs[1])):
            out.append(Assignment(variable.name, text_of(value, SUM, ctype)))
        return named(variable.name) if ctype == 'int' else Number(variable.name, ctype=ctype)


def same(a: Value, b: Value) -> bool:
    """Return whether two values are the same."""
    if a is b:
        return True
    if isinstance(a, View) and isinstance(b, View):
        return (a.root, a.offset, a.dims) == (b.root, b.offset, b.dims) and a.data is b.data
    if isinstance(a, View) or isinstance(b, View) or type(a) is not type(b):
        return False
    if isinstance(a, tuple):
        return len(a) == len(b) and all(map(same, a, b))
    return bool(a == b)

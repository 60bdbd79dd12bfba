# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Translation of kernels to C: their syntax trees are run on `values`.

Calls are replaced by the body of the function, conditions on known values by one of their sides,
short loops of known length by repetition. A function that returns from inside a loop becomes a
function in C, one for every set of known arguments.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from types import FunctionType
from typing import Any

from screw_dynamics.codegen.branches import BROKEN, CONTINUED, ENDED, Branches, Returned
from screw_dynamics.codegen.calls import CALLS
from screw_dynamics.codegen.expressions import Scope
from screw_dynamics.codegen.scalars import with_scalars
from screw_dynamics.codegen.source_text import contains, returns_in_loop
from screw_dynamics.codegen.statements import Line, lines, pruned
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


@dataclass
class Library:
    """The functions in C that the translation has needed, and tables that it has read."""

    prefix: str
    unroll: int
    functions: list[str] = field(default_factory=list)
    known: dict[Any, tuple[str, str]] = field(default_factory=dict)
    tables: set[str] = field(default_factory=set)
    public: dict[Any, str] = field(default_factory=dict)
    """Functions that other functions call by name, with all arguments but what is known."""


class Translator(Branches):
    """Translation of one function in C; `constant` are the arrays that it only reads."""

    def __init__(self, library: Library, constant: set[str]) -> None:
        super().__init__()
        self.library, self.constant, self.unroll = library, constant, library.unroll
        self.result = 'void'

    def saved(self) -> Any:
        """Return the state of the translation."""
        memory = {name: dict(held) for name, held in self.memory.items()}
        library = list(self.library.functions), dict(self.library.known)
        return list(self.out), set(self.taken), memory, library

    def restore(self, state: Any) -> None:
        """Go back to a state of the translation."""
        out, taken, memory, (functions, known) = state
        self.out[:], self.taken = out, set(taken)
        self.memory = {name: dict(held) for name, held in memory.items()}
        self.library.functions[:], self.library.known = functions, dict(known)

    def call(self, function: Any, arguments: Sequence[Value]) -> Value:
        """Return the value of a call."""
        if function in CALLS:
            return CALLS[function](self, *arguments)
        if not isinstance(function, FunctionType):
            raise TranslationError(f'{function!r} has no form in C')
        names = function.__code__.co_varnames[: function.__code__.co_argcount]
        values = [self.bound(value, name) for name, value in zip(names, arguments, strict=True)]
        if function in self.library.public:
            self._called_by_name(self.library.public[function], values)
            return None
        if returns_in_loop(function):
            return self._called_in_c(function, dict(zip(names, values, strict=True)))
        scope = Scope(function, dict(zip(names, values, strict=True)))
        end = self.run(scope.tree.body, scope)
        return end.value if isinstance(end, Returned) else None

    def run(self, statements: Sequence[ast.stmt], scope: Scope) -> Any:
        """Translate statements; return how they end, None if the next statements follow."""
        for k, statement in enumerate(statements):
            if isinstance(statement, ast.If):
                test = self.evaluate(statement.test, scope)
                if is_known(test):
                    side = statement.body if test else statement.orelse
                    return self.run([*side, *statements[k + 1 :]], scope)
                self.conditions += 1
                if self._ends(statement, scope):
                    return self.sides(statement, test, statements[k + 1 :], scope)
                end = self.sides(statement, test, (), scope)
            elif isinstance(statement, (ast.For, ast.While)):
                end = self.loop(statement, scope)
            else:
                end = self._simple(statement, scope)
            if end is not None:
                return end
        return None

    def _ends(self, statement: ast.If, scope: Scope) -> bool:
        """Return whether the statements behind a condition belong to its sides."""
        unrolled = bool(scope.loops) and scope.loops[-1] is None
        both = [*statement.body, *statement.orelse]
        return (not scope.real_return and contains(both, (ast.Return,), False)) or (
            unrolled and contains(both, (ast.Continue, ast.Break), True)
        )

    def _simple(self, statement: ast.stmt, scope: Scope) -> Any:
        if isinstance(statement, ast.Return):
            return self._returned(statement, scope)
        if isinstance(statement, (ast.Continue, ast.Break)):
            name = 'continue' if isinstance(statement, ast.Continue) else 'break'
            if scope.loops[-1] is None:
                return CONTINUED if name == 'continue' else BROKEN
            self.update(scope.loops[-1], scope)
            self.out.append(Line(f'{name};'))
            return ENDED
        if isinstance(statement, ast.Expr):
            self.evaluate(statement.value, scope)
        elif isinstance(statement, ast.Assign):
            value = self.evaluate(statement.value, scope)
            if len(statement.targets) > 1:
                value = self.bound(value, 'value')
            for target in statement.targets:
                self._assign(target, value, scope)
        elif isinstance(statement, ast.AugAssign):
            target = ast.parse(ast.unparse(statement.target), mode='eval').body
            whole = ast.BinOp(target, statement.op, statement.value)
            self._assign(statement.target, self.evaluate(whole, scope), scope)
        elif not isinstance(statement, ast.Pass):
            raise TranslationError(f'{ast.unparse(statement)} is not known')
        return None

    def _returned(self, statement: ast.Return, scope: Scope) -> Any:
        value = None if statement.value is None else self.evaluate(statement.value, scope)
        if not scope.real_return:
            return Returned(self.bound(value, f'{scope.function.__name__.strip("_")}_value'))
        if value is None:
            self.out.append(Line('return;'))
            return ENDED
        ctype = 'int' if type_of(value) == 'bool' else type_of(value)
        self.result = ctype
        self.out.append(Line(f'return {text_of(value, SUM, ctype)};'))
        return ENDED

    def _assign(self, target: ast.expr, value: Value, scope: Scope) -> None:
        if isinstance(target, ast.Name):
            scope.names[target.id] = self.bound(value, target.id)
        elif isinstance(target, ast.Tuple):
            hints = [part.id if isinstance(part, ast.Name) else 'value' for part in target.elts]
            values = [self.bound(v, hint) for v, hint in zip(value, hints, strict=True)]
            for part, one in zip(target.elts, values, strict=True):
                self._assign(part, one, scope)
        elif isinstance(target, ast.Subscript):
            place = self.part(self.evaluate(target.value, scope), target, scope)
            self.fill(place, value)
        else:
            raise TranslationError(f'{ast.unparse(target)} cannot be assigned')

    def _called_by_name(self, name: str, values: Sequence[Value]) -> None:
        arrays = [
            _pointer(value)
            for value in values
            if isinstance(value, View) and value.root not in self.library.tables
        ]
        self.out.append(Line(f'{name}({", ".join(arrays)});'))
        self.forget()

    def _called_in_c(self, function: FunctionType, values: dict[str, Value]) -> Value:
        """Return a call of a function in C, which is written if it does not exist yet."""
        parameters, arguments, inner = [], [], {}
        key: list[Any] = [function]
        constant: set[str] = set()
        for name, value in values.items():
            if isinstance(value, (Number, Integer)):
                ctype = 'int' if type_of(value) == 'bool' else type_of(value)
                parameters.append(f'{ctype} {name}')
                arguments.append(text_of(value))
                inner[name] = replace_name(value, name)
                key.append((name, getattr(value, 'choices', None), ctype))
            elif isinstance(value, View) and value.root in self.library.tables:
                inner[name] = value
                if not is_known(value.offset):
                    parameters.append(f'int {name}')
                    arguments.append(text_of(value.offset))
                    inner[name] = value.moved(named(name))
                key.append((name, value.root, str(inner[name].offset), value.dims))
            elif isinstance(value, View):
                only_read = value.root in self.constant
                constant |= {name} if only_read else set()
                parameters.append(f'{"const " if only_read else ""}double *{name}')
                arguments.append(_pointer(value))
                inner[name] = replace(value, root=name, offset=0)
                key.append((name, only_read, value.dims))
            else:
                inner[name] = value
                key.append((name, value))
        found = self.library.known.get(tuple(key))
        if found is None:
            base = f'{self.library.prefix}_{function.__name__.strip("_")}'
            taken = {known for known, _ in self.library.known.values()}
            cname, number = base, 1
            while cname in taken:
                number += 1
                cname = f'{base}_{number}'
            result = write_function(
                self.library, cname, function, inner, parameters, constant, 'static '
            )
            found = self.library.known[tuple(key)] = cname, result
        cname, result = found
        self.forget()
        text = f'{cname}({", ".join(arguments)})'
        if result == 'void':
            self.out.append(Line(f'{text};'))
            return None
        return named(text) if result == 'int' else Number(text)


def _pointer(view: View) -> str:
    return view.root if view.offset == 0 else f'&{view.root}[{text_of(view.offset)}]'


def replace_name(value: Value, name: str) -> Value:
    """Return a parameter in place of an argument."""
    if isinstance(value, Integer):
        return named(name, value.choices)
    return Number(name, ctype=value.ctype)


def write_function(
    library: Library,
    cname: str,
    function: FunctionType,
    values: dict[str, Value],
    parameters: Sequence[str],
    constant: set[str],
    storage: str,
) -> str:
    """Add a function in C to the library; return the type of its result."""
    translator = Translator(library, constant)
    translator.taken |= {text.split()[-1].lstrip('*').split('[')[0] for text in parameters}
    translator.taken |= library.tables | RESERVED
    scope = Scope(function, dict(values), real_return=True)
    translator.run(scope.tree.body, scope)
    values = {**translator.ranges, **translator.choices}
    statements = with_scalars(translator.out, values, translator.new_name)
    body = '\n'.join(lines(pruned(statements)))
    for name in (text.split()[-1].lstrip('*') for text in parameters):
        if not re.search(rf'\b{name}\b', body):
            body = f'    (void){name};\n{body}'
    head = f'{storage}{translator.result} {cname}({", ".join(parameters) or "void"})'
    library.functions.append(f'{head}\n{{\n{body}\n}}\n')
    return translator.result


RESERVED = set(
    'auto break case char const continue default do double else enum extern float for goto if '
    'inline int long register restrict return short signed sizeof static struct switch typedef '
    'union unsigned void volatile while and or not xor bool true false class new delete this '
    'template typename namespace public private protected operator try catch throw using virtual '
    'explicit export friend mutable y0 y1 yn j0 j1 jn gamma exp sin cos tanh log sqrt abs fabs '
    'sinh cosh expm1 cbrt asinh'.split()
)

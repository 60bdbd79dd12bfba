# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Statements of a C function, without variables that nothing reads."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

_NAME = re.compile(r'[A-Za-z_]\w*')


@dataclass
class Line:
    """A statement that is always kept."""

    text: str


@dataclass
class Variable:
    """A variable, or with a size an array of doubles; `text` is its value."""

    name: str
    ctype: str
    text: str = ''
    constant: bool = True
    size: int = 0


@dataclass
class Assignment:
    """A new value of a variable."""

    name: str
    text: str


@dataclass
class Store:
    """A new value of an element of an array."""

    root: str
    index: str
    text: str


@dataclass
class Block:
    """Statements in braces."""

    head: str
    body: list[Statement] = field(default_factory=list)


Statement = Line | Variable | Assignment | Store | Block


def pruned(statements: list[Statement], results: str = '') -> list[Statement]:
    """Return the statements without variables that nothing reads, and without empty blocks."""
    own = {s.name for s in walked(statements) if isinstance(s, Variable)}
    stored = {s.root for s in walked(statements) if isinstance(s, Store)}
    values: dict[str, list[str]] = {}
    reached: list[str] = [results]
    for statement in walked(statements):
        if isinstance(statement, Store):
            texts = values.setdefault(statement.root, []) if statement.root in own else reached
            texts += [statement.index, statement.text]
            continue
        if isinstance(statement, (Variable, Assignment)):
            values.setdefault(statement.name, []).append(statement.text)
        else:
            reached.append(statement.text if isinstance(statement, Line) else statement.head)
    used: set[str] = set()
    while reached:
        for name in _NAME.findall(reached.pop()):
            if name not in used:
                used.add(name)
                reached.extend(values.get(name, ()))
    return _kept(statements, used | (stored - own))


def walked(statements: list[Statement]) -> Iterator[Statement]:
    """Yield all statements, those of blocks after their block."""
    for statement in statements:
        yield statement
        if isinstance(statement, Block):
            yield from walked(statement.body)


def _kept(statements: list[Statement], used: set[str]) -> list[Statement]:
    kept: list[Statement] = []
    for statement in statements:
        if isinstance(statement, Block):
            body = _kept(statement.body, used)
            if body:
                kept.append(Block(statement.head, body))
            elif statement.head.startswith('else'):
                continue
            elif statement.head.startswith('if'):
                kept.append(Block(statement.head, []))
        elif isinstance(statement, Line) or _target(statement) in used:
            kept.append(statement)
    return [s for k, s in enumerate(kept) if not _is_idle(s, kept[k + 1 : k + 2])]


def _is_idle(statement: Statement, following: list[Statement]) -> bool:
    """Return whether a statement is an empty condition without an alternative."""
    if not isinstance(statement, Block) or statement.body:
        return False
    other = following[0] if following else None
    return not (isinstance(other, Block) and other.head.startswith('else'))


def _target(statement: Variable | Assignment | Store) -> str:
    return statement.root if isinstance(statement, Store) else statement.name


def lines(statements: list[Statement], depth: int = 1) -> Iterator[str]:
    """Yield the lines of statements."""
    indent = '    ' * depth
    for statement in statements:
        if isinstance(statement, Line):
            yield f'{indent}{statement.text}'
        elif isinstance(statement, Assignment):
            yield f'{indent}{statement.name} = {statement.text};'
        elif isinstance(statement, Store):
            yield f'{indent}{statement.root}[{statement.index}] = {statement.text};'
        elif isinstance(statement, Variable):
            yield f'{indent}{_declared(statement)}'
        else:
            yield f'{indent}{statement.head} {{'
            yield from lines(statement.body, depth + 1)
            yield f'{indent}}}'


def _declared(variable: Variable) -> str:
    ctype = 'int' if variable.ctype == 'bool' else variable.ctype
    if variable.size:
        value = ' = {0.0}' if variable.text else ''
        return f'{ctype} {variable.name}[{variable.size}]{value};'
    constant = 'const ' if variable.constant else ''
    value = f' = {variable.text}' if variable.text else ''
    return f'{constant}{ctype} {variable.name}{value};'

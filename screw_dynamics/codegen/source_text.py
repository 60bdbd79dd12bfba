# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Syntax trees of kernels, and the order in which their statements use names."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Iterator, Sequence
from functools import cache
from types import FunctionType


@cache
def definition(function: FunctionType) -> ast.FunctionDef:
    """Return the syntax tree of a function, without its docstring."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(function))).body[0]
    assert isinstance(tree, ast.FunctionDef)
    if ast.get_docstring(tree) is not None:
        tree.body = tree.body[1:]
    return tree


def contains(statements: Sequence[ast.AST], kinds: tuple[type, ...], own_loop: bool) -> bool:
    """Return whether statements contain some of the kinds; with `own_loop`, not in inner loops."""
    for statement in statements:
        if isinstance(statement, kinds):
            return True
        if isinstance(statement, (ast.For, ast.While)) and own_loop:
            continue
        for inner in (getattr(statement, name, ()) for name in ('body', 'orelse')):
            if isinstance(inner, list) and contains(inner, kinds, own_loop):
                return True
    return False


@cache
def returns_in_loop(function: FunctionType) -> bool:
    """Return whether a function returns from inside a loop."""
    loops = [
        node for node in ast.walk(definition(function)) if isinstance(node, (ast.For, ast.While))
    ]
    return any(contains(loop.body, (ast.Return,), False) for loop in loops)


def assigned(statements: Sequence[ast.AST]) -> set[str]:
    """Return the names that statements assign."""
    return {
        node.id
        for statement in statements
        for node in ast.walk(statement)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }


def loaded(nodes: Sequence[ast.AST]) -> set[str]:
    """Return the names that are read."""
    return {
        node.id
        for part in nodes
        for node in ast.walk(part)
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Store)
    }


def read_before_assigned(statements: Sequence[ast.stmt]) -> set[str]:
    """Return the names that may be read before the statements have assigned them."""
    early: set[str] = set()
    _scan(statements, set(), early)
    return early


def _scan(statements: Sequence[ast.stmt], done: set[str], early: set[str]) -> set[str]:
    """Collect names read before being in `done`; return the names assigned in every case."""
    done = set(done)
    for statement in statements:
        if isinstance(statement, ast.If):
            early |= loaded([statement.test]) - done
            first = _scan(statement.body, done, early)
            second = _scan(statement.orelse, done, early)
            done = first & second
        elif isinstance(statement, (ast.For, ast.While)):
            head = [statement.test] if isinstance(statement, ast.While) else [statement.iter]
            early |= loaded(head) - done
            inside = set(done)
            if isinstance(statement, ast.For):
                inside |= assigned([statement.target])
            _scan(statement.body, inside, early)
        else:
            names = loaded([statement])
            if isinstance(statement, ast.AugAssign) and isinstance(statement.target, ast.Name):
                names.add(statement.target.id)
            early |= names - done
            done |= assigned([statement])
    return done


def names_after(function: ast.FunctionDef, line: int | None) -> Iterator[str]:
    """Yield the names that a function reads behind a line."""
    for node in ast.walk(function):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            if line is not None and node.lineno > line:
                yield node.id

# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Syntax trees of functions, and names in their loops."""

from __future__ import annotations

import ast
import inspect
import textwrap
from functools import cache
from types import FunctionType

from screw_dynamics.codegen.translator.types import TranslationError


@cache
def tree_of(function: FunctionType) -> ast.FunctionDef:
    """Return the syntax tree of a function."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(function))).body[0]
    if not isinstance(tree, ast.FunctionDef):
        raise TranslationError(f'{function.__name__} is not a function')
    return tree


def changed_names(loop: ast.For | ast.While) -> set[str]:
    """Return the names that a loop assigns."""
    return {
        node.id
        for node in ast.walk(loop)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }


def names_outside(function: FunctionType, loop: ast.For | ast.While) -> set[str]:
    """Return the names in a function outside of a loop."""
    within = set(ast.walk(loop))
    names = (node for node in ast.walk(tree_of(function)) if isinstance(node, ast.Name))
    return {node.id for node in names if node not in within}


def ends_early(loop: ast.For) -> bool:
    """Return whether a loop may end before its last pass, or runs something if it does not."""
    kinds = ast.Break, ast.Continue, ast.Return
    return bool(loop.orelse) or any(isinstance(inner, kinds) for inner in ast.walk(loop))

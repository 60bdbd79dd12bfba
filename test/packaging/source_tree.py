# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Modules of the package and their imports, read from the sources without importing them."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / 'screw_dynamics'
MODULES = sorted(path.relative_to(PACKAGE) for path in PACKAGE.rglob('*.py'))
NAME = 'screw_dynamics'


def dotted(module: Path) -> str:
    """Return the name by which a file of the package is imported."""
    parts = (NAME, *module.with_suffix('').parts)
    return '.'.join(parts[:-1] if parts[-1] == '__init__' else parts)


def room(module: Path) -> str:
    """Return the first folder of a module, or its own name if it lies in the package itself."""
    return module.parts[0] if len(module.parts) > 1 else module.stem


def imported_names(statement: ast.Import | ast.ImportFrom) -> list[str]:
    names = [alias.name for alias in statement.names]
    if isinstance(statement, ast.Import):
        return names
    assert statement.level == 0, f'line {statement.lineno}: relative import'
    return [f'{statement.module}.{name}' for name in names]


def imports(path: Path) -> Iterator[str]:
    """Yield every name that a file imports, also inside functions and for type checkers."""
    for node in ast.walk(ast.parse(path.read_text(encoding='utf-8'))):
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield from imported_names(node)


def top_level_imports(path: Path) -> Iterator[str]:
    """Yield what a file imports as soon as it is imported itself."""
    for statement in ast.parse(path.read_text(encoding='utf-8')).body:
        if isinstance(statement, ast.Import | ast.ImportFrom):
            yield from imported_names(statement)


def own_imports(module: Path) -> Iterator[list[str]]:
    """Yield the parts behind `screw_dynamics` of every name of the package that a file imports."""
    for name in imports(PACKAGE / module):
        first, *rest = name.split('.')
        if first == NAME:
            yield rest


def file_graph() -> dict[str, set[str]]:
    """Return the modules of the package that every module imports."""
    names = {dotted(module) for module in MODULES}
    graph: dict[str, set[str]] = {name: set() for name in names}
    for module in MODULES:
        for parts in own_imports(module):
            target = '.'.join([NAME, *parts])
            while target not in names:
                target = target.rpartition('.')[0]
            graph[dotted(module)].add(target)
    # everybody may ask for the version, and the face imports everything on first use
    graph.pop(NAME)
    return {name: targets - {NAME} for name, targets in graph.items()}


def circle(graph: dict[str, set[str]]) -> list[str]:
    """Return the nodes of a circle of a graph, empty if there is none."""
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return error.args[1]
    return []

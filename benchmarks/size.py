# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Print the size of the house: python -m benchmarks.size."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from pathlib import Path

from benchmarks import ROOT
from screw_dynamics.common.text_table import text_table

_SOURCES = ('.py', '.pyi', '.c', '.h')
_NODES = 'screw_dynamics/nodes', 'screw_dynamics/control'
_COMPILER = (
    'screw_dynamics/kernels',
    'screw_dynamics/codegen',
    'test/kernels',
    'test/codegen',
)


def sources(*folders: str) -> list[Path]:
    """Return the source files below folders of the repository."""
    found = (path for folder in folders for path in sorted((ROOT / folder).rglob('*')))
    return [path for path in found if path.suffix in _SOURCES]


def lines(paths: Iterable[Path]) -> int:
    """Return the number of lines of files."""
    return sum(path.read_text(encoding='utf-8').count('\n') for path in paths)


def import_share(paths: Iterable[Path]) -> float:
    """Return the lines of imports per line of code; docstrings and comments do not count."""
    imports, code = 0, 0
    for path in paths:
        if path.suffix != '.py':
            continue
        tree = ast.parse(path.read_text(encoding='utf-8'))
        words: set[int] = set()
        for node in ast.walk(tree):
            if isinstance(node, (ast.Import, ast.ImportFrom)):
                imports += (node.end_lineno or node.lineno) - node.lineno + 1
            documented = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
            if isinstance(node, (ast.stmt, ast.expr)) and not documented:
                words |= {node.lineno, node.end_lineno or node.lineno}
        code += len(words)
    return imports / code


def main() -> None:
    """Print the table."""
    package, tests = sources('screw_dynamics'), sources('test')
    longest = max(package + tests + sources('benchmarks', 'docs'), key=lambda path: lines([path]))
    rooms = [path.parent.name for path in (ROOT / 'screw_dynamics').glob('*/__init__.py')]
    modules = [path.stem for path in (ROOT / 'screw_dynamics').glob('*.py')]
    rows = [
        ('lines of the package', str(lines(package))),
        ('lines of nodes/ and control/', str(lines(sources(*_NODES)))),
        ('lines of test/', str(lines(tests))),
        ('lines of benchmarks/', str(lines(sources('benchmarks')))),
        ('lines of kernels, translator and their tests', str(lines(sources(*_COMPILER)))),
        ('longest file', f'{longest.relative_to(ROOT)}, {lines([longest])} lines'),
        ('rooms', f'{len(rooms)}: {", ".join(sorted(rooms))}'),
        ('modules beside them', f'{len(modules)}: {", ".join(sorted(modules))}'),
        ('lines of imports per line of code', f'{import_share(package):.2f}'),
    ]
    print(text_table(rows))


if __name__ == '__main__':
    main()

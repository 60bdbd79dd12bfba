# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Print the size of the house, python -m benchmarks.size; --check: judge the lines of its rooms.

A commit that raises a line of `BUDGET` says why.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterable
from pathlib import Path

from benchmarks import ROOT
from screw_dynamics.common.text_table import text_table

_SOURCES = ('.py', '.pyi', '.c', '.h')
_NODES = 'screw_dynamics/nodes', 'screw_dynamics/control'
# lines at most; what is in no room of its own counts as the folder above
BUDGET = {
    'screw_dynamics': 590,
    'screw_dynamics/bridges': 1980,
    'screw_dynamics/codegen': 4210,
    'screw_dynamics/command_line': 3790,
    'screw_dynamics/common': 2190,
    'screw_dynamics/control': 6130,
    'screw_dynamics/drives': 4490,
    'screw_dynamics/dynamics': 2810,
    'screw_dynamics/estimation': 8080,
    'screw_dynamics/fleet': 1930,
    'screw_dynamics/kernels': 9850,
    'screw_dynamics/learning': 810,
    'screw_dynamics/lie': 1250,
    'screw_dynamics/limits': 3450,
    'screw_dynamics/model': 3700,
    'screw_dynamics/nodes': 6500,
    'screw_dynamics/recordings': 4310,
    'screw_dynamics/series': 1000,
    'screw_dynamics/simulation': 1650,
    'screw_dynamics/soft': 5840,
    'screw_dynamics/symbolic': 1740,
    'screw_dynamics/theory': 4320,
    'screw_dynamics/trajectory': 3920,
    'screw_dynamics/viewer': 2230,
    'test': 280,
    'test/agreement': 240,
    'test/bridges': 1140,
    'test/codegen': 2020,
    'test/command_line': 3050,
    'test/common': 1490,
    'test/control': 5500,
    'test/drives': 3650,
    'test/dynamics': 2640,
    'test/estimation': 3750,
    'test/examples': 1760,
    'test/fleet': 890,
    'test/helpers': 4280,
    'test/kernels': 780,
    'test/learning': 530,
    'test/lie': 600,
    'test/limits': 1990,
    'test/model': 2830,
    'test/nodes': 8150,
    'test/oracles': 3730,
    'test/packaging': 1670,
    'test/recordings': 2710,
    'test/series': 260,
    'test/simulation': 1210,
    'test/soft': 2570,
    'test/symbolic': 720,
    'test/theory': 1930,
    'test/trajectory': 3220,
    'test/verification': 270,
    'test/viewer': 1360,
}


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


def room(path: Path) -> str:
    """Return the room of a source file, as in `BUDGET`."""
    top, name, *inside = path.relative_to(ROOT).parts
    return f'{top}/{name}' if inside else top


def problems() -> list[str]:
    """Return a sentence for each room that is larger than its budget, or has none."""
    sizes: dict[str, int] = dict.fromkeys(BUDGET, 0)
    for path in sources('screw_dynamics', 'test'):
        sizes[room(path)] = sizes.get(room(path), 0) + lines([path])
    return [
        f'{name}: expected at most {BUDGET.get(name, 0)} lines, got {size}'
        for name, size in sizes.items()
        if size > BUDGET.get(name, 0)
    ]


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
        ('longest file', f'{longest.relative_to(ROOT)}, {lines([longest])} lines'),
        ('rooms', f'{len(rooms)}: {", ".join(sorted(rooms))}'),
        ('modules beside them', f'{len(modules)}: {", ".join(sorted(modules))}'),
        ('lines of imports per line of code', f'{import_share(package):.2f}'),
    ]
    print(text_table(rows))


if __name__ == '__main__':
    if sys.argv[1:] == ['--check']:
        sys.exit('\n'.join(problems()) or 0)
    main()

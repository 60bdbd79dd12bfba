# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Figures of the package: files, share of imports, headings of modules, exemptions from typing.

`python test/packaging/test_figures.py` prints the figures. Counted are all Python files of the
package. Import lines are those of import statements, code lines all others that are neither
blank nor comment nor docstring.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from dataclasses import dataclass

from source_tree import MODULES, PACKAGE, ROOT

FILES = [PACKAGE / module for module in MODULES]

MOST_IMPORTS = 0.15  # per line of code
CLAUSES = {'What', 'How', 'Which', 'Where', 'Why'}
LAYOUT = {
    tokenize.COMMENT,
    tokenize.DEDENT,
    tokenize.ENCODING,
    tokenize.ENDMARKER,
    tokenize.INDENT,
    tokenize.NEWLINE,
    tokenize.NL,
}


@dataclass
class Lines:
    """Numbers of lines of a file, or of all."""

    total: int = 0
    code: int = 0
    imports: int = 0
    docstrings: int = 0

    def add(self, other: Lines) -> None:
        self.total += other.total
        self.code += other.code
        self.imports += other.imports
        self.docstrings += other.docstrings


def span(node: ast.stmt) -> range:
    return range(node.lineno, (node.end_lineno or node.lineno) + 1)


def lines_of(text: str) -> Lines:
    """Return the numbers of lines of a source text."""
    tree = ast.parse(text)
    written: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in LAYOUT:
            written.update(range(token.start[0], token.end[0] + 1))
    imports: set[int] = set()
    docstrings: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            imports.update(span(node))
        elif isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            if ast.get_docstring(node) is not None:
                docstrings.update(span(node.body[0]))
    imports &= written
    code = written - imports - docstrings
    return Lines(len(text.splitlines()), len(code), len(imports), len(docstrings))


def count() -> Lines:
    result = Lines()
    for file in FILES:
        result.add(lines_of(file.read_text(encoding='utf-8')))
    return result


def test_lines_are_told_apart():
    text = (
        '"""Heading."""\n\nimport a\n\n# why\nx = """1\n\n2"""  # x\n\ndef f():\n    """Do."""\n'
    )
    assert lines_of(text) == Lines(total=11, code=4, imports=1, docstrings=2)


def test_imports_are_a_small_share_of_the_code():
    lines = count()
    assert lines.imports <= MOST_IMPORTS * lines.code


def test_headings_of_modules_name_things():
    for file in FILES:
        heading = ast.get_docstring(ast.parse(file.read_text(encoding='utf-8'))) or ''
        assert heading, f'{file} has no heading'
        assert heading.split()[0].strip('`') not in CLAUSES, f'{file}: {heading}'


def test_only_kernels_are_exempt_from_strict_typing():
    settings = (ROOT / 'pyproject.toml').read_text(encoding='utf-8')
    (checked,) = re.findall(r'^\[tool\.mypy\]\n(.*?)\n(?=\[)', settings, re.MULTILINE | re.DOTALL)
    assert 'strict = true\n' in checked
    assert set(re.findall(r'^(\w+) = false$', checked, re.MULTILINE)) <= {
        'disallow_subclassing_any',
        'disallow_untyped_decorators',
    }
    for override in settings.split('[[tool.mypy.overrides]]')[1:]:
        override = override.partition('\n[')[0]
        (modules,) = re.findall(r'module = \[(.*?)\]', override, re.DOTALL)
        own = [
            name for name in re.findall(r'"(.+?)"', modules) if name.startswith('screw_dynamics.')
        ]
        if own == ['screw_dynamics.theory.*']:  # formulas of arrays of any scalars
            assert re.findall(r'^(\w+) = false$', override, re.MULTILINE) == ['warn_return_any']
        else:
            assert own in ([], ['screw_dynamics.kernels.*']), own
    for file in FILES:
        assert not re.search(r'^# mypy:', file.read_text(encoding='utf-8'), re.MULTILINE), file


if __name__ == '__main__':
    found = count()
    print(
        f'{len(FILES)} files, {found.total} lines: {found.code} of code, {found.imports} of '
        f'imports ({found.imports / found.code:.3f}), {found.docstrings} of docstrings'
    )

# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Index of the numbered equations of the papers, by paper and by page, from citations in docstrings.

A docstring cites equations as `[KEY] (n), (m) to (k)`; a list or range holds until the next key.
"""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[1] / 'screw_dynamics'

# numbered equations of each paper
COUNTS = {'MK2021': 58, 'KM2021': 58, 'M2018': 90, 'N2021': 101, 'P2025': 79}
# pages of docs/theory by file, the longest beginning that fits
PAGES = {
    'lie/inertia.py': 'newton_euler',
    'lie/': 'frames_and_screws',
    'theory/tree.py': 'frames_and_screws',
    'theory/kinematics/': 'kinematics',
    'theory/kinematics/task_space.py': 'task_space',
    'theory/newton_euler.py': 'newton_euler',
    'theory/inverse_dynamics/': 'inverse_dynamics',
    'theory/closed_form/': 'closed_form',
    'theory/lagrange/': 'lagrange',
    'theory/forward_dynamics/': 'forward_dynamics',
    'theory/geometric_integration/': 'geometric_integration',
    'theory/sensitivities/': 'sensitivities',
    'theory/acceleration_energy/': 'acceleration_energies',
    'soft/': 'soft_recursion',
}
# equations that no docstring cites, with their page and the reason
UNCITED = {
    ('MK2021', 58): ('experiments', 'joint screws of the iiwa: `urdf/iiwa14.urdf`'),
    ('KM2021', 2): ('inverse_dynamics', "Leibniz' rule: `leibniz_terms` of `series/jets.py`"),
    **{
        ('KM2021', n): ('closed_form', 'no equation: a line of the display of (28)')
        for n in range(23, 28)
    },
    **{
        ('KM2021', n): ('closed_form', 'no equation: a line of the display of (34)')
        for n in range(29, 34)
    },
    **{
        ('N2021', n): (
            'frames_and_screws',
            'rotations about three axes: `rpy_rotation` of `lie/so3.py`, `pose` of `lie/se3.py`',
        )
        for n in (1, 4, 5, 6, 7)
    },
    ('N2021', 2): (
        'acceleration_energies',
        'translation of a product of exponentials, as (18): `exp_screw` of `lie/screw.py`',
    ),
    ('N2021', 63): (
        'newton_euler',
        'moments of the parts of a body add: `transform_inertia` of `lie/inertia.py`',
    ),
    **{
        ('N2021', n): ('kinematics', 'coordinates and their derivatives: the joint jet')
        for n in (8, 9)
    },
    **{
        ('N2021', n): (
            'newton_euler',
            'forces of the bodies: `central_wrench` of `theory/newton_euler.py`',
        )
        for n in range(77, 80)
    },
    **{
        ('N2021', n): (
            'acceleration_energies',
            'wrenches of gravity and load: `inverse_dynamics` of `equations.py`',
        )
        for n in (81, 82, 84)
    },
    **{('N2021', n): ('experiments', 'motion of one joint') for n in range(99, 102)},
    ('P2025', 14): ('soft_recursion', 'the fixed joint of the example, an identity'),
    **{
        ('P2025', n): (
            'soft_recursion',
            'points in the frame of the base: `world_points` of `test/oracles/material_points.py`',
        )
        for n in (15, 16)
    },
    **{
        ('P2025', n): (
            'soft_recursion',
            'the equations of Kane, evaluated without recursion: `efforts` of '
            '`test/oracles/material_points.py`',
        )
        for n in range(17, 22)
    },
    **{
        ('P2025', n): ('soft_recursion', 'no own code: a step of the derivation of (33) to (38)')
        for n in (22, 23, *range(25, 30), 32)
    },
    **{
        ('P2025', n): (
            'soft_recursion',
            'velocities, or the axes of the base: the recursion needs neither',
        )
        for n in (56, 57, 58, 59, 60, 62, 63)
    },
    ('P2025', 67): ('soft_recursion', 'accelerations of points: in the integrals of (44) to (47)'),
    **{
        ('P2025', n): ('soft_recursion', 'no own code: proof that (18) to (21) are (1)')
        for n in range(68, 71)
    },
    **{
        ('P2025', n): ('soft_recursion', 'no own code: proof of (37), (38)') for n in range(71, 75)
    },
}
# equations that are implemented otherwise than they are printed
CORRECTED = {
    'MK2021': {
        1: 'sign of the load',
        27: 'sign of the load',
        43: r'the first term is of $\ddot q$, not of $\dot q$',
    },
    'KM2021': {},
    'M2018': {
        3: 'last factor',
        4: 'range of indices',
        5: 'index of a factor',
        14: 'factor 1 for equal indices',
        19: 'the screws stand on the diagonal of a matrix',
        26: 'a case is missing',
        27: 'a case is missing',
        28: 'indices, representation',
        29: 'a case is missing',
        34: 'terms of the rotating axes are missing',
        51: 'a dot is missing',
        53: 'a term is missing',
        64: 'transposed rotations, relative angular velocity',
        65: 'transposed rotations, relative angular velocity',
        68: 'the loop begins at the last body; sign of the load',
        72: 'the loop begins at the last body; sign of the load',
        76: 'the screw depends on the configuration',
        77: 'the loop begins at the last body; sign of the load',
        87: 'indices of the third term, ranges',
        88: 'replaced by the form of Binet',
        90: 'with the spatial twist the increment is on the left',
    },
    'N2021': {
        20: 'sign of an exponent',
        **dict.fromkeys((21, 22), 'product of exponentials, not exponential of a sum'),
        23: 'factor of the last term',
        **dict.fromkeys((41, 44, 47, *range(50, 55)), 'product of exponentials'),
        42: 'product of exponentials, factor of the last term',
        43: 'indices sorted from root to tip',
        45: 'the first derivative of the first-order matrix',
        46: 'indices sorted from root to tip',
        48: 'the derivative by the third index',
        56: 'coupling of rotation and translation',
        57: r'factor 1 of the term with $V$',
        **dict.fromkeys((76, 80, 83), 'all terms of the rule of Leibniz'),
        85: 'gravity enters once',
        96: 'Catalan numbers: 14, not 9',
        98: 'Catalan numbers',
    },
    'P2025': {
        6: 'orthonormal also where the end is not rigid',
        36: 'the frame of a factor',
        46: 'the third term in the frame of the body',
        47: "gradient by q'",
        52: 'the torque of gravity is carried, signs of g and s',
        55: 'sign of the inputs',
    },
}
# how far an equation goes that is implemented as printed
EXTENTS = {
    ('P2025', 4): 'not required: the axes are made orthonormal',
    ('M2018', 79): 'evaluated for a motion; not coded as n + 6 n equations for (q, V) in time',
    ('M2018', 80): 'evaluated for a motion; in time reduced to 2 n equations for (q, p), not '
    'coded as n + 6 n for (q, Π)',
}

_CITATION = re.compile(r'\[([A-Z]+\d{4})\]((?:\s*(?:,|and|to)?\s*\(\d+\))+)')
_NUMBERS = re.compile(r'\((\d+)\)(?:\s+to\s+\((\d+)\))?')


@cache
def citations(package: Path = PACKAGE) -> list[tuple[str, int, str, str]]:
    """Return key, number, file and function (empty: the module) of every cited equation."""
    found = []
    for path in sorted(package.rglob('*.py')):
        source, file = path.read_text(encoding='utf-8'), path.relative_to(package).as_posix()
        for name, text in docstrings(ast.parse(source)) if _CITATION.search(source) else ():
            for key, numbers in _CITATION.findall(text):
                for first, last in _NUMBERS.findall(numbers):
                    span = range(int(first), int(last or first) + 1)
                    found += [(key, number, file, name) for number in span]
    return found


def docstrings(node: ast.AST, name: str = '') -> Iterator[tuple[str, str]]:
    """Yield name and docstring of a module, and of its classes and functions."""
    if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
        yield name, ast.get_docstring(node) or ''
        for child in node.body:
            if isinstance(child, ast.ClassDef | ast.FunctionDef):
                yield from docstrings(child, f'{name}.{child.name}'.lstrip('.'))


def table(key: str, package: Path = PACKAGE) -> str:
    """Return the Markdown table of the numbered equations of a paper."""
    cited = places(key, package)
    lines = ['| Equation | Subject | Files and functions | Remark |', '|---|---|---|---|']
    for number in range(1, COUNTS[key] + 1):
        if number in cited:
            files = '<br>'.join(place(file, names) for file, names in cited[number].items())
            pages = dict.fromkeys(page_of(file) for file in cited[number])
            remark = CORRECTED[key].get(number, '')
            remark = f'corrected: {remark}' if remark else EXTENTS.get((key, number), '')
        else:
            page, remark = UNCITED[key, number]
            pages, files = {page: None}, ''
        links = ', '.join(f'[{page.replace("_", " ")}]({page}.md)' for page in pages)
        lines.append(f'| ({number}) | {links} | {files} | {remark} |')
    return '\n'.join(lines) + '\n'


def page_table(page: str, package: Path = PACKAGE) -> str:
    """Return the Markdown table of the files of a page: subject, and equations that they cite."""
    cited: dict[str, list[str]] = {
        path.relative_to(package).as_posix(): []
        for path in sorted(package.glob('theory/**/*.py'))
        if path.name != '__init__.py'
    }
    for key in COUNTS:
        numbers: dict[str, list[int]] = defaultdict(list)
        for number, files in sorted(places(key, package).items()):
            for file in files:
                numbers[file].append(number)
        for file, found in sorted(numbers.items()):
            cited.setdefault(file, []).append(f'{key} {spans(found)}')
    lines = ['| File | Subject | Equations |', '|---|---|---|']
    for file, equations in cited.items():
        if page_of(file) == page:
            text = ast.get_docstring(ast.parse((package / file).read_text(encoding='utf-8'))) or ''
            lines.append(
                f'| {place(file, [])} | {text.splitlines()[0]} | {"; ".join(equations)} |'
            )
    return '\n'.join(lines) + '\n'


def spans(numbers: list[int]) -> str:
    """Return increasing numbers as they are cited: (3), (5) to (7)."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return ', '.join(
        f'({run[0]}) to ({run[-1]})' if len(run) > 2 else ', '.join(f'({n})' for n in run)
        for run in runs
    )


def places(key: str, package: Path = PACKAGE) -> dict[int, dict[str, list[str]]]:
    """Return files and functions that cite the equations of a paper, by number."""
    found: dict[int, dict[str, list[str]]] = defaultdict(dict)
    for cited, number, file, name in citations(package):
        if cited == key and name not in found[number].setdefault(file, []):
            found[number][file].append(name)
    for files in found.values():
        for file, names in files.items():  # a module that names the function need not be named too
            files[file] = [name for name in names if name] or names
        if any(names != [''] for names in files.values()):
            for file in [file for file, names in files.items() if names == ['']]:
                del files[file]
    return found


def place(file: str, names: list[str]) -> str:
    """Return the cell of a file with the functions that cite an equation."""
    link = f'[{file.removeprefix("theory/")}](../../{PACKAGE.name}/{file})'
    return ' '.join([link, ', '.join(f'`{name}`' for name in names if name)]).strip()


def page_of(file: str) -> str:
    """Return the page of docs/theory on the subject of a file; empty if there is none."""
    return PAGES.get(
        max((prefix for prefix in PAGES if file.startswith(prefix)), key=len, default=''), ''
    )

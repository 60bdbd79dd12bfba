# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The page of `make verification`, and its table for the terminal."""

from __future__ import annotations

import platform
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass, field
from importlib import metadata
from math import isnan
from pathlib import Path

from oracles.comparison import TOLERANCE

from screw_dynamics.text_table import text_table
from verification.algorithms import algorithms, equations
from verification.costs import CHAINS, HIGH_ORDER, ORDER, Cost
from verification.scenes import ORDER as HIGHEST
from verification.scenes import ROWS

HEADER = ['Algorithm', 'Equations', 'Checked against', 'Trees', 'Robots', 'µs', 'Order', 'Joints']
_PACKAGES = ('numpy', 'numba', 'gmpy2')
_ROOMS = {
    'kinematics': 'Kinematics',
    'dynamics': 'Dynamics',
    'elastic': 'Elastic joints',
    'estimation': 'Uncertainty',
    'lie': 'Rigid motions',
    'theory': 'Theory',
}


@dataclass
class Row:
    """
    What is known of an algorithm.

    Parameters
    ----------
    oracles : list of str
        Sources of the exact values.
    trees, robots : float
        Worst residuals; negative before the first one.
    cost : Cost, optional
    """

    oracles: list[str] = field(default_factory=list)
    trees: float = -1.0
    robots: float = -1.0
    cost: Cost | None = None

    @property
    def broken(self) -> bool:
        """True unless all residuals are there and below the bound."""
        return not all(0.0 <= worst <= TOLERANCE for worst in (self.trees, self.robots))


def rooms(rows: dict[str, Row]) -> Iterator[tuple[str, str, dict[str, Row]]]:
    """Yield heading, prefix of the names and rows of every room."""
    for room, heading in _ROOMS.items():
        of_room = {name: row for name, row in rows.items() if name.startswith(f'{room}.')}
        if room != 'theory':
            yield heading, f'{room}.', of_room
            continue
        for subject in dict.fromkeys(name.split('.')[1] for name in of_room):
            prefix = f'theory.{subject}'
            own = {name: row for name, row in of_room.items() if name.startswith(f'{prefix}.')}
            yield f'{heading}: {subject.replace("_", " ")}', f'{prefix}.', own


def terminal(rows: dict[str, Row]) -> str:
    """Return the table of residuals and costs, of at most 100 columns."""
    lines = [['algorithm', 'trees', 'robots', 'µs', 'order', 'joints']]
    for _, _, of_room in rooms(rows):
        for name, row in of_room.items():
            short = '.'.join(name.split('.')[-2:])
            lines.append([short, f'{row.trees:.1e}', f'{row.robots:.1e}', *_cost(row.cost)])
    return text_table(lines, 100)


def markdown(rows: dict[str, Row], seeds: range, robots: list[str]) -> str:
    """Return the page."""
    lines = ['# Verification', '']
    for paragraph in _introduction(rows, seeds, robots):
        bullet = '  ' if paragraph.startswith('- ') else ''
        lines += [*textwrap.wrap(paragraph, 110, subsequent_indent=bullet), '']
    for heading, prefix, of_room in rooms(rows):
        lines += [f'## {heading}', '', _line(HEADER), '|---' * len(HEADER) + '|']
        for name, row in of_room.items():
            cells = [
                f'`{name.removeprefix(prefix)}`',
                equations(algorithms()[name]),
                '; '.join(row.oracles),
                f'{row.trees:.1e}',
                f'{row.robots:.1e}',
                *_cost(row.cost),
            ]
            lines.append(_line(cells))
        lines.append('')
    return '\n'.join(lines)


def _introduction(rows: dict[str, Row], seeds: range, robots: list[str]) -> Iterator[str]:
    worst = max(max(row.trees, row.robots) for row in rows.values())
    versions = ', '.join(f'{name} {metadata.version(name)}' for name in _PACKAGES)
    sizes = ', '.join(
        f'from {few} to {many} for calls {_duration(limit)}'
        for limit, (few, many) in CHAINS.items()
    )
    yield (
        f'Command: `make verification`. {len(rows)} algorithms on {len(seeds)} random trees '
        f'(seeds {seeds[0]} to {seeds[-1]}, one in three near-singular) and the robots '
        f'{", ".join(robots)}, beside independent values in 60-digit arithmetic. '
        f'Largest residual: {worst:.1e}; the bound is {TOLERANCE:g}.'
    )
    yield (
        'Trees have two to five bodies with revolute, prismatic, helical and mimic joints. '
        'Near-singular ones have axes that coincide, meet or are parallel to 1e-12, centres of '
        'mass on the axes, bodies of a thousandth or a billionth of the mass, rods and mass '
        'points, motions at rest, nearly at rest or 30 rad away. '
        f'Efforts, twists and energies are compared up to order {HIGHEST}, derivatives of '
        f'matrices up to {ROWS - 1}, partial derivatives of efforts up to order 1. '
        'Curves, limits, simulations and integrators are held by their tests alone.'
    )
    yield (
        '- **Equations**: those that the docstring cites, else its module. Without them it is '
        'a definition that the docstring has.'
    )
    yield (
        '- **Trees, Robots**: the worst residual, max |x - exact| / max |exact| of one order. '
        'If a value is a thousand times smaller than the terms it is the sum of, the residual '
        'is relative to a thousandth of them. Forward dynamics and its derivatives are judged '
        'by the efforts of the result, where the condition of the mass matrix is below 1e10.'
    )
    yield (
        '- **Checked against**: exact poses and their series, mass points that move with them, '
        "d'Alembert's principle for these, which share nothing with the package but the numbers "
        'of the model (`test/oracles/`); for partial derivatives differences of these in 60 '
        'digits.'
    )
    yield (
        f'- **µs**: one call from Python for the iiwa (7 joints) at order {ORDER}. **Order**: '
        f'time at order {HIGH_ORDER} by that at order 0. **Joints**: exponent of the growth with '
        f'the joints of a chain ({sizes}).'
    )
    yield (
        f'Machine: {_processor()}, Python {platform.python_version()}, {versions}. Algorithms '
        'of theory are written for reading, in Python for scalars of any type, as are rigid '
        'motions; all others are compiled. [Accuracy](accuracy.md) compares 189 published robots, '
        '[Speed](benchmark.md) other libraries.'
    )


def _line(cells: list[str]) -> str:
    return f'| {" | ".join(cells)} |'


def _cost(cost: Cost | None) -> list[str]:
    if cost is None:
        return ['', '', '']
    growth = [
        '' if isnan(value) else format(value, '.1f') for value in (cost.by_order, cost.by_joints)
    ]
    microseconds = cost.seconds * 1e6
    return [format(microseconds, '.1f' if microseconds < 1e3 else '.0f'), *growth]


def _duration(limit: float) -> str:
    if limit == float('inf'):
        return 'that take longer'
    return f'below {limit * 1e3:g} ms'


def _processor() -> str:
    """Return the name of the processor."""
    path = Path('/proc/cpuinfo')
    if path.exists():
        for line in path.read_text(encoding='utf-8').splitlines():
            if line.startswith('model name'):
                return line.partition(':')[2].strip()
    return platform.processor() or platform.machine()

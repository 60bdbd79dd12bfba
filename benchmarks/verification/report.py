# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The page of `make verification`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from math import isnan
from typing import Any

from oracles.comparison import TOLERANCE

from benchmarks.report import Report
from benchmarks.verification.algorithms import algorithms, equations
from benchmarks.verification.checks import name_of
from benchmarks.verification.costs import CHAINS, HIGH_ORDER, ORDER, Cost
from benchmarks.verification.measures import Integration, Measure
from benchmarks.verification.scenes import ORDER as HIGHEST
from benchmarks.verification.scenes import ROWS

HEADER = ['Algorithm', 'Equations', 'Checked against', 'Trees', 'Robots', 'µs', 'Order', 'Joints']
MEASURED = ['Algorithm', 'Equations', 'Checked against', 'Residual', 'Bound', 'µs', 'Growth']
INTEGRATED = [
    'System', 'Equations', 'Method', 'Order', 'Measured', 'Steps', 'Energy', 'Momentum', 'µs',
]  # fmt: skip
INTEGRATORS = 'Integrators'
ORDER_ROOM = 0.8  # that of a measured order around that of the method
_ABOUT_INTEGRATORS = (
    '**Measured**: log2 of the ratio of the errors with a number of steps and with twice as many. '
    '**Energy**, **Momentum**: the largest deviation from the start over so many steps, relative '
    'to it; at rounding where the method preserves it exactly, else it falls with its order. Free '
    'bodies turn 20 s in steps of 20 ms; trees have no gravity and no efforts, their momentum is '
    'that about the axis of the first joint, in steps of 20 ms; the elastic robot is the planar '
    'arm with linear springs and without friction, in steps of 0.1 ms. **µs**: per step.'
)
_ROOMS = {
    'dynamics': 'Dynamics',
    'drives': 'Drives',
    'estimation': 'Uncertainty',
    'lie': 'Rigid motions',
    'theory': 'Theory',
}


@dataclass
class Row:
    """What is known of an algorithm; residuals are negative before the first one."""

    oracles: list[str] = field(default_factory=list)  # sources of the exact values
    trees: float = -1.0
    robots: float = -1.0
    cost: Cost | None = None

    @property
    def broken(self) -> bool:
        """True unless all residuals are there and below the bound."""
        return not all(0.0 <= worst <= TOLERANCE for worst in (self.trees, self.robots))


@dataclass
class Extra:
    """What is measured beside the random trees: measures with seconds and growth, by heading."""

    measures: dict[str, list[tuple[Measure, float | None, float | None]]] = field(
        default_factory=dict
    )
    integrations: list[Integration] = field(default_factory=list)

    @property
    def broken(self) -> list[str]:
        """Names of what is beyond its bound, or not of its order."""
        names = [
            name_of(measure.algorithm)
            for entries in self.measures.values()
            for measure, _, _ in entries
            if not measure.residual <= measure.bound
        ]
        return names + [
            f'{name_of(entry.system)}, {entry.method}'
            for entry in self.integrations
            if not abs(entry.order - entry.nominal) < ORDER_ROOM
        ]


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


def page(rows: dict[str, Row], seeds: range, robots: list[str], extra: Extra) -> Report:
    """Return the page."""
    report = Report('verification', 'Verification')
    report.text(*_introduction(rows, seeds, robots))
    report.machine(
        'numpy',
        'gmpy2',
        note=' Algorithms of theory are written for reading, in Python for scalars of any type, '
        'as are rigid motions; the others use compiled kernels. [Accuracy](accuracy.md) compares '
        '189 published robots, [Speed](speed.md) other libraries.',
    )
    for heading, prefix, of_room in rooms(rows):
        report.heading(heading)
        lines = []
        for name, row in of_room.items():
            short, cited = name.removeprefix(prefix), equations(algorithms()[name])
            residuals = f'{row.trees:.1e}', f'{row.robots:.1e}'
            lines.append(
                [f'`{short}`', cited, '; '.join(row.oracles), *residuals, *_cost(row.cost)]
            )
        report.table(HEADER, lines)
    for heading, entries in extra.measures.items():
        report.heading(heading)
        report.table(MEASURED, [_measured(*entry) for entry in entries])
    if extra.integrations:
        report.heading(INTEGRATORS)
        report.text(_ABOUT_INTEGRATORS)
        report.table(INTEGRATED, map(_integrated, extra.integrations))
    for name in [name for name, row in rows.items() if row.broken] + extra.broken:
        report.fail(f'{name}: beyond the bound {TOLERANCE:g} or its own')
    return report


def _measured(measure: Measure, seconds: float | None, growth: float | None) -> list[str]:
    reason = f' ({measure.reason})' if measure.reason else ''
    return [
        f'`{short_name(measure.algorithm)}`',
        equations(measure.algorithm),
        f'{measure.oracle}{reason}',
        f'{measure.residual:.1e}',
        f'{measure.bound:g}',
        '' if seconds is None else _microseconds(seconds),
        '' if growth is None else f'{growth:.1f}',
    ]


def _integrated(entry: Integration) -> list[str]:
    return [
        f'`{short_name(entry.system)}`',
        equations(entry.system),
        f'{entry.method}; against {entry.oracle}',
        str(entry.nominal),
        f'{entry.order:.2f}',
        str(entry.steps),
        *('' if isnan(x) else f'{x:.1e}' for x in (entry.energy, entry.momentum)),
        _microseconds(entry.seconds),
    ]


def short_name(algorithm: Callable[..., Any]) -> str:
    """Return the last name of the module and the name."""
    return f'{algorithm.__module__.rpartition(".")[2]}.{algorithm.__qualname__}'


def _microseconds(seconds: float) -> str:
    microseconds = seconds * 1e6
    return format(microseconds, '.1f' if microseconds < 1e3 else '.0f')


def _introduction(rows: dict[str, Row], seeds: range, robots: list[str]) -> Iterator[str]:
    worst = max(max(row.trees, row.robots) for row in rows.values())
    sizes = ', '.join(
        f'from {few} to {many} for calls {_duration(limit)}'
        for limit, (few, many) in CHAINS.items()
    )
    yield (
        f'Command: `make verification`. {len(rows)} algorithms on {len(seeds)} random trees '
        f'(seeds {seeds[0]} to {seeds[-1]}, one in three near-singular) and the robots '
        f'{", ".join(robots)}, compared with independent values in 60-digit arithmetic. '
        f'Largest residual: {worst:.1e}; the bound is {TOLERANCE:g}.'
    )
    yield (
        'Trees have two to five bodies with revolute, prismatic, helical and mimic joints. '
        'Near-singular ones have axes that coincide, meet or are parallel to 1e-12, centres of '
        'mass on the axes, bodies of a thousandth or a billionth of the mass, rods and mass '
        'points, motions at rest, nearly at rest or 30 rad away. '
        f'Efforts, twists and energies are compared up to order {HIGHEST}, derivatives of '
        f'matrices up to {ROWS - 1}, partial derivatives of efforts up to order 1. '
        'Curves, observers, generated code, soft robots, expressions and integrators have tables '
        'of their own.'
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
        '- **Residual**, **Bound**, **Growth** of the tables without trees: the worst of the '
        'cases of `benchmarks/verification/*_checks.py`, with the reason where rounding is not '
        'the bound; the exponent of the growth of the time with the bodies of a soft robot or the '
        'points of a curve.'
    )


def _cost(cost: Cost | None) -> list[str]:
    if cost is None:
        return ['', '', '']
    growth = [
        '' if isnan(value) else format(value, '.1f') for value in (cost.by_order, cost.by_joints)
    ]
    return [_microseconds(cost.seconds), *growth]


def _duration(limit: float) -> str:
    if limit == float('inf'):
        return 'that take longer'
    return f'below {limit * 1e3:g} ms'

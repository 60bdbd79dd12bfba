# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The page of `make accuracy`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import groupby
from typing import TYPE_CHECKING, Any

import numpy as np
from oracles.comparison import TOLERANCE

from benchmarks.accuracy.compare import ORDER, Comparison
from benchmarks.accuracy.menagerie import MenagerieRow, add_section, with_urdf
from benchmarks.report import Report

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_ORDERS = [str(order) for order in range(ORDER + 1)]
_QUANTITIES = {
    **{order: f'tau{chr(39) * int(order)} / 60 digits' for order in _ORDERS},
    'Pinocchio': 'tau / Pinocchio rnea',
    'to Pinocchio': 'tau / Pinocchio rnea of `to_pinocchio`',
    'from Pinocchio': 'tau / that of `from_pinocchio`',
    'M': 'mass matrix / Pinocchio crba',
    'gravity': 'gravity forces / 60 digits',
    'bias': 'bias forces / 60 digits',
    'KM2021': 'recursion of KM2021, orders 0 to 4 / 60 digits',
}


def page(
    rows: Sequence[Comparison], parsed: Sequence[dict[str, Any]], documents: list[MenagerieRow]
) -> Report:
    """Return the page of robots, of records of `parsed_objects` and of MJCF."""
    read = [row for row in rows if not row.problem]
    report = Report('accuracy', 'Accuracy')
    report.text(
        f'Command: `make accuracy`. {len(rows)} robot descriptions with two or more moving joints '
        f'from {len({row.robot.package for row in rows})} Python packages; {len(read)} are read, '
        f'{sum(bool(row.broken) for row in read)} of them break a bound.',
        'An entry is max |x - ref| / max |ref| over the joints, the largest of three random '
        'states and, for the orders 0 to 4 of the inverse dynamics, of a single and a batch call. '
        "The reference is d'Alembert's principle in 60-digit arithmetic, which shares nothing "
        'with the package but the numbers of the model, and Pinocchio, which reads the URDF with '
        'its own parser; `to_pinocchio` and `from_pinocchio` convert the one model to the other. '
        f'The bound is {TOLERANCE:g} everywhere. If all joints together need a '
        'thousand times less than the loads in the robot (wheels whose centre of mass is on the '
        'axle need nothing against gravity), rounding of the loads is what is left: the entry is '
        'relative to a thousandth of the loads then, and a note says that the quantity cancels.',
    )
    report.machine('numpy', 'pin')
    report.figure('largest error of every robot by order', partial(_draw, read), (9.0, 5.0))
    report.heading('Summary')
    report.table(['quantity', 'robots', 'median', 'worst', 'worst robot'], _summary(read))
    listed = [row for row in rows if row.problem or row.broken]
    if listed:
        report.heading('Not read, or beyond a bound')
        reasons = [
            [row.robot.package, row.robot.name, row.problem or _verdict(row)] for row in listed
        ]
        report.table(['package', 'robot', 'reason'], reasons)
    report.heading('Robots that other parsers read')
    report.text(
        '`from_parsed_urdf` with the objects of other URDF parsers, visual and collision tags '
        'removed first, against `read_urdf` of the same document: largest relative difference of '
        "tau, tau', tau''."
    )
    cells = [[one['parser'], one['robot'], _error(one['error']), one['problem']] for one in parsed]
    report.table(['parser', 'robot', 'difference', ''], cells)
    pairs = [*with_urdf(documents, [row.robot for row in rows])]
    add_section(report, documents, pairs)
    report.heading('Robots')
    report.text('Orders 0 to 4 of the inverse dynamics; the other columns as above.')
    header = ['robot', 'joints', 'bodies', 'mimic', *_QUANTITIES, 'verdict', 'notes']
    for package, members in groupby(rows, key=lambda row: row.robot.package):
        report.heading(package, 3)
        report.table(header, map(_cells, members))
    for row in read:
        if row.broken:
            name = f'{row.robot.package}/{row.robot.name}'
            report.fail(f'{name}: {", ".join(row.broken)} beyond the bound {TOLERANCE:g}')
    for one in parsed:
        if one['error'] is not None and one['error'] > TOLERANCE:
            report.fail(f'{one["parser"]}: {one["robot"]}: beyond the bound {TOLERANCE:g}')
    return report


def _draw(rows: Sequence[Comparison], figure: Figure) -> None:
    """Draw the error of every robot over its number of joints, one colour per order."""
    from matplotlib import colormaps

    axes = figure.subplots()
    colours = colormaps['viridis'](np.linspace(0.0, 0.9, len(_ORDERS)))
    for order, colour in zip(_ORDERS, colours, strict=True):
        shift = 1.0 + 0.03 * (int(order) - ORDER / 2)
        axes.loglog(
            [row.bodies * shift for row in rows],
            # an error of exactly zero has no logarithm
            [max(row.errors[order], 1e-17) for row in rows],
            '.', color=colour, label=f'order {order}',
        )  # fmt: skip
    axes.axhline(TOLERANCE, color='tab:red', label='bound')
    axes.set(
        xlabel='moving bodies',
        ylabel='max |x - ref| / max |ref|  (1e-17: exactly zero)',
        title=f'inverse dynamics of {len(rows)} robots against 60 digits',
    )
    axes.grid(alpha=0.3)
    figure.legend(loc='outside right upper')


def _verdict(row: Comparison) -> str:
    if row.problem:
        return 'not read'
    return f'FAILED: {", ".join(row.broken)}' if row.broken else 'ok'


def _error(value: float | None) -> str:
    return '' if value is None else f'{value:.1e}'


def _summary(rows: Sequence[Comparison]) -> Iterator[list[object]]:
    for quantity, name in _QUANTITIES.items():
        measured = [row for row in rows if quantity in row.errors]
        errors = [row.errors[quantity] for row in measured]
        worst = measured[int(np.argmax(errors))]
        values = f'{np.median(errors):.1e}', f'{max(errors):.1e}'
        yield [name, len(errors), *values, worst.robot.name]


def _cells(row: Comparison) -> list[object]:
    errors = [_error(row.errors.get(quantity)) for quantity in _QUANTITIES]
    sizes = row.joints, row.bodies, row.mimics
    return [row.robot.name, *sizes, *errors, _verdict(row), '; '.join(row.notes)]

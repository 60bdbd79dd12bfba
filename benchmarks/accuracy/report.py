# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The tables and the plot of `make accuracy`."""

from __future__ import annotations

import platform
from collections.abc import Sequence
from importlib import metadata
from itertools import groupby
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np

matplotlib.use('Agg')

from matplotlib import pyplot as plt  # noqa: E402

from benchmarks.accuracy.compare import BOUND, ORDER, Comparison  # noqa: E402
from screw_dynamics.jit import kernel_form  # noqa: E402

_ORDERS = [str(order) for order in range(ORDER + 1)]
_QUANTITIES = {
    **{order: f'tau{chr(39) * int(order)} / 60 digits' for order in _ORDERS},
    'Pinocchio': 'tau / Pinocchio rnea',
    'M': 'mass matrix / Pinocchio crba',
    'gravity': 'gravity forces / 60 digits',
    'bias': 'bias forces / 60 digits',
    'KM2021': 'recursion of KM2021, orders 0 to 4 / 60 digits',
}
_COLUMNS = [*_ORDERS, 'Pinocchio', 'M', 'gravity', 'bias', 'KM2021']


def verdict(row: Comparison) -> str:
    """
    Return 'ok', 'FAILED' with the quantities, or 'not read'.

    Parameters
    ----------
    row : Comparison

    Returns
    -------
    str

    """
    if row.problem:
        return 'not read'
    return f'FAILED: {", ".join(row.broken)}' if row.broken else 'ok'


def markdown(rows: Sequence[Comparison], parsed: Sequence[dict[str, Any]]) -> str:
    """
    Return the whole report.

    Parameters
    ----------
    rows : sequence of Comparison
    parsed : sequence of dict
        Records of `parsed_objects`.

    Returns
    -------
    str

    """
    read = [row for row in rows if not row.problem]
    lines = [
        '# Accuracy',
        '',
        f'Command: `make accuracy`. {len(rows)} robot descriptions with two or more moving joints',
        f'from {len({row.robot.package for row in rows})} Python packages; {len(read)} are read,',
        f'{sum(bool(row.broken) for row in read)} of them break a bound.',
        '',
        'An entry is max |x - ref| / max |ref| over the joints, the largest of three random',
        'states and, for the orders 0 to 4 of the inverse dynamics, of a single and a batch call.',
        "The reference is d'Alembert's principle in 60-digit arithmetic, which shares nothing",
        'with the package but the numbers of the model, and Pinocchio, which reads the URDF with',
        f'its own parser. The bound is {BOUND:g} everywhere. If all joints together need a',
        'thousand times less than the loads in the robot (wheels whose centre of mass is on the',
        'axle need nothing against gravity), rounding of the loads is what is left: the entry is',
        'relative to a thousandth of the loads then, and a note says that the quantity cancels.',
        '',
        f'Python {platform.python_version()}, kernels in {kernel_form()}, '
        + ', '.join(f'{name} {metadata.version(name)}' for name in ('numpy', 'pin'))
        + '.',
        '',
        '![largest error of every robot by order](accuracy.png)',
        '',
        '## Summary',
        '',
        '| quantity | robots | median | worst | worst robot |',
        '|---|---|---|---|---|',
        *[_summary(read, quantity) for quantity in _COLUMNS],
        '',
        *_problems(rows),
        *_parsed_objects(parsed),
        *_robots(rows),
    ]
    return '\n'.join(lines) + '\n'


def plot(rows: Sequence[Comparison], path: Path) -> None:
    """
    Draw the error of every robot over its number of joints, one colour per order.

    Parameters
    ----------
    rows : sequence of Comparison
    path : Path
        PNG file.

    """
    figure, axes = plt.subplots(figsize=(9.0, 5.0), layout='constrained')
    read = [row for row in rows if not row.problem]
    colours = plt.get_cmap('viridis')(np.linspace(0.0, 0.9, len(_ORDERS)))
    for order, colour in zip(_ORDERS, colours, strict=True):
        shift = 1.0 + 0.03 * (int(order) - ORDER / 2)
        axes.loglog(
            [row.bodies * shift for row in read],
            # an error of exactly zero has no logarithm
            [max(row.errors[order], 1e-17) for row in read],
            '.', color=colour, label=f'order {order}',
        )  # fmt: skip
    axes.axhline(BOUND, color='tab:red', label='bound')
    axes.set(
        xlabel='moving bodies',
        ylabel='max |x - ref| / max |ref|  (1e-17: exactly zero)',
        title=f'inverse dynamics of {len(read)} robots against 60 digits',
    )
    axes.grid(alpha=0.3)
    figure.legend(loc='outside right upper')
    figure.savefig(path, dpi=120)
    plt.close(figure)


def _summary(rows: Sequence[Comparison], quantity: str) -> str:
    measured = [row for row in rows if quantity in row.errors]
    errors = [row.errors[quantity] for row in measured]
    worst = measured[int(np.argmax(errors))]
    return (
        f'| {_QUANTITIES[quantity]} | {len(errors)} | {np.median(errors):.1e} '
        f'| {max(errors):.1e} | {worst.robot.name} |'
    )


def _problems(rows: Sequence[Comparison]) -> list[str]:
    listed = [row for row in rows if row.problem or row.broken]
    if not listed:
        return []
    return [
        '## Not read, or beyond a bound',
        '',
        '| package | robot | reason |',
        '|---|---|---|',
        *[
            f'| {row.robot.package} | {row.robot.name} | {_cell(row.problem or verdict(row))} |'
            for row in listed
        ],
        '',
    ]


def _parsed_objects(records: Sequence[dict[str, Any]]) -> list[str]:
    return [
        '## Robots that other parsers read',
        '',
        '`from_urdfpy` with the objects of other URDF parsers, visual and collision tags removed',
        'first, against `read_urdf` of the same document: largest relative difference of tau,',
        "tau', tau''.",
        '',
        '| parser | robot | difference | |',
        '|---|---|---|---|',
        *[
            f'| {record["parser"]} | {record["robot"]} '
            f'| {"" if record["error"] is None else format(record["error"], ".1e")} '
            f'| {_cell(record["problem"])} |'
            for record in records
        ],
        '',
    ]


def _robots(rows: Sequence[Comparison]) -> list[str]:
    lines = ['## Robots', '', 'Orders 0 to 4 of the inverse dynamics; the other columns as above.']
    for package, members in groupby(rows, key=lambda row: row.robot.package):
        lines += [
            '',
            f'### {package}',
            '',
            f'| robot | joints | bodies | mimic | {" | ".join(_COLUMNS)} | verdict | notes |',
            '|---' * (len(_COLUMNS) + 6) + '|',
        ]
        for row in members:
            errors = [f'{row.errors[q]:.1e}' if q in row.errors else '' for q in _COLUMNS]
            lines.append(
                f'| {row.robot.name} | {row.joints} | {row.bodies} | {row.mimics} '
                f'| {" | ".join(errors)} | {verdict(row)} | {_cell("; ".join(row.notes))} |'
            )
    return lines


def _cell(text: str) -> str:
    """Return a text that does not break a table."""
    return ' '.join(text.replace('|', '\\|').split())

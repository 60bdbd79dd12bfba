# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Cost and rounding errors of inverse dynamics by the representation of twists.

Everything is deterministic: operations are counted, errors are those against 60 digits. The tables
between marks of the page are written anew.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from oracles.high_precision import reference_efforts
from oracles.random_models import random_joint_jet, random_model

import screw_dynamics as sd
from benchmarks import ROOT
from benchmarks.report import Report, table
from benchmarks.representations.counted import operations_of
from screw_dynamics.theory.closed_form import nth_derivatives
from screw_dynamics.theory.inverse_dynamics import (
    body_fixed,
    euler_jourdain,
    hybrid,
    momentum,
    spatial,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Form = Callable[..., np.ndarray]
OPTIONS: dict[str, dict[str, Any]] = {}
FOLDER = ROOT / 'docs' / 'theory'

RECURSIONS: dict[str, Form] = {
    'body-fixed': body_fixed.inverse_dynamics,
    'spatial': spatial.inverse_dynamics,
    'hybrid': hybrid.inverse_dynamics,
}
SUMS: dict[str, Form] = {
    'momentum': momentum.inverse_dynamics,
    'Euler-Jourdain': euler_jourdain.inverse_dynamics,
    'closed form': nth_derivatives.inverse_dynamics,
}
KERNEL: dict[str, Form] = {'compiled kernel': sd.inverse_dynamics}

ORDERS = range(6)
LENGTHS = (7, 14, 28, 56)
DISTANCES = (0.0, *(10.0**power for power in range(7)))
LONG = (7, 14, 28, 56, 112)
HIGH = (0, 2, 4, 6, 8, 10)
MOST_SUMMED = 14  # joints up to which the matrices of the closed form are small enough to count
STATES = 5


def iiwa() -> sd.ScrewModel:
    """Return the arm with seven joints of the package."""
    return sd.read_urdf(sd.share_path('urdf/iiwa14.urdf'))


def displaced(model: sd.ScrewModel, distance: float) -> sd.ScrewModel:
    """Return the robot at a distance from the origin of the inertial frame."""
    homes = np.array(model.home_poses)
    homes[model.parents < 0, :3, 3] += distance * np.array([0.6, 0.64, 0.48])
    return sd.ScrewModel.from_screws(
        model.parents, homes, model.screws, model.inertias, model.gravity
    )


def chain(joints: int) -> sd.ScrewModel:
    """Return a random chain of revolute joints, with links of about 1 m."""
    return random_model(np.random.default_rng(joints), joints)


def operations(form: Form, joints: int, order: int) -> int:
    """Return the operations for efforts of a random chain with derivatives up to an order."""
    jet = random_joint_jet(np.random.default_rng(1), joints, order)
    return operations_of(form, chain(joints), jet)


def error(form: Form, model: sd.ScrewModel, order: int) -> float:
    """Return the largest error of an effort derivative, relative to the largest one of a joint."""
    worst = 0.0
    for seed in range(STATES):
        jet = random_joint_jet(np.random.default_rng(seed), model.n, order)
        exact = reference_efforts(model, jet).efforts
        computed = form(model, jet)
        worst = max(worst, float(np.abs(computed[-1] - exact[-1]).max() / np.abs(exact[-1]).max()))
    return worst


def tables() -> dict[str, list[str]]:
    """Return the tables of the page by name."""
    one = {
        name: [operations(form, 28, k) / 28 for k in ORDERS] for name, form in RECURSIONS.items()
    }
    per_order = [[str(k), *(f'{counts[k]:.0f}' for counts in one.values())] for k in ORDERS]
    per_length = []
    for name, form in {**RECURSIONS, **SUMS}.items():
        lengths = [n for n in LENGTHS if name != 'closed form' or n <= MOST_SUMMED]
        cells = [f'{operations(form, n, 2) / 1e3:.0f}' for n in lengths]
        per_length.append([name, *cells, *[''] * (len(LENGTHS) - len(cells))])
    return {
        'orders': table(('Order', *one), per_order),
        'lengths': table(('Form', *(f'{n} joints' for n in LENGTHS)), per_length),
        'distances': errors(
            'Distance',
            [f'{d:,.0f} m'.replace(',', ' ') for d in DISTANCES],
            [(displaced(iiwa(), d), 2) for d in DISTANCES],
        ),
        'long chains': errors('Joints', [str(n) for n in LONG], [(chain(n), 2) for n in LONG]),
        'high orders': errors('Order', [str(k) for k in HIGH], [(iiwa(), k) for k in HIGH]),
    }


def errors(
    heading: str, names: Sequence[str], cases: Sequence[tuple[sd.ScrewModel, int]]
) -> list[str]:
    """Return a table of errors, one row per robot and order."""
    forms = {**RECURSIONS, **KERNEL}
    rows = [
        [name, *(f'{error(form, model, order):.1e}' for form in forms.values())]
        for name, (model, order) in zip(names, cases, strict=True)
    ]
    return table((heading, *forms), rows)


def numbers(lines: Sequence[str]) -> dict[str, list[float]]:
    """Return the columns of a table by name; empty cells are left out."""
    header, _, *rows = ([cell.strip() for cell in line.split('|')[1:-1]] for line in lines)
    return {
        name: [float(row[i].split(' m')[0].replace(' ', '')) for row in rows if row[i]]
        for i, name in enumerate(header)
    }


def _draw(distances: Sequence[str], orders: Sequence[str], figure: Figure) -> None:
    """Draw errors over distance, and operations over the order."""
    import matplotlib

    from screw_dynamics.common.figures import COLOURS, STYLE

    with matplotlib.rc_context(STYLE):
        left, right = figure.subplots(1, 2)
        for axes, lines in ((left, distances), (right, orders)):
            places, *columns = numbers(lines).items()
            for (name, values), colour in zip(columns, COLOURS, strict=False):
                axes.plot(places[1], values, 'o-', color=colour, label=name)
            axes.legend(frameon=False)
        left.set_xscale('symlog', linthresh=1.0)
        left.set(yscale='log', xlabel='distance from the origin [m]')
        left.set_title('relative error of $\\ddot\\tau$, iiwa 14', loc='left')
        right.set(xlabel='order of the derivatives', ylim=(0.0, None))
        right.set_title('operations per joint', loc='left')


def measure() -> Report:
    """Return the page with new tables."""
    report, measured = Report('representations'), tables()
    report.fill(FOLDER / 'representations.md', measured)
    draw = partial(_draw, measured['distances'], measured['orders'])
    report.figure('', draw, (9.0, 3.8))
    return report

# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Costs and motions of the simulations in CSV files."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np

from screw_dynamics.common.arrays import Array
from soft_study.arcs import Costs
from soft_study.helicoid import Equilibria
from soft_study.helicoid_motion import CircleMotion

FOLDER = Path(__file__).parent


def write_costs(costs: Costs, path: Path) -> None:
    """Write the seconds of all methods."""
    with path.open('w', newline='', encoding='utf-8') as file:
        rows = csv.writer(file)
        rows.writerow(['method', 'bodies', 'build_s', 'evaluation_s'])
        for name, times in costs.evaluation.items():
            for count, seconds in times.items():
                rows.writerow([name, count, f'{costs.build[name][count]:.4g}', f'{seconds:.4g}'])


def recorded_costs(path: Path = FOLDER / 'arcs.csv') -> Costs:
    """Return what was written."""
    build: dict[str, dict[int, float]] = {}
    evaluation: dict[str, dict[int, float]] = {}
    with path.open(encoding='utf-8') as file:
        for row in csv.DictReader(file):
            count = int(row['bodies'])
            build.setdefault(row['method'], {})[count] = float(row['build_s'])
            evaluation.setdefault(row['method'], {})[count] = float(row['evaluation_s'])
    return Costs(build, evaluation)


def write_motion(path: Path, times: Array, columns: dict[str, Array]) -> None:
    """Write arrays (T, k) beside their times, with numbered headings."""
    names = [f'{name}_{j + 1}' for name, values in columns.items() for j in range(values.shape[1])]
    table = np.column_stack([times, *columns.values()])
    np.savetxt(path, table, '%.6g', ',', header=','.join(['time', *names]), comments='')


def recorded_motion(path: Path) -> tuple[Array, dict[str, Array]]:
    """Return times (T,) and the arrays by name."""
    with path.open(encoding='utf-8') as file:
        names = file.readline().strip().split(',')
    table = np.loadtxt(path, delimiter=',', skiprows=1)
    stems = [name.rpartition('_')[0] for name in names]
    chosen = dict.fromkeys(stems[1:])
    return table[:, 0], {
        stem: table[:, [i for i, other in enumerate(stems) if other == stem and i]]
        for stem in chosen
    }


def columns_of(found: Equilibria | CircleMotion) -> dict[str, Array]:
    """Return the columns of simulation 1."""
    return {
        'position': found.position,
        'tension': found.tensions,
        'tip': found.tips.reshape(-1, 9),
        **(
            {'length': found.lengths, 'wanted': found.wanted}
            if isinstance(found, CircleMotion)
            else {}
        ),
    }


def recorded_equilibria(path: Path = FOLDER / 'helicoid_equilibria.csv') -> Equilibria:
    """Return the equilibria of simulation 1 that were written."""
    times, columns = recorded_motion(path)
    tips = columns['tip'].reshape(-1, 3, 3)
    return Equilibria(times, columns['position'], columns['tension'], tips)


def recorded_circles(path: Path = FOLDER / 'helicoid.csv') -> CircleMotion:
    """Return the motion of simulation 1 that was written."""
    times, columns = recorded_motion(path)
    tips = columns['tip'].reshape(-1, 3, 3)
    return CircleMotion(
        times, columns['position'], columns['tension'], tips, columns['length'], columns['wanted']
    )

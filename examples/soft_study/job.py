# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
The simulations of P2025, with progress, tables and figures.

    make demo-soft
    python -m screw_dynamics.demo soft --output my_folder --only arcs

*toy*: an arc in closed form beside the recursion. *arcs*: accuracy, time to build and time of a
call of chains of arcs. *hybrid*: a rigid arm, a soft arm and a gripper in three phases.
*helicoid*: three bodies that keep their volume, whose tips follow circles by nine threads.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Sequence
from pathlib import Path

import matplotlib
import numpy as np
from matplotlib.figure import Figure

import screw_dynamics as sd
from ros_demo.processes import DemoError, run_job
from ros_demo.stages import Stage
from screw_dynamics.common.arrays import Array
from screw_dynamics.common.figures import STYLE
from soft_study import arcs, helicoid, helicoid_motion, hybrid, toy
from soft_study.plot import arcs_figure, helicoid_figure, hybrid_figure
from soft_study.records import columns_of, recorded_equilibria, write_costs, write_motion

LARGEST_GAP = 1e-11  # of recursion and closed form, relative
MEAN_GAP = 3e-14  # of recursion and Lagrange's equations, relative
OFF_CIRCLES = 7.0  # tips from their places [mm]
SHORT_CIRCLES = 1e-4  # [s]
DISTANCE = 1e-2  # from the targets at the end of simulation 2 [rad]


def main(args: Sequence[str]) -> int:
    """Run simulations with command line arguments, and return the exit code of `run_job`."""
    options = _parser().parse_args(args)
    return run_job('demo_soft', lambda: _run(options))


def _run(options: argparse.Namespace) -> None:
    folder = options.output.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    lines: list[str] = []
    with matplotlib.rc_context(STYLE):
        for name in options.only or STUDIES:
            lines += STUDIES[name](folder, options.short)
    print('\n' + '\n'.join(lines) + '\n')
    for path in sorted(folder.glob('*.png')):
        print(path)


def _toy(_: Path, short: bool) -> list[str]:
    length, radius, mass = 0.3, 0.05, 0.6
    arc = sd.soft.PlanarConstantCurvature(length, radius, mass)
    robot = sd.soft.SoftRobot([arc], gravity=(0.0, 0.0, 0.0))
    angles = np.linspace(-3.0, 3.0, 7 if short else 61)
    with Stage('Toy example', len(angles)) as bar:
        gaps = []
        for q in angles:
            expected = toy.effort(q, -1.3, 2.1, length, radius, mass)
            found = sd.inverse_dynamics(robot, [[q], [-1.3], [2.1]])[0, 0]
            gaps.append(abs(found - expected) / abs(expected))
            bar.update()
    _require('toy example: difference from the closed form', max(gaps), LARGEST_GAP)
    return [f'toy example: closed form and recursion differ by {max(gaps):.1e} at most']


def _arcs(folder: Path, short: bool) -> list[str]:
    counts, symbolic = (arcs.COUNTS[:3], ()) if short else (arcs.COUNTS, arcs.SYMBOLIC)
    samples = 5 if short else arcs.SAMPLES
    with Stage('Simulation 3: costs', len(counts) + len(symbolic)) as bar:
        costs = arcs.costs(counts, symbolic, bar.update)
    write_costs(costs, folder / 'arcs.csv')
    with Stage('Simulation 3: accuracy, figure'):
        means = [arcs.differences(count, samples).mean() for count in arcs.CHECKED]
        _save(arcs_figure(costs, samples), folder / 'arcs.png')
    _require('chains of arcs: mean difference from Lagrange', max(means), MEAN_GAP)
    times = costs.evaluation['recursive']
    return [
        f'simulation 3: recursion and Lagrange differ by {max(means):.1e} in the mean at most; '
        f'{times[1] * 1e6:.1f} µs for 1 body, {times[counts[-1]] * 1e6:.1f} µs for {counts[-1]}'
    ]


def _hybrid(folder: Path, short: bool) -> list[str]:
    end = 0.1 if short else hybrid.PHASES[-1]
    with Stage('Simulation 2', round(1e3 * end)) as bar:
        motion = hybrid.simulate(end, progress=_milliseconds(bar))
    columns = {'position': motion.position, 'input': motion.inputs}
    write_motion(folder / 'hybrid.csv', motion.times, columns)
    _save(hybrid_figure(motion), folder / 'hybrid.png')
    wanted = hybrid.reference(motion.times[-1])[0]
    gap = abs(motion.position[-1, hybrid.JOINTS] - wanted).max()
    if not short:
        rest = motion.position[-1, hybrid.ARM] - hybrid.SOFT_TARGET
        gap = max(gap, abs(rest).max())
    _require('simulation 2: distance from the targets', gap, DISTANCE)
    return [f'simulation 2: {gap:.1e} rad from the targets at {end:g} s']


def _helicoid(folder: Path, short: bool) -> list[str]:
    with Stage('Simulation 1: equilibria', 1 if short else helicoid.SAMPLES) as bar:
        if short:
            equilibria = recorded_equilibria()
            helicoid.Statics().approach(1)
            bar.update()
        else:
            equilibria = helicoid.Statics().equilibria(bar.update)
    end = SHORT_CIRCLES if short else helicoid_motion.END
    with Stage('Simulation 1: motion', round(1e3 * end)) as bar:
        motion = helicoid_motion.Control(equilibria).motion(end, progress=_milliseconds(bar))
    write_motion(folder / 'helicoid_equilibria.csv', equilibria.times, columns_of(equilibria))
    write_motion(folder / 'helicoid.csv', motion.times, columns_of(motion))
    _save(helicoid_figure(motion), folder / 'helicoid.png')
    errors = 1e3 * helicoid_motion.distances(motion)
    _require('simulation 1: distance of tips from their places [mm]', errors.max(), OFF_CIRCLES)
    largest = ', '.join(f'{error:.1f}' for error in errors.max(axis=0))
    low, high = motion.tensions.min(), motion.tensions.max()
    return [
        f'simulation 1: tips within {largest} mm of their places on the circles, '
        f'tensions from {low:.0f} to {high:.0f} N'
    ]


STUDIES: dict[str, Callable[[Path, bool], list[str]]] = {
    'toy': _toy,
    'arcs': _arcs,
    'hybrid': _hybrid,
    'helicoid': _helicoid,
}


def _milliseconds(bar: Stage) -> Callable[[float], None]:
    def show(t: float) -> None:
        bar.update(max(0, math.floor(1e3 * t) - bar.n))

    return show


def _save(figure: Figure, path: Path) -> None:
    figure.savefig(path)


def _require(what: str, found: float | Array, bound: float) -> None:
    if not found <= bound:
        raise DemoError(f'{what}: expected {bound:.3g} at most, got {found:.3g}')


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog='demo_soft', description='The simulations of P2025: soft and hybrid robots.'
    )
    parser.add_argument(
        '-o',
        '--output',
        type=Path,
        default=Path('output/demo_soft'),
        metavar='FOLDER',
        help='where tables and figures go (default: output/demo_soft)',
    )
    parser.add_argument(
        '--only', nargs='+', choices=list(STUDIES), help='some of the simulations (default: all)'
    )
    parser.add_argument('--short', action='store_true', help='few samples, the first instants')
    return parser

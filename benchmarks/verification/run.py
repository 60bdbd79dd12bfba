# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Judge every algorithm on random trees and robots by 60-digit arithmetic, and measure its cost.

`make verification` runs this. Writes docs/verification.md and the log build/verification.log.
Exits with 1 if a residual exceeds the bound.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TextIO

from oracles.comparison import TOLERANCE

from benchmarks import ROOT
from benchmarks.verification import (
    application_checks,
    body_checks,
    dynamics_checks,
    elastic_checks,
    hybrid_checks,
    integrator_checks,
    kinematics_checks,
    lie_checks,
    measures,
    motion_checks,
    report,
    sensitivity_checks,
    soft_checks,
    symbolic_checks,
)
from benchmarks.verification.algorithms import algorithms
from benchmarks.verification.checks import CHECKS, name_of
from benchmarks.verification.costs import cost
from benchmarks.verification.report import Extra, Row
from benchmarks.verification.scenes import Scene, random_scene, robot_scenes
from screw_dynamics.progress import progress

# modules that register their checks
SUBJECTS = (
    kinematics_checks,
    lie_checks,
    body_checks,
    dynamics_checks,
    sensitivity_checks,
    elastic_checks,
    motion_checks,
    application_checks,
    soft_checks,
    hybrid_checks,
    symbolic_checks,
    integrator_checks,
)


def main() -> int:
    """Run everything, write page and log, and return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--trees', type=int, default=60, help='number of random trees')
    parser.add_argument('--output', type=Path, default=ROOT / 'docs' / 'verification.md')
    parser.add_argument('--log', type=Path, default=ROOT / 'build' / 'verification.log')
    arguments = parser.parse_args()
    arguments.log.parent.mkdir(parents=True, exist_ok=True)
    seeds = range(arguments.trees)
    rows = {name: Row() for name in algorithms()}
    robots = list(robot_scenes())
    with arguments.log.open('w', encoding='utf-8') as log:
        trees = (random_scene(seed) for seed in seeds)
        judge(rows, 'trees', progress(trees, 'random trees', len(seeds), 'tree'), log)
        judge(rows, 'robots', progress(robots, 'robots', unit='robot'), log)
        for name in progress(list(rows), 'cost', unit='algorithm'):
            rows[name].cost = cost(algorithms()[name])
            print(f'{name}: {rows[name].cost}', file=log, flush=True)
        extra = measured(log)
    text = report.markdown(rows, seeds, [robot.name for robot in robots], extra)
    arguments.output.write_text(text, encoding='utf-8')
    print(report.terminal(rows))
    print(f'written: {arguments.output}, {arguments.log}')
    broken = [name for name, row in rows.items() if row.broken] + extra.broken
    if broken:
        print(f'beyond the bound {TOLERANCE:g} or their own: {", ".join(broken)}', file=sys.stderr)
    return 1 if broken else 0


def measured(log: TextIO | None) -> Extra:
    """Return what is measured beside the trees, with its times."""
    extra = Extra()
    steps = [*measures.SUBJECTS, *measures.INTEGRATIONS]
    for step in progress(steps, 'curves, soft robots, integrators', unit='part'):
        if step in measures.SUBJECTS:
            entries = extra.measures.setdefault(measures.SUBJECTS[step], [])
            for measure in step():
                seconds = measure.call and measures.seconds_of(measure.call)
                growth = seconds and measures.growth_of(measure, seconds)
                entries.append((measure, seconds, growth))
        else:
            extra.integrations += step()
        if log:
            print(f'{step.__name__}: done', file=log, flush=True)
    return extra


def judge(rows: dict[str, Row], kind: str, scenes: Iterable[Scene], log: TextIO | None) -> None:
    """Keep the worst residual of every algorithm over scenes, as the field `kind` of its row."""
    for scene in scenes:
        for name, oracle, residual in residuals(scene):
            row = rows.setdefault(name, Row())
            if oracle not in row.oracles:
                row.oracles.append(oracle)
            # a residual that is not a number stays
            if not residual <= getattr(row, kind):
                setattr(row, kind, residual)
            if log and not residual <= TOLERANCE:
                print(f'{scene.name}: {name}: {residual:.2e}', file=log, flush=True)
        if log:
            print(f'{scene.name}: done', file=log, flush=True)


def residuals(scene: Scene) -> Iterator[tuple[str, str, float]]:
    """Yield algorithm, oracle and residual of every comparison."""
    for check, oracle in CHECKS.items():
        for result in check(scene):
            yield name_of(result.algorithm), oracle, result.residual


if __name__ == '__main__':
    sys.exit(main())

# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Judge every algorithm on trees and robots by 60-digit arithmetic, and measure its cost."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from importlib import import_module
from typing import Any

from oracles.comparison import TOLERANCE

from benchmarks.report import Report
from benchmarks.timing import best_times
from benchmarks.verification import measures
from benchmarks.verification.algorithms import algorithms
from benchmarks.verification.checks import CHECKS, name_of
from benchmarks.verification.costs import cost
from benchmarks.verification.report import Extra, Row, page
from benchmarks.verification.scenes import Scene, random_scene, robot_scenes
from screw_dynamics.common.progress import progress

# modules that register their checks, in the order of the page
for _name in (
    'kinematics', 'lie', 'body', 'dynamics', 'sensitivity', 'elastic', 'motion', 'application',
    'soft', 'hybrid', 'symbolic', 'integrator',
):  # fmt: skip
    import_module(f'benchmarks.verification.{_name}_checks')

OPTIONS: dict[str, dict[str, Any]] = {
    '--trees': {'type': int, 'default': 60, 'help': 'number of random trees'}
}


def measure(trees: int) -> Report:
    """Run everything and return the page."""
    seeds = range(trees)
    rows = {name: Row() for name in algorithms()}
    robots = list(robot_scenes())
    scenes = (random_scene(seed) for seed in seeds)
    judge(rows, 'trees', progress(scenes, 'random trees', len(seeds), 'tree'))
    judge(rows, 'robots', progress(robots, 'robots', unit='robot'))
    for name in progress(list(rows), 'cost', unit='algorithm'):
        rows[name].cost = cost(algorithms()[name])
    return page(rows, seeds, [robot.name for robot in robots], measured())


def measured() -> Extra:
    """Return what is measured beside the trees, with its times."""
    extra = Extra()
    steps = [*measures.SUBJECTS, *measures.INTEGRATIONS]
    for step in progress(steps, 'curves, soft robots, integrators', unit='part'):
        if step in measures.SUBJECTS:
            entries = extra.measures.setdefault(measures.SUBJECTS[step], [])
            for found in step():
                seconds = best_times([found.call])[0] if found.call else None
                entries.append((found, seconds, seconds and measures.growth_of(found, seconds)))
        else:
            extra.integrations += step()
    return extra


def judge(rows: dict[str, Row], kind: str, scenes: Iterable[Scene]) -> None:
    """Keep the worst residual of every algorithm over scenes, as the field `kind` of its row."""
    for scene in scenes:
        for check, oracle in CHECKS.items():
            for result in check(scene):
                name, residual = name_of(result.algorithm), result.residual
                row = rows.setdefault(name, Row())
                if oracle not in row.oracles:
                    row.oracles.append(oracle)
                # a residual that is not a number stays
                if not residual <= getattr(row, kind):
                    setattr(row, kind, residual)
                if not residual <= TOLERANCE:
                    print(f'{scene.name}: {name}: {residual:.2e}', file=sys.stderr, flush=True)

# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Tables of the comparison as text in Markdown."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from screw_dynamics.drives import elastic_feedforward
from screw_dynamics.simulation import natural_frequencies
from sea_study.arms import ROBOTS, Arm, arms
from sea_study.conditions import Condition, conditions, headline
from sea_study.robustness import FALLEN, Endured
from sea_study.scene import CLEAN, EXACT, FEEDFORWARDS, GRAVITY, NOISY, RIGID, scene
from sea_study.tracking import ENGINES, IDEAL, Outcome

HEADINGS = {name: name for name in FEEDFORWARDS} | {'none': 'PD alone', GRAVITY: 'PD + gravity'}
STATISTICS: dict[str, Callable[[Sequence[float]], Any]] = {'median': np.median, 'worst': max}

Found = dict[tuple[Arm, str, str], Endured]


def by_key(endured: Iterable[Endured]) -> Found:
    """Return results by arm, condition and feedforward."""
    return {(e.arm, e.condition, e.feedforward): e for e in endured}


def condition_table(found: Found, arm: Arm) -> Iterator[str]:
    """Yield the lines of the table of an arm: largest / rms error [mrad] under all conditions."""
    rows = [
        [f'{condition.name}{note}', *_cells(found, arm, condition, statistic)]
        for condition in conditions()
        for statistic, note in _statistics(condition)
    ]
    yield from _table(['largest / rms [mrad]', *HEADINGS.values(), 'rigid / exact'], rows)


def headline_table(found: Found) -> Iterator[str]:
    """Yield the lines of the table of the headline: largest errors [mrad] of all arms, ratios."""
    condition = headline()
    rows = []
    for arm in arms():
        values = [
            [mrad(statistic(found[arm, condition.name, kind].largest)) for kind in FEEDFORWARDS]
            for statistic in STATISTICS.values()
        ]
        cells = [f'{median} ({worst})' for median, worst in zip(*values, strict=True)]
        ratios = [
            two_digits(ratio(found, arm, condition, kind))
            for kind in (GRAVITY, RIGID, NOISY, CLEAN)
        ]
        rows.append([arm.name, *cells, ' / '.join(ratios)])
    heading = 'gravity, rigid, noisy, clean over exact'
    yield from _table(['median (worst) [mrad]', *HEADINGS.values(), heading], rows)


def ratio(found: Found, arm: Arm, condition: Condition, feedforward: str) -> float:
    """Return a feedforward's largest error over that of the exact one, medians of draws."""
    statistic = STATISTICS[_statistics(condition)[0][0]]
    error, exact = (
        statistic(found[arm, condition.name, kind].largest) for kind in (feedforward, EXACT)
    )
    return float(error / exact)


def ratio_table(found: Found, feedforward: str) -> Iterator[str]:
    """Yield the lines of the table of a feedforward's errors over those of the exact one."""
    places = list(dict.fromkeys((arm.kind, arm.pose) for arm in arms()))
    rows = [
        [
            condition.name,
            *(
                ' and '.join(
                    two_digits(ratio(found, Arm(robot, *place), condition, feedforward))
                    for robot in ROBOTS
                )
                for place in places
            ),
        ]
        for condition in conditions()
    ]
    yield from _table([f'{feedforward} / exact', *map(', '.join, places)], rows)


def ideal_table(outcomes: Sequence[Outcome]) -> Iterator[str]:
    """Yield the lines of the table of runs without feedback: largest and rms errors [rad]."""
    found = {(o.arm, o.feedforward, o.engine): o for o in outcomes}
    rows = [
        [arm.name, feedforward, *_pairs(found[arm, feedforward, engine] for engine in ENGINES)]
        for arm in arms()
        for feedforward in IDEAL
    ]
    yield from _table(
        ['arm', 'feedforward', *(f'{engine}: max / rms' for engine in ENGINES)], rows
    )


def arm_table() -> Iterator[str]:
    """Yield the lines of the table of arms: loads, deflections, frequencies, cutoffs."""
    rows = []
    for arm in arms():
        setup = scene(arm)
        times = np.linspace(0.0, setup.curve.duration, 501)
        jets = setup.reference(times)
        commands = elastic_feedforward(setup.robot, jets)
        hertz = natural_frequencies(setup.robot, jets[0, 0]) / (2.0 * np.pi)
        rows.append(
            [
                arm.name,
                f'{arm.robot.payload[1]:g} kg',
                f'{1e3 * np.abs(commands.deflection).max():.1f} mrad',
                f'{hertz[0]:.1f} to {hertz[-1]:.0f} Hz',
                f'{setup.cutoff:g} Hz',
            ]
        )
    headings = ['arm', 'payload', 'largest deflection', 'frequencies at the start']
    yield from _table([*headings, 'cutoff of noisy differences'], rows)


def mrad(error: float) -> str:
    """Return an error [rad] in mrad with two digits."""
    if not error < FALLEN:
        return 'falls'
    return two_digits(1e3 * error)


def two_digits(value: float) -> str:
    """Return a number with two digits, all of them before the point if there are more."""
    return f'{value:.0f}' if value >= 9.95 else f'{value:#.2g}'


def _statistics(condition: Condition) -> list[tuple[str, str]]:
    """Return which statistics of the runs are shown, and how the rows are marked."""
    if condition.drawn:
        return [(name, f': {name} of {len(condition.trials)}') for name in STATISTICS]
    return [('worst', '')]


def _cells(found: Found, arm: Arm, condition: Condition, statistic: str) -> Iterator[str]:
    largest = {}
    for feedforward in FEEDFORWARDS:
        result = found.get((arm, condition.name, feedforward))
        if result is None:
            yield '-'
            continue
        largest[feedforward] = float(STATISTICS[statistic](result.largest))
        rms = STATISTICS[statistic](result.rms)
        yield f'{mrad(largest[feedforward])} / {mrad(rms)}'
    yield two_digits(largest[RIGID] / largest[EXACT])


def _pairs(outcomes: Iterable[Outcome]) -> list[str]:
    return [f'{outcome.largest:.1e} / {outcome.rms:.1e}' for outcome in outcomes]


def _table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Yield the lines of a table, the first column on the left and all others on the right."""
    widths = [max(map(len, column)) for column in zip(headings, *rows, strict=True)]
    for cells in (headings, None, *rows):
        if cells is None:
            yield f'| {"-" * widths[0]} | {" | ".join("-" * (w - 1) + ":" for w in widths[1:])} |'
            continue
        first, *others = (
            cell.rjust(width) if k else cell.ljust(width)
            for k, (cell, width) in enumerate(zip(cells, widths, strict=True))
        )
        yield '| ' + ' | '.join([first, *others]) + ' |'

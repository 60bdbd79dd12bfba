# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Tables of the comparison as text in Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from screw_dynamics.elastic import elastic_feedforward
from screw_dynamics.simulation import natural_frequencies
from sea_study.arms import Arm, arms
from sea_study.scene import FEEDFORWARDS, scene
from sea_study.tracking import MUJOCO, OWN, Outcome

# engine and feedback of each group of columns
GROUPS = ((OWN, False), (MUJOCO, False), (MUJOCO, True))
HEADINGS = ('own: max', 'rms', 'osc.', 'MuJoCo: max', 'rms', 'osc.', 'with PD: max', 'rms', 'osc.')


def comparison_table(outcomes: Sequence[Outcome]) -> Iterator[str]:
    """Yield the lines of the table of all runs."""
    found = {(o.arm, o.feedforward, o.engine, o.feedback): o for o in outcomes}
    names = max(len(arm.name) for arm in arms())
    kinds = max(map(len, FEEDFORWARDS))
    yield _line('arm'.ljust(names), 'feedforward'.ljust(kinds), *(h.rjust(12) for h in HEADINGS))
    yield _line('-' * names, '-' * kinds, *['-' * 11 + ':'] * len(HEADINGS))
    for arm in arms():
        label = arm.name
        for feedforward in FEEDFORWARDS:
            cells: list[str] = []
            for engine, feedback in GROUPS:
                outcome = found[arm, feedforward, engine, feedback]
                cells += map(_number, (outcome.largest, outcome.rms, outcome.oscillation))
            yield _line(label.ljust(names), feedforward.ljust(kinds), *cells)
            label = ''


def ratios(outcomes: Sequence[Outcome], feedforward: str, other: str) -> dict[Arm, float]:
    """Return the ratios of two feedforwards' largest errors in MuJoCo without feedback."""
    free = {
        (o.arm, o.feedforward): o.largest
        for o in outcomes
        if o.engine == MUJOCO and not o.feedback
    }
    return {arm: free[arm, feedforward] / free[arm, other] for arm, kind in free if kind == other}


def arm_table() -> Iterator[str]:
    """Yield the lines of the table of arms: deflections, frequencies, growth, difference steps."""
    names = max(len(arm.name) for arm in arms())
    headings = (
        'largest deflection',
        'frequencies at the start',
        'growth at the end',
        'step of noisy differences',
    )
    widths = [len(heading) for heading in headings]
    yield _line('arm'.ljust(names), *headings)
    yield _line('-' * names, *('-' * (width - 1) + ':' for width in widths))
    for arm in arms():
        place = scene(arm)
        times = np.linspace(0.0, place.curve.duration, 501)
        commands = elastic_feedforward(place.model, place.joints, place.reference(times))
        hertz = natural_frequencies(
            place.model, place.joints, place.reference(times[:1])[0, 0]
        ) / (2.0 * np.pi)
        cells = (
            f'{1e3 * np.abs(commands.deflection).max():.1f} mrad',
            f'{hertz[0]:.1f} to {hertz[-1]:.0f} Hz',
            f'{place.growth():.2f} 1/s',
            f'{place.best_difference_step} ms',
        )
        padded = (cell.rjust(width) for cell, width in zip(cells, widths, strict=True))
        yield _line(arm.name.ljust(names), *padded)


def _line(*cells: str) -> str:
    return '| ' + ' | '.join(cells) + ' |'


def _number(value: float) -> str:
    return ('falls' if np.isnan(value) else f'{value:.1e}').rjust(12)

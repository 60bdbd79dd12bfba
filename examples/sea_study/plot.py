# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Figure of the comparison: tracking errors over time, one panel per arm."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from screw_dynamics.arrays import Array
from screw_dynamics.results.results_plot import BLACK, GREY, STYLE
from sea_study.arms import MOTION, REST, ROBOTS, Arm
from sea_study.scene import CLEAN, EXACT, MIDDLE, NOISY, RIGID, TICK
from sea_study.tracking import MUJOCO, OWN, Outcome

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COLUMNS = (('stiff', 'hanging'), ('soft', 'hanging'), ('stiff', 'upright'), ('soft', 'upright'))
COLOURS = {
    RIGID: '#D55E00',
    NOISY: '#E69F00',
    CLEAN: '#8A929B',
    TICK: '#009E73',
    MIDDLE: '#56B4E9',
    EXACT: '#0072B2',
}
LABELS = {
    RIGID: 'rigid:  τ + B q̈ + friction',
    NOISY: 'finite differences of measured τ',
    CLEAN: 'finite differences of noise-free τ',
    TICK: 'exact, tick held for 1 ms',
    MIDDLE: 'exact, middle held for 1 ms',
    EXACT: 'exact',
}
WINDOW = 40  # samples of the envelope
BOUNDS = (3e-15, 6.0)  # rad


def save_comparison(outcomes: Sequence[Outcome], path: Path) -> None:
    """Plot the largest joint error of every run without feedback over time."""
    import matplotlib
    from matplotlib.figure import Figure

    found = {(o.arm, o.feedforward, o.engine): o for o in outcomes if not o.feedback}
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(13.0, 7.6), dpi=160)
        grid: Any = figure.subplots(
            len(ROBOTS),
            len(COLUMNS),
            sharex=True,
            sharey=True,
            gridspec_kw={
                'left': 0.065,
                'right': 0.99,
                'top': 0.825,
                'bottom': 0.075,
                'wspace': 0.07,
                'hspace': 0.14,
            },
        )
        for row, robot in zip(grid, ROBOTS, strict=True):
            row[0].set_ylabel(f'{robot.name}:  ' + r'$\max\,|q - q_\mathrm{ref}|$  [rad]')
            for axis, (kind, pose) in zip(row, COLUMNS, strict=True):
                _draw(axis, found, Arm(robot, kind, pose))
        for axis, (kind, pose) in zip(grid[0], COLUMNS, strict=True):
            joints = 'gears' if kind == 'stiff' else 'springs'
            axis.set_title(f'{kind} {joints}, {pose}', loc='left', color=BLACK, fontsize=11.5)
            axis.text(
                MOTION + 0.5 * REST,
                0.03,
                'rest',
                transform=axis.get_xaxis_transform(),
                ha='center',
                color=GREY,
                fontsize=10,
            )
        for axis in grid[-1]:
            axis.set_xlabel('time [s]')
        figure.suptitle(
            'Motor feedforward alone on arms with elastic joints: 2 s of fast motion, no feedback',
            x=0.012,
            y=0.982,
            ha='left',
            fontsize=15,
            weight='bold',
        )
        _legend(figure)
        figure.savefig(path)


def _draw(axis: Axes, found: dict[tuple[Arm, str, str], Outcome], arm: Arm) -> None:
    for feedforward, colour in COLOURS.items():
        own, other = found[arm, feedforward, OWN], found[arm, feedforward, MUJOCO]
        axis.plot(*_envelope(own), color=colour, linewidth=2.0)
        axis.plot(*_envelope(other), color=BLACK, linewidth=0.9, linestyle=(0, (1, 2.5)))
    axis.set_yscale('log')
    axis.set_ylim(*BOUNDS)
    axis.set_yticks(10.0 ** np.arange(-14, 1, 2))
    axis.set_yticks([], minor=True)
    axis.set_xlim(0.0, MOTION + REST)
    axis.set_xticks(np.arange(0.0, MOTION + REST, 1.0))
    axis.axvspan(MOTION, MOTION + REST, color='#F3F4F6', linewidth=0, zorder=0)


def _envelope(outcome: Outcome) -> tuple[Array, Array]:
    """Return mean time and largest error of every window."""
    count = len(outcome.errors) // WINDOW * WINDOW
    errors = outcome.errors[:count].reshape(-1, WINDOW).max(axis=1)
    times = outcome.times[:count].reshape(-1, WINDOW).mean(axis=1)
    return times, np.maximum(errors, BOUNDS[0] / 10.0)


def _legend(figure: Any) -> None:
    from matplotlib.lines import Line2D

    lines = [Line2D([], [], color=colour, linewidth=2.0) for colour in COLOURS.values()]
    engine = Line2D([], [], color=BLACK, linewidth=0.9, linestyle=(0, (1, 2.5)))
    figure.legend(
        [*lines, engine],
        [*LABELS.values(), 'the same in MuJoCo'],
        loc='upper left',
        bbox_to_anchor=(0.005, 0.952),
        ncols=4,
        frameon=False,
        handlelength=1.8,
        columnspacing=2.5,
        labelcolor=BLACK,
    )

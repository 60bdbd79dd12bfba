# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Figure of the comparison: largest errors under some of the conditions, one panel per arm."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from screw_dynamics.recordings.results.results_plot import BLACK, STYLE
from sea_study.arms import JOINTS, POSES, ROBOTS, Arm
from sea_study.conditions import headline
from sea_study.scene import CLEAN, EXACT, GRAVITY, NOISY, RIGID
from sea_study.table import HEADINGS, Found

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COLOURS = {
    GRAVITY: '#8A929B',
    RIGID: '#D55E00',
    NOISY: '#E69F00',
    CLEAN: '#56B4E9',
    EXACT: '#0072B2',
}
MARKERS = {GRAVITY: 's', RIGID: 'D', NOISY: '^', CLEAN: 'o', EXACT: '|'}
BOUNDS = (1e-3, 300.0)  # mrad
SHOWN = (
    'nominal',
    'stiffness 10 %',
    'rotor inertia 10 %',
    'friction 10 %',
    'payload 10 %',
    'all 1 %',
    'all 5 %',
    'all 10 %',
    'all 20 %',
    'delay 2 ms',
    'delay 2 ms in lead_time',
    '1000 Hz with jitter',
    '250 Hz with jitter',
    '1000 Hz, tick held',
    '250 Hz, tick held',
    '250 Hz, middle held',
    headline().name,
)


def save_comparison(found: Found, path: Path) -> None:
    """Plot the largest joint errors, the median where they are of random draws."""
    import matplotlib
    from matplotlib.figure import Figure

    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(13.0, 9.0), dpi=130)
        columns = [(kind, pose) for pose in POSES for kind in JOINTS]
        grid: Any = figure.subplots(
            len(ROBOTS),
            len(columns),
            sharex=True,
            sharey=True,
            gridspec_kw={
                'left': 0.13,
                'right': 0.99,
                'top': 0.86,
                'bottom': 0.06,
                'wspace': 0.07,
                'hspace': 0.12,
            },
        )
        for row, robot in zip(grid, ROBOTS, strict=True):
            for axis, (kind, pose) in zip(row, columns, strict=True):
                _draw(axis, found, Arm(robot, kind, pose))
                axis.set_title(f'{robot.name}, {kind}, {pose}', loc='left', fontsize=11)
        for axis in grid[-1]:
            axis.set_xlabel('largest error [mrad]')
        figure.suptitle(
            'Motor feedforward beside a PD on arms with elastic joints: 2 s of fast motion',
            x=0.012,
            y=0.985,
            ha='left',
            fontsize=15,
            weight='bold',
        )
        _legend(figure)
        figure.savefig(path)


def _draw(axis: Axes, found: Found, arm: Arm) -> None:
    rows = -np.arange(len(SHOWN))
    for feedforward, colour in COLOURS.items():
        medians = [1e3 * np.median(found[arm, name, feedforward].largest) for name in SHOWN]
        size: dict[str, Any] = {}
        if feedforward == EXACT:
            size = {'markersize': 12, 'markeredgewidth': 2.5}
        axis.plot(np.clip(medians, *BOUNDS), rows, MARKERS[feedforward], color=colour, **size)
    axis.set_xscale('log')
    axis.set_xlim(*BOUNDS)
    axis.set_yticks(rows, SHOWN, fontsize=9)
    axis.axhspan(rows[-1] - 0.5, rows[-1] + 0.5, color='#F3F4F6', linewidth=0, zorder=0)


def _legend(figure: Any) -> None:
    from matplotlib.lines import Line2D

    marks = [
        Line2D([], [], color=colour, marker=MARKERS[feedforward], linestyle='', markersize=7)
        for feedforward, colour in COLOURS.items()
    ]
    figure.legend(
        marks,
        [HEADINGS[feedforward] for feedforward in COLOURS],
        loc='upper left',
        bbox_to_anchor=(0.005, 0.955),
        ncols=len(COLOURS),
        frameon=False,
        labelcolor=BLACK,
    )

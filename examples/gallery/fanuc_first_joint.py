# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The first joint of a Fanuc-type arm, N2021 section 6: motion, efforts, energies."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

import screw_dynamics as sd
from paper_experiments.fanuc import DURATION, differences, from_energies, model, motion
from paper_experiments.panels import LABELS, difference_panel
from screw_dynamics.common.figures import COLOURS

_ROWS = (
    r'$q_1$  [rad]',
    r'$\dot q_1$  [rad/s]',
    r'$\ddot q_1$  [rad/s²]',
    r'$q_1^{(3)}$  [rad/s³]',
)


def figure() -> Figure:
    """Return the figure."""
    times, dots = (np.linspace(0.0, DURATION, count) for count in (301, 21))
    jets, at_dots = motion(times), motion(dots)
    efforts, energies = sd.inverse_dynamics(model(), jets), from_energies(at_dots)
    result = Figure(figsize=(11.0, 7.6), dpi=110, layout='constrained')
    grid = result.add_gridspec(12, 3, width_ratios=(1.5, 1.7, 1.3))
    for d, label in enumerate(_ROWS):
        axis = result.add_subplot(grid[3 * d : 3 * d + 3, 0])
        axis.plot(times, jets[:, d, 0], color=COLOURS[0])
        axis.set_ylabel(label)
        axis.set_xlim(0.0, DURATION)
        axis.tick_params(labelbottom=d == 3)
    axis.set_xlabel('time [s]')
    for d in range(3):
        axis = result.add_subplot(grid[4 * d : 4 * d + 4, 1])
        axis.plot(times, efforts[:, d, 0], color=COLOURS[1], label='kernel')
        axis.plot(dots, energies[:, d], 'o', color=COLOURS[1], ms=5, mfc='white', label='energies')
        axis.set_ylabel(LABELS[d])
        axis.set_xlim(0.0, DURATION)
        axis.tick_params(labelbottom=d == 2)
    axis.set_xlabel('time [s]')
    result.align_ylabels()
    result.legend(
        *axis.get_legend_handles_labels(),
        loc='outside lower center',
        ncols=2,
        frameon=False,
        fontsize=9,
    )
    title = 'largest difference from the inertia\ntimes the derivative, (99) to (101)'
    difference_panel(result.add_subplot(grid[:, 2]), differences(at_dots), title)
    result.suptitle(
        'First joint of a Fanuc-type arm, N2021: motion and efforts from acceleration energies',
        x=0.01,
        ha='left',
    )
    return result

# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The planar 2R robot of MK2021 section 6.1: six printed expressions, theory and kernel."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

import screw_dynamics as sd
from paper_experiments.panels import LABELS, difference_panel
from paper_experiments.planar_2r import Parameters, differences, model, motion, printed
from screw_dynamics.common.figures import COLOURS

DURATION = 5.0  # s


def figure() -> Figure:
    """Return the figure."""
    parameters = Parameters()
    times, dots = (np.linspace(0.0, DURATION, count) for count in (401, 41))
    efforts = sd.inverse_dynamics(model(parameters), motion(times))  # (T, 3, 2)
    expressions = np.array([printed(parameters, jet) for jet in motion(dots)])
    result = Figure(figsize=(11.0, 7.2), dpi=110, layout='constrained')
    grid = result.add_gridspec(3, 2, width_ratios=(3.0, 1.0))
    first = None
    for d in range(3):
        axis = first = result.add_subplot(grid[d, 0], sharex=first)
        for j in range(2):
            colour, name = COLOURS[j], f'joint {j + 1}'
            axis.plot(times, efforts[:, d, j], color=colour, label=f'{name}, kernel')
            values = expressions[:, d, j]
            axis.plot(dots, values, 'o', color=colour, ms=5, mfc='white', label=f'{name}, printed')
        axis.set_ylabel(LABELS[d])
        axis.set_xlim(0.0, DURATION)
        axis.tick_params(labelbottom=d == 2)
    axis.set_xlabel('time [s]')
    result.align_ylabels()
    handles = axis.get_legend_handles_labels()
    result.legend(*handles, loc='outside lower center', ncols=4, frameon=False, fontsize=9)
    title = 'largest difference from the print,\nrelative to its largest value'
    gaps = differences(parameters, motion(np.linspace(0.0, DURATION, 21)))
    difference_panel(result.add_subplot(grid[:, 1]), gaps, title)
    result.suptitle(
        'Planar 2R, MK2021: the six printed expressions and the kernel', x=0.01, ha='left'
    )
    return result

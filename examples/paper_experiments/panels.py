# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The figure of an arm: efforts and derivatives over time, and the agreement of all forms."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from paper_experiments.arms import DURATION, Experiment
from screw_dynamics.common.arrays import Array
from screw_dynamics.common.figures import BLACK, COLOURS, GREY

LABELS = (
    r'$\tau$  [N m]',
    r'$\dot\tau$  [N m/s]',
    r'$\ddot\tau$  [N m/s²]',
    r'$\tau^{(3)}$  [N m/s³]',
)
ORDERS = (r'$\tau$', r'$\dot\tau$', r'$\ddot\tau$', r'$\tau^{(3)}$')
MARKERS = ('o', 's', '^', 'D', 'x')
SMALLEST = 1e-16  # smaller differences are drawn here


def experiment_figure(experiment: Experiment, title: str) -> Figure:
    """Return the figure: one panel per order, beside them the differences from the kernel."""
    orders = experiment.order + 1
    times = np.linspace(0.0, DURATION, 501)
    efforts = experiment.efforts(times)
    result = Figure(figsize=(11.0, 2.1 * orders + 0.9), dpi=110, layout='constrained')
    grid = result.add_gridspec(orders, 2, width_ratios=(3.0, 1.0))
    first = None
    for d in range(orders):
        axis = first = result.add_subplot(grid[d, 0], sharex=first)
        for j in range(experiment.model.n):
            axis.plot(times, efforts[:, d, j], color=COLOURS[j], label=f'joint {j + 1}')
        if d in experiment.published:
            points = experiment.published[d]
            for j in range(experiment.model.n):
                axis.plot(points[:, 0], points[:, j + 1], '.', color=COLOURS[j], markersize=6)
        axis.set_ylabel(LABELS[d])
        axis.tick_params(labelbottom=d == orders - 1)
        axis.set_xlim(0.0, DURATION)
    axis.set_xlabel('time [s]')
    axis.plot([], [], '.', color=GREY, label='published figure')
    result.legend(
        *axis.get_legend_handles_labels(),
        loc='outside lower center',
        ncols=8,
        frameon=False,
        fontsize=9,
    )
    result.align_ylabels()
    differences = experiment.differences(np.linspace(0.0, DURATION, 21))
    heading = 'largest difference from the kernel,\nrelative to the largest effort'
    difference_panel(result.add_subplot(grid[:, 1]), differences, heading)
    result.suptitle(title, x=0.01, ha='left')
    return result


def difference_panel(axis: Axes, differences: Mapping[str, Array], title: str) -> None:
    """Draw relative differences (orders,) by form, one column per order."""
    orders = len(next(iter(differences.values())))
    offsets = np.linspace(-0.26, 0.26, len(differences))
    for k, (name, values) in enumerate(differences.items()):
        axis.plot(
            np.arange(orders) + offsets[k],
            np.maximum(values, SMALLEST),
            MARKERS[k],
            color=(*COLOURS[:4], BLACK)[k],
            markersize=6,
            label=name,
        )
    for height, text, offset in (
        (2.0**-52, 'double precision: 2$^{-52}$', -30),
        (1e-12, 'bound of tests', 4),
    ):
        axis.axhline(height, color=GREY, linewidth=1.0, linestyle=(0, (3, 2)))
        axis.annotate(
            text,
            (1.0, height),
            (0, offset),
            xycoords=('axes fraction', 'data'),
            textcoords='offset points',
            ha='right',
            fontsize=9,
            color=GREY,
        )
    axis.set_yscale('log')
    axis.set_ylim(0.2 * SMALLEST, 1e-11)
    axis.set_xlim(-0.6, orders - 0.4)
    axis.set_xticks(range(orders), ORDERS[:orders])
    axis.grid(axis='x', visible=False)
    axis.set_title(title, fontsize=10, color=GREY)
    axis.legend(frameon=False, fontsize=9, loc='upper center', bbox_to_anchor=(0.5, 0.75), ncols=2)

# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Time of recursive forms, closed form and kernel over order and number of joints, as recorded."""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import NullLocator

from paper_experiments.cost import JOINTS, ORDERS, recorded
from paper_experiments.panels import MARKERS
from screw_dynamics.common.figures import BLACK, COLOURS, GREY

FORMS = ('body-fixed', 'spatial', 'hybrid', 'closed form', 'kernel')
ARM = 7  # joints of the left panel
ORDER = 3  # of the middle panel
RATIOS = (0.25, 0.5, 1, 2, 4)
LIMITS = (1.0, 1e5)  # µs


def figure() -> Figure:
    """Return the figure."""
    times = recorded()
    result = Figure(figsize=(12.0, 4.8), dpi=110, layout='constrained')
    axes = result.subplots(1, 3)
    for k, form in enumerate(FORMS):
        style = {'color': (*COLOURS[:4], BLACK)[k], 'marker': MARKERS[k], 'label': form}
        axes[0].plot(ORDERS, [times[form, ARM, order] for order in ORDERS], **style)
        axes[1].plot(JOINTS, [times[form, n, ORDER] for n in JOINTS], **style)
    for k, order in enumerate((0, 1, 3, 5)):
        ratios = [times['closed form', n, order] / times['body-fixed', n, order] for n in JOINTS]
        axes[2].plot(JOINTS, ratios, color=COLOURS[k], marker=MARKERS[k], label=f'order {order}')
    axes[0].set(title=f'{ARM} joints', xlabel='order', ylabel='time of a call [µs]')
    axes[0].set_xticks(ORDERS)
    axes[0].set_yscale('log')
    axes[1].set(title=f'order {ORDER}', xlabel='joints')
    axes[2].set(title='closed form / body-fixed recursion', xlabel='joints', ylabel='ratio')
    axes[2].axhline(1.0, color=GREY, linewidth=1.0, linestyle=(0, (3, 2)))
    axes[2].legend(frameon=False, fontsize=9)
    for axis in axes[1:]:
        logarithmic(axis)
    axes[2].set_yticks(RATIOS, [f'{ratio:g}' for ratio in RATIOS])
    axes[2].yaxis.set_minor_locator(NullLocator())
    for axis in axes[:2]:
        axis.set_ylim(LIMITS)
    handles = axes[0].get_legend_handles_labels()
    result.legend(*handles, loc='outside lower center', ncols=5, frameon=False, fontsize=9)
    title = 'Efforts with derivatives: theory in Python and NumPy, and the compiled kernel'
    result.suptitle(title, x=0.01, ha='left')
    return result


def logarithmic(axis: Axes) -> None:
    """Scale both axes of a panel over the number of joints."""
    axis.set_xscale('log')
    axis.set_yscale('log')
    axis.set_xticks(JOINTS, [str(n) for n in JOINTS])
    axis.xaxis.set_minor_locator(NullLocator())

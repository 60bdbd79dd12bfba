# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Inverse dynamics of a tree: twists from the base outwards, wrenches from the leaves back."""

from __future__ import annotations

from typing import Any

from matplotlib.figure import Figure

from screw_dynamics.common.figures import COLOURS, GREY

PARENTS = (-1, 0, 1, 0, 3)
PLACES = ((0.0, 1.0), (0.9, 1.8), (2.0, 2.2), (-0.9, 1.8), (-1.3, 3.0))  # of the bodies
BASE = (0.0, 0.0)
DEPTHS = (0, 1, 2, 1, 2)  # joints between a body and the first one


def figure() -> Figure:
    """Return the figure."""
    result = Figure(figsize=(9.0, 4.6), dpi=110)
    for i, (title, equation, colour, name) in enumerate((
        ('1. outwards: twists', r'$V_i = \mathrm{Ad}_{C_{i,p}} V_p + X_i \dot s_i$',
         COLOURS[0], 'V'),
        ('2. back: wrenches',
         r'$W_i = M_i \dot V_i + \ldots + \sum_c \mathrm{Ad}_{C_{c,i}}^T W_c,\quad '
         r'\tau_i = X_i^T W_i$', COLOURS[1], 'W'),
    )):  # fmt: skip
        axis = result.add_axes((0.5 * i, 0.0, 0.5, 0.9))
        axis.set(xlim=(-2.2, 2.8), ylim=(-0.5, 4.4))
        axis.set_axis_off()
        axis.text(-2.1, 4.1, title, color=colour)
        axis.text(-2.1, 3.7, equation, color=GREY)
        _tree(axis, colour, name)
    result.suptitle('Inverse dynamics: two sweeps over the tree', x=0.01, ha='left')
    return result


def _tree(axis: Any, colour: str, name: str) -> None:
    """Draw bodies, the joints between them, and what one sweep passes from body to body."""
    axis.plot([-0.4, 0.4], [0.0, 0.0], color='k', lw=3)
    axis.text(0.5, -0.1, 'base')
    for number, (parent, place, depth) in enumerate(zip(PARENTS, PLACES, DEPTHS, strict=True), 1):
        ends = (PLACES[parent] if parent >= 0 else BASE, place)
        if name == 'W':
            ends = ends[::-1]
        style = {'arrowstyle': '-|>', 'color': colour, 'lw': 1.8, 'shrinkA': 12, 'shrinkB': 12}
        axis.annotate('', ends[1], ends[0], arrowprops=style)
        axis.text(
            *place, str(number), ha='center', va='center',
            bbox={'boxstyle': 'circle,pad=0.3', 'facecolor': 'w', 'edgecolor': 'k'},
        )  # fmt: skip
        x, y = (sum(values) / 2.0 for values in zip(*ends, strict=True))
        label = f'${name}_{number}$' if name == 'V' else f'$W_{number}$, ' + rf'$\tau_{number}$'
        step = depth + 1 if name == 'V' else 3 - depth
        left, right = (x - 0.15, x + 0.15) if place[0] >= 0.0 else (x + 0.15, x - 0.15)
        sides = ('right', 'left') if left < right else ('left', 'right')
        axis.text(right, y - 0.2, label, color=colour, fontsize=12, ha=sides[1])
        axis.text(left, y, str(step), color=GREY, fontsize=9, ha=sides[0])

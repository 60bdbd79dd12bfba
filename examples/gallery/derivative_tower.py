# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Derivatives of a motion that the motor of an elastic joint needs."""

from __future__ import annotations

from matplotlib.figure import Figure

from screw_dynamics.common.figures import BLACK, COLOURS, GREY

ROWS = ('position', 'velocity', 'acceleration', 'jerk', 'snap')
# columns: heading, equation, colour, texts with the row of each
COLUMNS = (
    ('link', '', COLOURS[0], {0: '$q$', 1: r'$\dot q$', 2: r'$\ddot q$', 3: '$q^{(3)}$',
                              4: '$q^{(4)}$'}),
    ('effort of the joint', r'$M \ddot q + \ldots$', COLOURS[1],
     {2: r'$\tau$', 3: r'$\dot\tau$', 4: r'$\ddot\tau$'}),
    ('motor', r'$\theta = q + K^{-1} \tau$', COLOURS[2],
     {2: r'$\theta$', 3: r'$\dot\theta$', 4: r'$\ddot\theta$'}),
    ('effort of the motor', r'$\tau_m = \tau + B\, \ddot\theta$', COLOURS[3], {4: r'$\tau_m$'}),
)  # fmt: skip
WIDTH = 2.2  # of a column


def figure() -> Figure:
    """Return the figure."""
    result = Figure(figsize=(8.4, 4.8), dpi=110)
    axis = result.add_axes((0.0, 0.0, 1.0, 0.92))
    for row, name in enumerate(ROWS):
        axis.text(-0.9, -row, name, ha='right', va='center', color=GREY)
    for i, (name, equation, colour, texts) in enumerate(COLUMNS):
        x = WIDTH * i
        axis.text(x, 1.2, name, ha='center', color=colour)
        axis.text(x, 0.75, equation, ha='center', color=GREY)
        for row, text in texts.items():
            axis.text(
                x, -row, text, ha='center', va='center', fontsize=15, color=BLACK,
                bbox={'boxstyle': 'round,pad=0.35', 'facecolor': 'w', 'edgecolor': colour},
            )  # fmt: skip
            if i:
                axis.annotate(
                    '', (x - 0.5, -row), (x - WIDTH + 0.5, -row),
                    arrowprops={'arrowstyle': '->', 'color': GREY, 'lw': 1.4},
                )  # fmt: skip
    axis.set(xlim=(-2.3, 3 * WIDTH + 1.2), ylim=(-4.6, 1.7))
    axis.set_axis_off()
    result.suptitle('The motor of an elastic joint needs the snap of its link', x=0.01, ha='left')
    return result

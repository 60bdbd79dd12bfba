# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Screw of a helical joint: axis, a point on it, pitch, and the poses that it reaches."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.figure import Figure

from screw_dynamics.common.figures import COLOURS, GREY
from screw_dynamics.lie import exp_screw

E = np.array([0.28, 0.0, 0.96])  # direction of the axis
X = np.array([0.9, 0.3, 0.1])  # a point on it, m
PITCH = 0.16  # m/rad
SCREW = np.array([*E, *(np.cross(X, E) + PITCH * E)])


def figure() -> Figure:
    """Return the figure."""
    result = Figure(figsize=(7.0, 5.0), dpi=110)
    axis: Any = result.add_axes((0.0, 0.0, 1.0, 0.95), projection='3d')
    ends = X + np.outer([-0.4, 1.7], E)
    axis.plot(*ends.T, color='k', lw=1.2)
    for start, vector, colour, text in (
        (np.zeros(3), X, COLOURS[1], '$x$'),
        (X, 0.6 * E, COLOURS[0], '$e$'),
    ):
        axis.quiver(*start, *vector, color=colour, lw=2.4, arrow_length_ratio=0.15)
        axis.text(*(start + 0.6 * vector + (0.06, 0.0, 0.08)), text, color=colour, fontsize=14)
    path = np.array([exp_screw(SCREW, s)[:3, 3] for s in np.linspace(0.0, 2.0 * np.pi, 200)])
    axis.plot(*path.T, color=COLOURS[2], lw=1.2)
    for s, text in ((0.0, '$s = 0$'), (0.5 * np.pi, r'$\pi/2$'), (2.0 * np.pi, r'$2\pi$')):
        c = exp_screw(SCREW, s)
        for column in c[:3, :3].T:
            axis.quiver(*c[:3, 3], *(0.3 * column), color=GREY, lw=1.6, arrow_length_ratio=0.2)
        axis.text(*(c[:3, 3] + (-0.05, 0.0, -0.1)), text, fontsize=11, ha='right')
    turn = np.array([np.zeros(3), exp_screw(SCREW, 2.0 * np.pi)[:3, 3]])
    axis.plot(*turn.T, ':', color=COLOURS[2], lw=1.6)
    axis.text(*(turn[1] / 2 - (0.05, 0.0, 0.0)), r'$2\pi h\, e$', color=COLOURS[2], fontsize=13,
              ha='right')  # fmt: skip
    axis.set_proj_type('ortho')
    limits = (axis.get_xlim(), axis.get_ylim(), axis.get_zlim())
    axis.set_box_aspect([np.ptp(pair) for pair in limits], zoom=1.4)
    axis.set_axis_off()
    axis.view_init(elev=28.0, azim=-75.0)
    for artist in (*axis.lines, *axis.collections):
        artist.set_clip_on(False)  # to the square in which mplot3d draws
    result.suptitle(r'Helical joint, $X = (e,\ x \times e + h e)$: poses $\exp(X s)$ of a body',
                    x=0.01, ha='left')  # fmt: skip
    return result

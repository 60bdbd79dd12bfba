# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Columns of a Jacobian, and the velocities of a tool that rates of the joints of size 1 give."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

import screw_dynamics as sd
from screw_dynamics.common.figures import COLOURS, GREY

ANGLES = ((0.2, 1.9), (0.4, 0.9), (0.7, 0.0))  # the last one is singular
SCALE = 0.4  # of the velocities


def figure() -> Figure:
    """Return the figure."""
    robot = sd.read_urdf(sd.share_path('urdf/planar_2r.urdf'))
    circle = np.array([f(np.linspace(0.0, 2.0 * np.pi, 200)) for f in (np.cos, np.sin)])
    result = Figure(figsize=(9.0, 3.6), dpi=110, layout='constrained')
    for axis, q in zip(result.subplots(1, 3, sharey=True), ANGLES, strict=True):
        frames = ('link_1', 'link_2', 'tool')  # the robot moves in the plane of x and z
        places = np.array([sd.frame_pose(robot, q, name)[[0, 2], 3] for name in frames])
        jacobian = sd.frame_jacobian(robot, q, 'tool', 'hybrid')[[3, 5]]
        axis.plot(*places.T, 'o-', color='0.55', lw=4, ms=6, markevery=[0, 1])
        axis.plot(*(places[-1, :, None] + SCALE * jacobian @ circle), color=COLOURS[2])
        for joint, column in enumerate(jacobian.T, 1):
            colour = COLOURS[joint - 1]
            tip = places[-1] + SCALE * column
            style = {'arrowstyle': '-|>', 'color': colour, 'lw': 2, 'shrinkA': 0, 'shrinkB': 0}
            axis.annotate('', tip, places[-1], arrowprops=style)
            side = 0.03 if joint == 1 else -0.09
            axis.text(*(tip + side), f'$J_{joint}$', color=colour)
        ratio = np.linalg.cond(jacobian)
        text = f'{ratio:.1f}' if ratio < 1e6 else 'infinite'
        axis.set_title(f'condition number {text}', fontsize=11, color=GREY)
        axis.set(xlim=(-0.2, 1.1), ylim=(-0.1, 1.1), aspect='equal', xlabel='x [m]')
    result.axes[0].set_ylabel('z [m]')
    result.suptitle('Columns of the Jacobian, and tool velocities of joint rates of size 1',
                    x=0.01, ha='left')  # fmt: skip
    return result

# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The velocity of one body in four representations: axes and point of reference."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
from matplotlib.figure import Figure

import screw_dynamics as sd
from screw_dynamics.common.figures import COLOURS
from screw_dynamics.lie import exp_so3
from screw_dynamics.model.records import Representation

ORIGIN = np.array([0.9, 0.2, 0.3])  # of the body frame
ROTATION = exp_so3(np.array([0.5, -0.6, 0.9]))  # of the body frame
AXIS = np.array([0.48, -0.36, 0.8])  # of the hinge, in base axes
HINGE = ORIGIN + ROTATION @ (0.7, -0.2, 0.0)  # a point on it
CORNERS = np.array(list(product((-0.2, 1.0), (-0.25, 0.25), (-0.15, 0.15))))
PANELS: dict[Representation, str] = {
    'body': 'body-fixed: body axes, origin of the body',
    'spatial': 'spatial: base axes, point at the base origin',
    'hybrid': 'hybrid: base axes, origin of the body',
    'mixed': r'mixed: $\omega$ in body axes, $\dot r$ in base axes',
}


def figure() -> Figure:
    """Return the figure."""
    home = np.eye(4)
    home[:3, :3], home[:3, 3] = ROTATION, ORIGIN
    e, x = ROTATION.T @ AXIS, ROTATION.T @ (HINGE - ORIGIN)  # the hinge in the body frame
    screw = [*e, *np.cross(x, e)]
    model = sd.ScrewModel.from_screws([-1], [home], [screw], [np.eye(6)])

    result = Figure(figsize=(9.0, 7.6), dpi=110)
    for i, (name, title) in enumerate(PANELS.items()):
        twist = sd.frame_twist(model, [[0.0], [1.0]], 'body_1', name)[0]
        left, bottom = 0.5 * (i % 2), 0.46 * (1 - i // 2)
        axis: Any = result.add_axes((left, bottom, 0.5, 0.4), projection='3d')
        at = np.zeros(3) if name == 'spatial' else ORIGIN
        _scene(axis)
        if name == 'spatial':  # the body, thought of as extended to the base origin
            axis.plot(*np.array([ORIGIN, at]).T, ':', color='0.45', lw=1.2)
        for part, in_body, colour in (
            (twist[:3], name in ('body', 'mixed'), COLOURS[2]),
            (twist[3:], name == 'body', COLOURS[1]),
        ):
            axes = ROTATION if in_body else np.eye(3)
            for direction, value in zip(axes.T, part, strict=True):
                axis.plot(*np.array([at, at + value * direction]).T, color=colour, lw=1.0)
            _arrow(axis, at, axes @ part, colour, 2.6)
        numbers = ', '.join(f'{value + 0.0:.2f}' for value in twist)
        result.text(left + 0.02, bottom + 0.435, title, fontsize=10)
        result.text(left + 0.02, bottom + 0.405, f'V = ({numbers})', fontsize=9)
        for artist in (*axis.lines, *axis.collections):
            artist.set_clip_on(False)  # to the square in which mplot3d draws
    result.suptitle('One motion, 1 rad/s about the hinge: four twists', x=0.01, ha='left')
    result.text(0.02, 0.935, 'angular velocity', color=COLOURS[2], fontsize=10)
    result.text(0.16, 0.935, 'velocity of the point', color=COLOURS[1], fontsize=10)
    result.text(0.34, 0.935, '(thin: components along the axes)', fontsize=10)
    return result


def _scene(axis: Any) -> None:
    """Draw the body with its hinge and axes, and the axes of the base."""
    corners = ORIGIN + CORNERS @ ROTATION.T
    for i, j in product(range(8), repeat=2):
        if i < j and (CORNERS[i] != CORNERS[j]).sum() == 1:
            axis.plot(*corners[[i, j]].T, color=COLOURS[0], lw=0.8, alpha=0.6)
    axis.plot(*np.array([HINGE - 0.8 * AXIS, HINGE + 0.8 * AXIS]).T, color='k', lw=1.6)
    axis.text(*(HINGE + 0.9 * AXIS), 'hinge', fontsize=9, ha='center', va='bottom')
    for place, turned, text in ((np.zeros(3), np.eye(3), 'base'), (ORIGIN, ROTATION, 'body')):
        for direction in turned.T:
            _arrow(axis, place, 0.4 * direction, '0.35', 1.0)
        axis.text(*(place - 0.12), text, fontsize=9, ha='center', va='top')
    axis.set(xlim=(-0.4, 1.8), ylim=(-0.6, 1.2), zlim=(-0.8, 1.0))
    axis.set_proj_type('ortho')
    axis.set_box_aspect((2.2, 1.8, 1.8), zoom=1.3)
    axis.view_init(elev=24.0, azim=-70.0)
    axis.set_axis_off()


def _arrow(axis: Any, at: np.ndarray, vector: np.ndarray, colour: str, width: float) -> None:
    axis.quiver(*at, *vector, color=colour, linewidth=width, arrow_length_ratio=0.15)

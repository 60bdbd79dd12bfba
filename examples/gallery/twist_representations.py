# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The velocity of one body in four representations: axes and point of reference."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.figure import Figure

import screw_dynamics as sd
from screw_dynamics.model.records import Representation
from screw_dynamics.results.results_plot import COLOURS

HINGE = np.array([1.75, -1.4])
ORIGIN = np.array([1.15, -0.55])  # of the body frame
TURN = 1.9  # of the body frame [rad]
CORNERS = np.array([[-1.2, -0.5], [0.4, -0.5], [0.4, 0.2], [-1.2, 0.2], [-1.2, -0.5]])
PANELS: dict[Representation, str] = {
    'body': 'body-fixed: body axes, origin of the body',
    'spatial': 'spatial: base axes, point at the base origin',
    'hybrid': 'hybrid: base axes, origin of the body',
    'mixed': r'mixed: $\omega$ in body axes, $\dot r$ in base axes',
}


def figure() -> Figure:
    """Return the figure."""
    rotation = np.array([[np.cos(TURN), -np.sin(TURN)], [np.sin(TURN), np.cos(TURN)]])
    home = np.eye(4)
    home[:2, :2], home[:2, 3] = rotation, ORIGIN
    x, y = rotation.T @ (HINGE - ORIGIN)  # the axis in the body frame
    model = sd.ScrewModel.from_screws([-1], [home], [[0, 0, 1, y, -x, 0]], [np.eye(6)])

    result = Figure(figsize=(9.0, 6.4), dpi=110, layout='constrained')
    for (name, title), axis in zip(PANELS.items(), result.subplots(2, 2).flat, strict=True):
        twist = sd.frame_twist(model, [[0.0], [1.0]], 'body_1', name)[0]
        in_body = name == 'body'
        at = np.zeros(2) if name == 'spatial' else ORIGIN
        axes = rotation if in_body else np.eye(2)
        _scene(axis, rotation)
        if name == 'spatial':  # the body, thought of as extended to the base origin
            axis.plot(*np.array([HINGE, at]).T, ':', color='0.45', lw=1.2)
        for direction, part in zip(axes.T, twist[3:5], strict=True):
            _arrow(axis, at, part * direction, COLOURS[1], 1.2)
        _arrow(axis, at, axes @ twist[3:5], COLOURS[1], 2.6)
        axis.set_title(title, loc='left', fontsize=10)
        numbers = ', '.join(f'{value + 0.0:.2f}' for value in twist)
        axis.text(0.02, 0.03, f'V = ({numbers})', transform=axis.transAxes, fontsize=9)
    result.suptitle('One motion, 1 rad/s about the hinge: four twists', x=0.01, ha='left')
    return result


def _scene(axis: Any, rotation: np.ndarray) -> None:
    """Draw the body with its hinge and axes, and the axes of the base."""
    outline = ORIGIN + CORNERS @ rotation.T
    axis.fill(*outline.T, color=COLOURS[0], alpha=0.15)
    axis.plot(*outline.T, color=COLOURS[0], lw=1.0)
    axis.plot(*HINGE, 'o', color='k', ms=6)
    axis.annotate('hinge', HINGE, (22, -3), textcoords='offset points', fontsize=9)
    for place, turned, text in ((np.zeros(2), np.eye(2), 'base'), (ORIGIN, rotation, 'body')):
        for direction in turned.T:
            _arrow(axis, place, 0.45 * direction, '0.35', 1.0)
        axis.annotate(text, place, (7, 7), textcoords='offset points', fontsize=9)
    axis.set(xlim=(-1.6, 2.5), ylim=(-2.15, 0.6), aspect='equal', xticks=[], yticks=[])
    axis.spines[:].set_visible(False)
    axis.grid(False)


def _arrow(axis: Any, at: np.ndarray, vector: np.ndarray, colour: str, width: float) -> None:
    style = {'arrowstyle': '-|>', 'color': colour, 'lw': width, 'shrinkA': 0, 'shrinkB': 0}
    axis.annotate('', at + vector, at, arrowprops=style)

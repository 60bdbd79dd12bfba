# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Joint screws of a tree with revolute, prismatic and helical joints."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.figure import Figure

import screw_dynamics as sd
from screw_dynamics.common.figures import COLOURS
from screw_dynamics.lie import pose, rotation_onto_z, rpy_rotation, screw_pitch, screw_type

KINDS = {'revolute': COLOURS[0], 'prismatic': COLOURS[1], 'helical': COLOURS[2]}
PARENTS = (-1, 0, 1, 0, 3)
HOMES = (
    pose(np.eye(3), np.array([0.0, 0.0, 0.4])),
    pose(rpy_rotation(-1.2, 0.0, 0.0), np.array([0.7, 0.0, 0.5])),
    pose(rpy_rotation(0.0, 0.9, 0.0), np.array([0.8, 0.3, 0.2])),
    pose(rpy_rotation(0.0, 0.5, 0.0), np.array([-0.8, 0.1, 0.4])),
    pose(rpy_rotation(1.3, 0.0, 0.3), np.array([-0.3, 0.5, 0.7])),
)
SCREWS = (
    (0, 0, 1, 0, 0, 0),
    (0, 0, 1, 0, 0, 0),
    (0, 0, 1, 0, 0, 0.08),
    (0, 0, 0, 0, 0, 1),
    (0, 0, 1, 0, 0, 0),
)
ANGLES = (0.3, -0.4, 0.5, 0.2, 0.6)


def figure() -> Figure:
    """Return the figure."""
    inertias = [np.eye(6)] * len(PARENTS)
    model = sd.ScrewModel.from_screws(PARENTS, HOMES, SCREWS, inertias)
    poses = [sd.frame_pose(model, ANGLES, f'body_{i + 1}') for i in range(len(PARENTS))]

    result = Figure(figsize=(8.0, 5.4), dpi=110, layout='constrained')
    axis: Any = result.add_subplot(projection='3d')
    _triad(axis, np.eye(4))
    axis.text(0.08, 0.0, -0.12, 'base')
    for i, (parent, c) in enumerate(zip(PARENTS, poses, strict=True)):
        start = poses[parent][:3, 3] if parent >= 0 else np.zeros(3)
        axis.plot(*np.array([start, c[:3, 3]]).T, color='0.55', lw=5, solid_capstyle='round')
        _triad(axis, c)
        _screw(axis, c, model.screws[i], i + 1)
    for name, colour in KINDS.items():
        axis.plot([], [], [], color=colour, lw=2, label=name)
    axis.legend(frameon=False, loc='lower right')
    spans = [np.ptp(limits) for limits in (axis.get_xlim(), axis.get_ylim(), axis.get_zlim())]
    axis.set_box_aspect(spans, zoom=1.1)
    axis.set_axis_off()
    axis.view_init(elev=18, azim=-62)
    result.suptitle('Screws $X_i$ on the axes of the joints, in the frames of their bodies',
                    x=0.01, ha='left')  # fmt: skip
    return result


def _screw(axis: Any, c: np.ndarray, screw: np.ndarray, number: int) -> None:
    """Draw the axis of a joint; a helix round it if the joint has a pitch."""
    kind = screw_type(screw)
    direction = c[:3, :3] @ (screw[3:] if kind == 'prismatic' else screw[:3])
    ends = c[:3, 3] + np.outer([-0.35, 0.55], direction)
    axis.plot(*ends.T, color=KINDS[kind], lw=1.6, ls='--' if kind == 'prismatic' else '-')
    axis.quiver(*ends[1], *(0.12 * direction), color=KINDS[kind], lw=2, arrow_length_ratio=1.0)
    axis.text(*(ends[1] + 0.17 * direction), f'$X_{number}$', color=KINDS[kind], fontsize=12)
    angle = np.linspace(0.0, 2.0 * np.pi if kind == 'revolute' else 6.0 * np.pi, 120)
    if kind != 'prismatic':
        height = 0.3 if kind == 'revolute' else screw_pitch(screw) * angle / np.pi - 0.2
        across = rotation_onto_z(direction).T[:, :2]
        circle = 0.11 * across @ np.array([np.cos(angle), np.sin(angle)])
        axis.plot(*(c[:3, 3, None] + circle + direction[:, None] * height), color=KINDS[kind])


def _triad(axis: Any, c: np.ndarray) -> None:
    for column, colour in zip(c[:3, :3].T, ('tab:red', 'tab:green', 'tab:blue'), strict=True):
        axis.quiver(*c[:3, 3], *(0.2 * column), color=colour, lw=1.2, arrow_length_ratio=0.2)

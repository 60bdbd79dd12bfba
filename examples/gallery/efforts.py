# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Efforts of an arm with their first and second derivatives, along a smooth motion."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

import screw_dynamics as sd
from screw_dynamics.recordings.results.results_plot import COLOURS
from screw_dynamics.trajectory import TrajectoryPoint, smooth_trajectory, waypoints_from_points

LABELS = (r'$\tau$  [N m]', r'$\dot\tau$  [N m/s]', r'$\ddot\tau$  [N m/s²]')


def figure() -> Figure:
    """Return the figure."""
    model = sd.read_urdf(sd.share_path('urdf/iiwa14.urdf'))
    rest = (0.0,) * model.n
    points = (
        TrajectoryPoint(0.0, (0.0, 0.5, 0.0, -1.5, 0.0, 0.9, 0.0), rest),
        TrajectoryPoint(1.0, (0.8, 1.0, -0.4, -1.0, -0.9, 0.3, -1.3)),
        TrajectoryPoint(2.0, (0.2, 0.3, -0.6, -1.9, 0.4, 1.6, 0.5), rest),
    )
    curve = smooth_trajectory(waypoints_from_points(model.joint_names, points, model.joint_names))
    times = np.linspace(0.0, curve.duration, 801)
    efforts = sd.inverse_dynamics(model, curve.jets(times))  # (T, 3, n)

    result = Figure(figsize=(8.0, 7.0), dpi=110, layout='constrained')
    axes = result.subplots(3, 1, sharex=True)
    for d, axis in enumerate(axes):
        for j, name in enumerate(model.joint_names):
            axis.plot(times, efforts[:, d, j], color=COLOURS[j], label=name)
        axis.set_ylabel(LABELS[d])
    curves = axes[0].get_lines()
    result.legend(handles=curves, ncols=7, frameon=False, loc='outside lower center', fontsize=9)
    axes[-1].set_xlabel('time [s]')
    result.suptitle('iiwa 14: joint efforts and their exact derivatives', x=0.01, ha='left')
    return result

# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The smooth curve through points, and the spline of joint_trajectory_controller."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

import screw_dynamics as sd
from screw_dynamics.common.figures import COLOURS
from screw_dynamics.trajectory import (
    TrajectoryPoint,
    jtc_trajectory,
    smooth_trajectory,
    waypoints_from_points,
)

LABELS = (r'$q$  [rad]', r'$\ddot q$  [rad/s²]', r'$q^{(3)}$  [rad/s³]', r'$\dot\tau$  [N m/s]')
POINTS = (
    TrajectoryPoint(0.0, (0.0, 0.0), (0.0, 0.0)),
    TrajectoryPoint(0.6, (0.9, -0.8), (0.8, 0.6)),
    TrajectoryPoint(1.2, (0.7, 0.6), (-1.2, 1.0)),
    TrajectoryPoint(2.0, (-0.3, 0.2), (0.0, 0.0)),
)


def figure() -> Figure:
    """Return the figure."""
    model = sd.read_urdf(sd.share_path('urdf/planar_2r.urdf'))
    waypoints = waypoints_from_points(model.joint_names, POINTS, model.joint_names)
    curves = {
        'jtc: cubic between points with velocities': jtc_trajectory(waypoints),
        'smooth: four times continuously differentiable': smooth_trajectory(waypoints),
    }
    times = np.linspace(0.0, POINTS[-1].time_from_start, 2001)

    result = Figure(figsize=(8.0, 8.0), dpi=110, layout='constrained')
    axes = result.subplots(len(LABELS), 1, sharex=True)
    for (name, curve), colour in zip(curves.items(), (COLOURS[1], COLOURS[0]), strict=True):
        jets = curve.jets(times)
        rates = sd.inverse_dynamics(model, jets)[:, 1]
        for axis, rows in zip(axes, (jets[:, 0], jets[:, 2], jets[:, 3], rates), strict=True):
            axis.plot(times, rows[:, 0], color=colour, label=name)
    for axis, label in zip(axes, LABELS, strict=True):
        axis.set_ylabel(label)
    instants = [point.time_from_start for point in POINTS]
    axes[0].plot(instants, [point.positions[0] for point in POINTS], 'o', color='#222222')
    axes[0].legend(frameon=False)
    axes[-1].set_xlabel('time [s]')
    result.suptitle('joint_1 of a two-link arm: two curves through four points', x=0.01, ha='left')
    return result

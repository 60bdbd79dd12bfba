# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""A motion that exceeds a motor's limit, and the least slow-down that keeps all limits."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

import screw_dynamics as sd
from screw_dynamics.recordings.results.results_plot import COLOURS, GREY
from screw_dynamics.trajectory import TrajectoryPoint, smooth_trajectory, waypoints_from_points

STRONGEST = 40.0  # N m, of each motor, behind the gear
POINTS = (
    TrajectoryPoint(0.0, (-1.6, 0.0), (0.0, 0.0)),
    TrajectoryPoint(0.35, (-0.6, 1.0)),
    TrajectoryPoint(0.7, (-0.2, 0.2), (0.0, 0.0)),
)


def figure() -> Figure:
    """Return the figure."""
    model = sd.read_urdf(sd.share_path('urdf/planar_2r.urdf'))
    motor = sd.Motor(0.1, max_effort=STRONGEST)
    drive = sd.JointDrive(sd.LinearSpring(300.0), motor)
    robot = sd.Robot(model, sd.Drives({name: drive for name in model.joint_names}))
    curve = smooth_trajectory(waypoints_from_points(model.joint_names, POINTS, model.joint_names))
    times = np.linspace(0.0, curve.duration, 401)
    fast = curve.jets(times)
    slow = sd.slow_down(robot, fast, times)

    result = Figure(figsize=(8.0, 5.5), dpi=110, layout='constrained')
    axes = result.subplots(2, 1, sharex=True)
    for instants, jets, dashes in ((times, fast, (0, (3, 2))), (slow.times, slow.joint_jet, '-')):
        commands = sd.elastic_feedforward(robot, jets)
        for j, axis in enumerate(axes):
            effort = commands.motor_effort[:, j]
            label = 'as planned' if instants is times else f'{slow.factor:.3f} times slower'
            axis.plot(instants, effort, color=COLOURS[j], linestyle=dashes, label=label)
    for name, axis in zip(model.joint_names, axes, strict=True):
        for limit in (-STRONGEST, STRONGEST):
            axis.axhline(limit, color=GREY, linewidth=0.8)
        axis.set_ylabel(f'motor of {name}  [N m]')
        axis.legend(frameon=False)
    axes[-1].set_xlabel('time [s]')
    result.suptitle(f'Limited by: {slow.limiting}', x=0.01, ha='left', fontsize=10)
    return result

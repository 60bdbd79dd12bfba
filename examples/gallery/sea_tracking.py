# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""A series elastic arm, simulated with rigid and with exact motor feedforward alone."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

import screw_dynamics as sd
from screw_dynamics.common.arrays import Array
from screw_dynamics.common.figures import COLOURS
from screw_dynamics.trajectory import TrajectoryPoint, smooth_trajectory, waypoints_from_points

ROTOR = 0.1  # kg m^2 behind the gear
# hanging, so that the arm is stable without feedback
POINTS = (
    TrajectoryPoint(0.0, (-1.6, 0.0), (0.0, 0.0)),
    TrajectoryPoint(0.5, (-0.9, 0.5)),
    TrajectoryPoint(1.0, (-1.2, -0.4), (0.0, 0.0)),
)


def figure() -> Figure:
    """Return the figure."""
    model = sd.read_urdf(sd.share_path('urdf/planar_2r.urdf'))
    drive = sd.JointDrive(sd.LinearSpring(300.0), sd.Motor(ROTOR))
    robot = sd.Robot(model, sd.Drives({name: drive for name in model.joint_names}))
    curve = smooth_trajectory(waypoints_from_points(model.joint_names, POINTS, model.joint_names))
    simulation = sd.simulation.ElasticRobot(robot)
    begin = curve.jets([0.0])
    start = simulation.initial_state(begin[0], sd.elastic_feedforward(robot, begin))
    times = np.linspace(0.0, curve.duration, 501)

    def rigid(t: float, _: Array) -> Array:
        jet = curve.jets([t])[0]
        command: Array = sd.inverse_dynamics(model, jet[:3])[0] + ROTOR * jet[2]
        return command

    def exact(t: float, _: Array) -> Array:
        return sd.elastic_feedforward(robot, curve.jets([t])[0]).motor_effort

    result = Figure(figsize=(8.0, 4.5), dpi=110, layout='constrained')
    axis = result.subplots()
    for name, command, colour in (('rigid', rigid, COLOURS[1]), ('exact', exact, COLOURS[0])):
        motion = simulation.integrate(times, command, start)
        errors = np.abs(motion.position - curve.jets(times, rows=1)[:, 0]).max(axis=1)
        axis.semilogy(times, np.maximum(errors, 1e-15), color=colour, label=f'{name} feedforward')
    axis.set_ylabel('largest |q - q_ref|  [rad]')
    axis.set_xlabel('time [s]')
    axis.legend(frameon=False)
    result.suptitle('A series elastic arm without feedback', x=0.01, ha='left')
    return result

# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""An arm that takes positions only: its links with positions of links, and of motors."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

import screw_dynamics as sd
from screw_dynamics.common.arrays import Array
from screw_dynamics.common.figures import COLOURS
from screw_dynamics.trajectory import TrajectoryPoint, smooth_trajectory, waypoints_from_points
from sea_study.mujoco_robot import MujocoRobot

STEP = 1e-3  # s, of the drives
AFTER = 1.0  # s of rest after the motion
FREQUENCY = 60.0  # Hz, of the position loops in the drives, damping 1
POINTS = (
    TrajectoryPoint(0.0, (-1.2, 0.6), (0.0, 0.0)),
    TrajectoryPoint(0.7, (-0.5, -0.3), (0.0, 0.0)),
)


def arm() -> sd.Robot:
    """Return a planar arm with soft springs behind heavy rotors."""
    model = sd.read_urdf(sd.share_path('urdf/planar_2r.urdf'))
    drives = {
        name: sd.JointDrive(sd.LinearSpring(stiffness), sd.Motor(0.5))
        for name, stiffness in zip(model.joint_names, (400.0, 150.0), strict=True)
    }
    return sd.Robot(model, sd.Drives(drives))


def followed(robot: sd.Robot, positions: Array, velocities: Array, links: Array) -> Array:
    """
    Return the links (T, n) in MuJoCo with drives that follow positions (T, n), one per STEP.

    The arm rests at first, with its links at `links` (n,) and its motors where these need them.
    """
    rest = np.zeros((robot.required_rows, robot.n))
    rest[0] = links
    motors = sd.elastic_feedforward(robot, rest).motor_position
    simulated, still = MujocoRobot(robot, timestep=STEP), np.zeros(robot.n)
    simulated.set_state(links, still, motors, still)
    rotors = robot.motors.rows[:, 0]
    omega = 2.0 * np.pi * FREQUENCY
    gains = omega**2 * rotors, 2.0 * omega * rotors
    return simulated.follow(np.zeros_like(positions), (positions, velocities), gains).links


def figure() -> Figure:
    """Return the figure."""
    robot = arm()
    names = robot.joint_names
    curve = smooth_trajectory(waypoints_from_points(names, POINTS, names))
    times = STEP * np.arange(round((curve.duration + AFTER) / STEP) + 1)
    jets = curve.jets(times)
    motors = sd.elastic_feedforward(robot, jets).motor_jet

    result = Figure(figsize=(8.0, 5.0), dpi=110, layout='constrained')
    axes = result.subplots(2, 1, sharex=True)
    # before the motion, drives that hold the links' positions let them sag
    sag = jets[0, 0] - (motors[0, 0] - jets[0, 0])
    for label, sent, start, colour in (
        ('positions of the links, q', jets, sag, COLOURS[1]),
        ('positions of the motors, q + tau/K', motors, jets[0, 0], COLOURS[0]),
    ):
        links = followed(robot, sent[:, 0], sent[:, 1], start)
        for name, axis, error in zip(names, axes, 1e3 * (links - jets[:, 0]).T, strict=True):
            axis.plot(times, error, color=colour, label=label)
            axis.set_ylabel(f'error of {name}  [mrad]')
    for axis in axes:
        axis.axvline(curve.duration, color='0.6', linewidth=0.8)
    lines, labels = axes[0].get_legend_handles_labels()
    result.legend(lines, labels, loc='outside lower left', ncols=2, frameon=False)
    axes[-1].set_xlabel('time [s]')
    result.suptitle('Soft joints with drives that take positions only', x=0.01, ha='left')
    return result

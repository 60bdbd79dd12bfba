# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Gains of motors as parameters of feedforward_controller and drive_commands."""

import os

import numpy as np

from screw_dynamics.common.arrays import Array
from screw_dynamics.common.yaml_files.document import write_document
from screw_dynamics.drives.robot import Robot
from screw_dynamics.simulation.feedback_gains import motor_gains, scheduled_feedback
from screw_dynamics.trajectory import PiecewisePolynomial


def write_gains(
    robot: Robot,
    curve: PiecewisePolynomial,
    frequency: float,
    delay: float,
    path: str | os.PathLike[str],
) -> None:
    """
    Write the gains of `scheduled_feedback` along a curve, and of `motor_gains` halfway.

    The file has parameters of the controller `feedforward_controller` and of the node
    `drive_commands`; loops have a `frequency` [Hz], measurements a `delay` [s].
    """
    names = robot.joint_names
    columns = [f'{x} {name}' for x in ('q', "q'") for name in names]
    columns += [f'{x} {name}' for x in ('theta', "theta'") for name in robot.motors.names]
    poses, loops = scheduled_feedback(robot, curve, frequency, delay)
    gains = np.zeros((len(poses), robot.motors.m, len(columns)))  # 0 by motors without a spring
    gains[..., [columns.index(x) for x in loops[0].state_names]] = [loop.gains for loop in loops]
    middle = curve.jets([0.5 * (curve.breaks[0] + curve.breaks[-1])])[0, 0]
    drives = motor_gains(robot, middle, frequency, delay=delay).gains
    kp, kd = np.array([row[row != 0.0] for row in drives]).T
    numbers = {
        'poses': poses,
        'gains': gains,
        'integral_gains': np.array([loop.integral_gains for loop in loops]),
    }
    feedback = {name: _rounded(values) for name, values in numbers.items()}
    nodes = {
        'feedforward_controller': {'feedback': feedback},
        'drive_commands': {'kp': _rounded(kp), 'kd': _rounded(kd)},
    }
    write_document({name: {'ros__parameters': own} for name, own in nodes.items()}, path)


def _rounded(values: Array) -> list[float]:
    return [float(f'{value:.7g}') for value in values.ravel()]

# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Positions of motors behind springs, for controllers and drives that take nothing else."""

import numpy as np

from screw_dynamics.common.arrays import Array
from screw_dynamics.drives import elastic_feedforward
from screw_dynamics.drives.robot import Robot
from screw_dynamics.errors import InputError, ScrewDynamicsError, listed

_MOST_STEPS = 200
_SETTLED = 1e-12  # rad or m


def require_motor_positions(robot: Robot) -> None:
    """Raise InputError unless every joint has one motor, whose position a motion tells."""
    expected = "parameter 'trajectory_positions': expected link for "
    if robot.drives is None:
        raise InputError(f'{expected}a robot without drives, got motor')
    table = robot.motors
    if table.m != table.n:
        raise InputError(f'{expected}joints with two motors ({listed(table.names)}), got motor')
    if len(table.stiffness):
        raise InputError(f'{expected}springs of variable stiffness, got motor')


def motor_states(robot: Robot, jets: Array, times: Array) -> Array:
    """Return position, velocity and acceleration (T, 3, n) of motors for joint jets at times."""
    motors = elastic_feedforward(robot, jets, times=times - times[0])
    return motors.motor_jet[:, :3]


def links_at_rest(robot: Robot, motors: Array) -> Array:
    """Return the links (n,) that rest on motors at positions (n,), NaN if springs hold none."""
    jet = np.zeros((robot.required_rows, robot.n))
    jet[0] = motors
    damped = robot.motors.damped_names
    for _ in range(_MOST_STEPS):
        before = jet[0].copy()
        try:
            at = elastic_feedforward(robot, jet[np.newaxis], times=[0.0] if damped else None)
        except ScrewDynamicsError:  # beyond the range of a spring, or positions are not known
            break
        links: Array = motors - at.deflection[0]
        jet[0] = links
        if np.abs(links - before).max() <= _SETTLED:
            return links
    return np.full(robot.n, np.nan)

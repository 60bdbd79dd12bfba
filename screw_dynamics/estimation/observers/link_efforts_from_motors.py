# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`LinkEffortsFromMotors`: efforts of the links from measured efforts of motors or springs."""

import numpy as np

from screw_dynamics.common.arrays import Array
from screw_dynamics.drives.robot import Robot
from screw_dynamics.drives.transmitted_efforts import fill_transmitted_efforts
from screw_dynamics.errors import InputError
from screw_dynamics.kernels.drives.friction import EXCESS, LOAD, LOAD_EFFORT, STRIBECK_VELOCITY
from screw_dynamics.kernels.drives.laws import COULOMB, COULOMB_VELOCITY, RIGID, VISCOUS


class LinkEffortsFromMotors:
    """
    The drives of a robot, which may have none, seen from its links.

    `rotor_inertia` (n, n) is diagonal: that of the motors without a spring, behind the gear.
    """

    def __init__(self, robot: Robot) -> None:
        self.rotor_inertia = np.zeros((robot.n, robot.n))
        self._robot = robot
        if robot.drives is None:
            return
        if robot.drives.rotor_coupling:
            raise InputError('drives: rotor_coupling: expected false, got true')
        self._table = table = robot.motors
        self._rigid = table.laws == RIGID
        motors = table.first_motor
        np.fill_diagonal(self.rotor_inertia, np.where(self._rigid, table.rows[motors, 0], 0.0))
        self._motor_rows = table.rows[motors], table.friction[motors]

    def support(self, q: Array) -> Array:
        """Return what parallel springs leave to the drives, -P(q), (n,)."""
        springs = np.zeros((1, len(q)))
        if self._robot.drives is not None:  # at rest without load, only these springs are left
            fill_transmitted_efforts(self._robot, np.stack([q, 0.0 * q]), springs)
        return np.asarray(springs[0])

    def link_efforts(self, qd: Array, effort: Array, support: Array) -> Array:
        """Return the efforts (n,) on the links: ``tau = u - F(q', u) + P(q)``, cf. the drives."""
        if self._robot.drives is None:
            return effort
        behind_motor = effort - _friction_under_load(*self._motor_rows, qd, effort)
        transmitted = np.where(self._rigid, behind_motor, effort)
        rows, further = self._table.joint_rows, self._table.joint_friction
        return np.asarray(transmitted - _friction(rows, further, qd, transmitted) - support)


def _friction(rows: Array, further: Array, rate: Array, load: Array) -> Array:
    """Return the friction (n,) under transmitted efforts; see `kernels.drives.friction`."""
    sense, level = _dry(rows, further, rate)
    loaded = further[:, LOAD] * np.hypot(load, further[:, LOAD_EFFORT])
    return np.asarray(rows[:, VISCOUS] * rate + sense * (level + loaded))


def _friction_under_load(rows: Array, further: Array, rate: Array, effort: Array) -> Array:
    """Return the friction (n,) of motors with ``u + F(q', u) = effort``, solved for u."""
    sense, level = _dry(rows, further, rate)
    remainder = effort - rows[:, VISCOUS] * rate - sense * level
    slope = further[:, LOAD] * sense
    root = np.sqrt(remainder**2 + (1.0 - slope**2) * further[:, LOAD_EFFORT] ** 2)
    return np.asarray(effort - (remainder - slope * root) / (1.0 - slope**2))


def _dry(rows: Array, further: Array, rate: Array) -> tuple[Array, Array]:
    """Return tanh(v / v0) and the level of the friction that does not depend on the load."""
    decay = np.exp(-((rate / further[:, STRIBECK_VELOCITY]) ** 2))
    level = rows[:, COULOMB] + further[:, EXCESS] * decay
    return np.tanh(rate / rows[:, COULOMB_VELOCITY]), level

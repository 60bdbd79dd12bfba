# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`RobotStates`: the state vectors of a robot with elastic joints."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from screw_dynamics.arrays import Array, as_float_array, as_vector
from screw_dynamics.elastic import MotorFeedforward, MotorTable
from screw_dynamics.errors import InputError, ShapeError


class RobotStates:
    """Makes and takes apart the states ``(q, q', theta, theta')`` of n links and m motors."""

    def __init__(self, motors: MotorTable) -> None:
        self.motors = motors

    @property
    def state_size(self) -> int:
        """Length 2 n + 2 m of a state."""
        return 2 * (self.motors.n + self.motors.m)

    def state(
        self,
        position: ArrayLike,
        velocity: ArrayLike | None = None,
        motor_position: ArrayLike | None = None,
        motor_velocity: ArrayLike | None = None,
    ) -> Array:
        """
        Return a state; motors default to those of springs without deflection.

        Returns (2 n + 2 m,).
        """
        n, m, owner = self.motors.n, self.motors.m, self.motors.joint_of_motor
        q = as_vector('position', position, n)
        qd = np.zeros(n) if velocity is None else as_vector('velocity', velocity, n)
        theta, theta_rate = q[owner], qd[owner]
        if motor_position is not None:
            theta = as_vector('motor_position', motor_position, m)
        if motor_velocity is not None:
            theta_rate = as_vector('motor_velocity', motor_velocity, m)
        return np.concatenate([q, qd, theta, theta_rate])

    def initial_state(self, joint_jet: ArrayLike, feedforward: MotorFeedforward) -> Array:
        """
        Return the state in which a motion with its feedforward begins (or passes).

        Returns (2 n + 2 m,).
        """
        jet = as_float_array('joint_jet', joint_jet)
        if jet.ndim != 2 or len(jet) < 2:
            raise ShapeError('joint_jet', f'(rows, {self.motors.n}) with rows >= 2', jet.shape)
        if not isinstance(feedforward, MotorFeedforward):
            raise InputError(
                f'feedforward: expected a MotorFeedforward, got {type(feedforward).__name__}'
            )
        samples = feedforward.motor_jet.reshape(-1, *feedforward.motor_jet.shape[-2:])
        if not len(samples):
            raise InputError('feedforward: expected at least one sample, got none')
        motors = samples[0]
        return self.state(jet[0], jet[1], motors[0], motors[1])

    def split(self, states: Array) -> tuple[Array, Array, Array, Array]:
        """
        Return link positions, link velocities, motor positions and motor velocities as views.

        `states` (..., 2 n + 2 m); returns `position, velocity` (..., n), `motor_position,
        motor_velocity` (..., m).
        """
        n, m = self.motors.n, self.motors.m
        return (
            states[..., :n],
            states[..., n : 2 * n],
            states[..., 2 * n : 2 * n + m],
            states[..., 2 * n + m :],
        )

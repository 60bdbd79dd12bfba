# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""State vectors of a robot with elastic joints, and the result of a simulation."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from screw_dynamics.arrays import Array, as_float_array, as_vector
from screw_dynamics.elastic import MotorFeedforward, MotorTable
from screw_dynamics.errors import InputError, ShapeError


@dataclass(frozen=True, eq=False)
class SimulationResult:
    """
    Motion of an elastic robot over time.

    Parameters
    ----------
    times : (T,) ndarray
        Times of the states [s].
    position, velocity : (T, n) ndarray
        Link positions and velocities [rad or m, per s].
    motor_position, motor_velocity : (T, m) ndarray
        Motor positions and velocities, on the joint side of the gear [rad or m, per s].
    evaluations : int
        Number of evaluations of the equations of motion.

    """

    times: Array
    position: Array
    velocity: Array
    motor_position: Array
    motor_velocity: Array
    evaluations: int


class RobotStates:
    """Composes and splits the states ``(q, q', theta, theta')`` of n links and m motors."""

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
        Return a state (2 n + 2 m,); by default it is at rest and the springs are not deflected.

        Motor positions and velocities (m,) are on the joint side of the gear.
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
        Return the initial state (2 n + 2 m,) of a motion with its feedforward.

        `joint_jet` has two or more rows; a batch of motor commands contributes its first sample.
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
        Return link positions and velocities (..., n), motor positions and velocities (..., m).

        All are views of `states` (..., 2 n + 2 m).
        """
        n, m = self.motors.n, self.motors.m
        return (
            states[..., :n],
            states[..., n : 2 * n],
            states[..., 2 * n : 2 * n + m],
            states[..., 2 * n + m :],
        )

# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`SimulatedRobot`: elastic robot with motor drives and brakes, simulated with a fixed step."""

import math

import numpy as np

from screw_dynamics.common.arrays import Array
from screw_dynamics.common.settings import one_or_each
from screw_dynamics.drives import elastic_feedforward, transmitted_efforts
from screw_dynamics.drives.robot import Robot
from screw_dynamics.dynamics import inverse_dynamics
from screw_dynamics.errors import InputError, ScrewDynamicsError, SimulationError
from screw_dynamics.kernels.drives.gears import WIDTH
from screw_dynamics.nodes.sea_simulator.motor_drives import MotorDrives
from screw_dynamics.nodes.sea_simulator.parameters import SeaSimulatorParameters
from screw_dynamics.simulation import ElasticRobot
from screw_dynamics.simulation.natural_frequencies import (
    damping_rate,
    natural_frequencies,
    parallel_frequency,
)


class SimulatedRobot:
    """
    The robot simulated by `sea_simulator`, at first at rest with its brakes on.

    After a failure of the integration they stay on until `reset`.
    """

    def __init__(self, robot: Robot, parameters: SeaSimulatorParameters) -> None:
        self.drives = MotorDrives(robot.motors, parameters)
        self._home = one_or_each(
            'initial_position', parameters.initial_position, robot.joint_names
        )
        self._state = np.empty(0)
        self._driven = np.zeros(robot.motors.m)  # mean efforts of the period
        self.failure = ''
        self._parameters = parameters
        self._noise = np.random.default_rng(0)
        self.set_robot(robot)
        self.reset()

    def set_robot(self, robot: Robot) -> None:
        """Continue with another model that has the same joints, or raise ScrewDynamicsError."""
        parameters = self._parameters
        self._robot = ElasticRobot(robot)
        self._rest_jet = np.zeros((robot.required_rows, robot.n))
        self._jet, self._effort = np.zeros((3, robot.n)), np.zeros((1, robot.n))
        self.substeps = parameters.substeps or substeps_for(
            robot, self._home, 1.0 / parameters.rate, self.drives.derivative
        )
        self._step = 1e-9 * round(1e9 / parameters.rate) / self.substeps
        if len(self._state) and self.braked:
            self.brake()

    @property
    def joint_names(self) -> tuple[str, ...]:
        """Names of the joints of the links."""
        return self._robot.motors.joint_names

    def reset(self) -> None:
        """Return to rest at the initial position, with brakes on."""
        self._state = self._rest_state(self._home)
        self.braked, self.failure = True, ''
        self.drives.clear()
        self._measure()

    def brake(self) -> None:
        """Apply the brakes: stop at once."""
        q, _, theta, _ = self._robot.split(self._state)
        try:
            self._state = self._rest_state(q)
        except ScrewDynamicsError:  # too heavy for a spring: keep the motor position
            self._state = self._robot.state(q, motor_position=theta)
        self.braked = True
        self.drives.clear()
        self._measure()

    def _rest_state(self, position: Array) -> Array:
        """Return the state at rest in which the springs support the weight."""
        self._rest_jet[0] = position
        commands = elastic_feedforward(self._robot.robot, self._rest_jet)
        return self._robot.state(position, motor_position=commands.motor_position)

    def advance(self) -> None:
        """Advance to the next published state; stop and raise SimulationError if that fails."""
        if self.braked:
            return
        self.drives.begin_step()
        before = self._state.copy()
        try:
            self._move()
            self._measure()
        except ScrewDynamicsError as error:
            self._state = before
            self.failure = str(error)
            self.brake()
            raise SimulationError(self.failure) from None

    def _move(self) -> None:
        if not self.drives.has_feedback:
            self._driven[:] = self.drives.efforts()
            self._robot.step(self._state, self._driven, self._step, steps=self.substeps)
            return
        _, _, theta, theta_rate = self._robot.split(self._state)
        self._driven[:] = 0.0
        for _ in range(self.substeps):
            efforts = self.drives.efforts_at(theta, theta_rate)
            self._driven += efforts / self.substeps
            self._robot.step(self._state, efforts, self._step)
            self.drives.age += self._step

    def _measure(self) -> None:
        """Compute the efforts that drives transmit."""
        q, qd, _, _ = self._robot.split(self._state)
        self._jet[0], self._jet[1], self._jet[2] = q, qd, 0.0
        if not self.braked:
            slope = self._robot.derivatives(self._state, self.drives.applied)
            self._jet[2] = self._robot.split(slope)[1]
        robot = self._robot.robot
        inverse_dynamics(robot.model, self._jet, out=self._effort)
        transmitted_efforts(robot, self._jet, self._effort, out=self._effort)

    def release(self) -> None:
        """Release the brakes, unless the simulation has failed."""
        self.braked = bool(self.failure)

    def link_state(self) -> tuple[Array, Array, Array]:
        """Return position, velocity and transmitted effort (n,) of the links."""
        q, qd, _, _ = self._robot.split(self._state)
        return self._measured(q), qd, self._effort[0]

    def motor_state(self) -> tuple[Array, Array, Array]:
        """Return position, velocity, mean effort of the period (m,), on the joint side."""
        _, _, theta, theta_rate = self._robot.split(self._state)
        efforts = np.zeros_like(theta) if self.braked else self._driven
        return self._measured(theta), theta_rate, efforts

    def _measured(self, position: Array) -> Array:
        noise = self._parameters.encoder_noise
        return position + self._noise.normal(0.0, noise, len(position)) if noise else position


# Step times frequency: the error of a step is 0.1^5 / 120 of the amplitude, and the steps are
# stable (up to 2.8) even if springs become 700 times as stiff.
_STEP_ANGLE = 0.1
_MOST = 10000  # steps per period; each takes about ten microseconds


def substeps_for(robot: Robot, q: Array, period: float, derivative: Array) -> int:
    """Return the Runge-Kutta steps that the fastest motion takes per `period` [s], at least 1."""
    try:
        frequencies = natural_frequencies(robot, q)
    except InputError as error:
        raise InputError(
            "parameter 'substeps': expected 1 or more, as 0 takes springs whose stiffness at rest "
            f'is known and links with mass: {error}'
        ) from None
    # where hysteresis turns back, springs are up to three times as stiff
    stiffer = 3.0 if robot.motors.gears[:, WIDTH].any() else 1.0
    fastest = float(frequencies.max(initial=0.0)) * math.sqrt(stiffer)
    fastest += parallel_frequency(robot, q)
    fastest += damping_rate(robot, q, derivative)
    steps = period * fastest / _STEP_ANGLE
    if not steps <= _MOST:
        raise InputError(
            f"parameter 'substeps': expected 1 or more, as 0 takes {steps:.3g} steps per state, "
            f'above {_MOST}: something moves at {fastest:.3g} rad/s; make joints that stiff rigid'
        )
    return max(1, math.ceil(steps))

# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`Scene`: an arm, its motion, and the motor efforts of different methods."""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from screw_dynamics.arrays import Array
from screw_dynamics.dynamics import inverse_dynamics, mass_matrix
from screw_dynamics.elastic import ElasticJoints, elastic_feedforward
from screw_dynamics.kernels.springs.laws import INERTIA, VISCOUS
from screw_dynamics.model import ScrewModel
from screw_dynamics.simulation import ElasticRobot
from screw_dynamics.trajectory import PiecewisePolynomial
from sea_study.arms import MOTION, REST, Arm

PERIOD = 1e-3  # s for which a sampled command is held
NOISE = 0.05  # N m, standard deviation of a joint torque sensor
RESOLUTION = 0.01  # N m, of the sensor
DIFFERENCE_STEPS = (1, 2, 5, 10, 20, 50)  # in periods; the best in hindsight is used
FEEDBACK_FREQUENCY, FEEDBACK_DAMPING = 1.0, 0.5  # Hz, -, for the inertia of rotor and link

RIGID, NOISY, CLEAN, TICK, MIDDLE, EXACT = FEEDFORWARDS = (
    'rigid',
    'differences, noisy',
    'differences, clean',
    'exact, tick held',
    'exact, middle held',
    'exact',
)


@dataclass(frozen=True, eq=False)
class Scene:
    """An arm and its motion `curve`, at rest after its end."""

    arm: Arm
    model: ScrewModel
    joints: ElasticJoints
    curve: PiecewisePolynomial

    @cached_property
    def robot(self) -> ElasticRobot:
        """The equations of motion."""
        return ElasticRobot(self.model, self.joints)

    @cached_property
    def start(self) -> Array:
        """The exact initial state: at rest, springs deflected by gravity."""
        jet = self.reference(np.zeros(1))
        return self.robot.initial_state(jet[0], elastic_feedforward(self.model, self.joints, jet))

    def reference(self, times: Array) -> Array:
        """Return positions and four derivatives (T, 5, n) at `times` (T,) [s]."""
        return self.curve.jets(np.clip(times, 0.0, MOTION))

    def efforts(self, feedforward: str, times: Array) -> Array:
        """
        Return motor efforts (T, n) [N m] at `times` (T,) [s] by one of `FEEDFORWARDS`.

        For held commands, the times must be the middles of their periods.
        """
        if feedforward == TICK:
            times = times - 0.5 * PERIOD
        if feedforward in (EXACT, MIDDLE, TICK):
            jets = self.reference(times)
            return elastic_feedforward(self.model, self.joints, jets).motor_effort
        if feedforward == RIGID:
            jets = self.reference(times)
            return self._behind(inverse_dynamics(self.model, jets[:, :3])[:, 0], jets[:, 1:3])
        if feedforward == CLEAN:
            return self._by_differences(times, 1, 0.0)
        return self._by_differences(times, self.best_difference_step, NOISE)

    @cached_property
    def best_difference_step(self) -> int:
        """The step of noisy differences with the smallest rms error of the efforts, in periods."""
        times = sample_times()
        exact = self.efforts(EXACT, times)
        errors = [
            np.square(self._by_differences(times, step, NOISE) - exact).mean()
            for step in DIFFERENCE_STEPS
        ]
        return DIFFERENCE_STEPS[int(np.argmin(errors))]

    def growth(self) -> float:
        """
        Return the growth rate of a small error after the motion [1/s].

        It is the largest real part of the eigenvalues of the linearised equations of motion, with
        constant motor efforts.
        """
        jet = self.reference(np.array([MOTION]))
        commands = elastic_feedforward(self.model, self.joints, jet)
        state = self.robot.initial_state(jet[0], commands)
        size = 1e-6
        columns = [
            self.robot.derivatives(state + step, commands.motor_effort[0])
            - self.robot.derivatives(state - step, commands.motor_effort[0])
            for step in size * np.eye(len(state))
        ]
        return float(np.linalg.eigvals(np.array(columns).T / (2.0 * size)).real.max())

    @cached_property
    def feedback_gains(self) -> tuple[Array, Array]:
        """Light gains on motor position and velocity [N m/rad, N m s/rad]."""
        links = np.diag(mass_matrix(self.model, self.reference(np.zeros(1))[0, 0]))
        inertia = links + self.joints.motors(self.model).rows[:, INERTIA]
        omega = 2.0 * np.pi * FEEDBACK_FREQUENCY
        return omega**2 * inertia, 2.0 * FEEDBACK_DAMPING * omega * inertia

    def _behind(self, tau: Array, rates: Array) -> Array:
        """Return motor efforts for link efforts and motor velocities and accelerations `rates`."""
        rows = self.joints.motors(self.model).rows
        return tau + rows[:, VISCOUS] * rates[:, 0] + rows[:, INERTIA] * rates[:, 1]

    def _by_differences(self, times: Array, step: int, noise: float) -> Array:
        """Return motor efforts from central differences of sampled link efforts."""
        h = step * PERIOD
        # one sensor reading per period: neighbouring samples use the same ones
        index = np.round(times / PERIOD - 0.5).astype(np.int64)
        first = int(index.min()) - step
        instants = midpoints(first, int(index.max()) + step + 1)
        measured = inverse_dynamics(self.model, self.reference(instants)[:, :3])[:, 0]
        if noise:
            seed = zlib.crc32(self.arm.name.encode())
            measured = measured + np.random.default_rng(seed).normal(0.0, noise, measured.shape)
            measured = RESOLUTION * np.round(measured / RESOLUTION)
        before, now, after = (measured[index - first + k * step] for k in (-1, 0, 1))
        derivatives = np.stack(
            [(after - before) / (2.0 * h), (after - 2.0 * now + before) / h**2], axis=1
        )
        jets = self.reference(times)
        table = self.joints.motors(self.model)
        stiffness = table.parameters[table.offsets]  # first parameter of a linear spring
        return self._behind(now, jets[:, 1:3] + derivatives / stiffness)


def midpoints(first: int, end: int) -> Array:
    """Return the middles of the periods from `first` to before `end`, (end - first,) [s]."""
    return PERIOD * (np.arange(first, end, dtype=np.float64) + 0.5)


def sample_times() -> Array:
    """Return the middles of all periods of the comparison, (T,) [s]."""
    return midpoints(0, round((MOTION + REST) / PERIOD))


@lru_cache
def scene(arm: Arm) -> Scene:
    """Return the scene of an arm, cached per process."""
    model = arm.model()
    return Scene(arm, model, arm.joints(model), arm.motion(model))

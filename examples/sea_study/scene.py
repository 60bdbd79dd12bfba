# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`Scene`: an arm, its motion, and the motor efforts of different feedforwards."""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np

from screw_dynamics.common.arrays import Array
from screw_dynamics.drives import Robot, elastic_feedforward
from screw_dynamics.dynamics import inverse_dynamics, mass_matrix
from screw_dynamics.kernels.drives.laws import COULOMB, COULOMB_VELOCITY, INERTIA, VISCOUS
from screw_dynamics.model import ScrewModel
from screw_dynamics.simulation import ElasticRobot
from screw_dynamics.trajectory import PiecewisePolynomial
from sea_study import differences
from sea_study.arms import MOTION, TRUE, Arm, Factors

FEEDBACK_DAMPING = 0.7  # of rotor and link together on the feedback

NONE, GRAVITY, RIGID, NOISY, CLEAN, EXACT = FEEDFORWARDS = (
    'none',
    'gravity',
    'rigid',
    'differences, noisy',
    'differences, clean',
    'exact',
)


@dataclass(frozen=True, eq=False)
class Scene:
    """
    An arm and its motion `curve`, at rest after its end, with the parameters of `factors`.

    Those of a simulation are true, those of a feedforward are what it assumes.
    """

    arm: Arm
    factors: Factors
    robot: Robot
    curve: PiecewisePolynomial

    @property
    def model(self) -> ScrewModel:
        """The links."""
        return self.robot.model

    @cached_property
    def simulation(self) -> ElasticRobot:
        """The equations of motion."""
        return ElasticRobot(self.robot)

    @cached_property
    def start(self) -> Array:
        """The exact initial state: at rest, springs deflected by gravity."""
        jet = self.reference(np.zeros(1))
        return self.simulation.initial_state(jet[0], elastic_feedforward(self.robot, jet))

    @cached_property
    def stiffness(self) -> Array:
        """Stiffness of the joints (n,) [N m/rad]."""
        table = self.robot.motors
        stiffness: Array = table.parameters[table.offsets]  # first parameter of a linear spring
        return stiffness

    def reference(self, times: Array) -> Array:
        """Return positions and four derivatives (T, 5, n) at `times` (T,) [s]."""
        return self.curve.jets(np.clip(times, 0.0, MOTION))

    def wanted(self, times: Array, of_links: bool) -> tuple[Array, Array]:
        """
        Return the reference of a PD (T, n): positions and exact motor velocities.

        The positions are those of the links, or exact ones of the motors.
        """
        jets = self.reference(times)
        motors = elastic_feedforward(self.robot, jets)
        return jets[:, 0] if of_links else motors.motor_position, motors.motor_velocity

    def efforts(self, feedforward: str, times: Array) -> Array:
        """Return motor efforts (T, n) [N m] for `times` (T,) [s] by one of `FEEDFORWARDS`."""
        if feedforward in (NOISY, CLEAN):
            efforts: Array = (self._clean if feedforward == CLEAN else self._noisy)(times)
            return efforts
        jets = self.reference(times)
        if feedforward == EXACT:
            return elastic_feedforward(self.robot, jets).motor_effort
        if feedforward == RIGID:
            return self._behind(
                inverse_dynamics(self.model, jets[:, :3])[:, 0], jets[:, 1], jets[:, 2]
            )
        if feedforward == GRAVITY:
            jets[:, 1:] = 0.0
            return inverse_dynamics(self.model, jets[:, :3])[:, 0]
        return np.zeros((len(times), self.model.n))

    @cached_property
    def cutoff(self) -> float:
        """The cutoff of noisy differences with the smallest rms error of the efforts [Hz]."""
        times = np.linspace(0.0, MOTION, round(MOTION / differences.SAMPLING) + 1)
        exact = self.efforts(EXACT, times)
        errors = [
            np.square(self._by_differences(cutoff)(times) - exact).mean()
            for cutoff in differences.CUTOFFS
        ]
        return differences.CUTOFFS[int(np.argmin(errors))]

    def gains(self, frequency: float) -> tuple[Array, Array]:
        """Return gains on position and velocity for a frequency in Hz [N m/rad, N m s/rad]."""
        links = np.diag(mass_matrix(self.model, self.reference(np.zeros(1))[0, 0]))
        inertia = links + self.robot.motors.rows[:, INERTIA]
        omega = 2.0 * np.pi * frequency
        return omega**2 * inertia, 2.0 * FEEDBACK_DAMPING * omega * inertia

    def _behind(self, tau: Array, rate: Array, acceleration: Array) -> Array:
        """Return motor efforts for link efforts and motor velocities and accelerations."""
        rows = self.robot.motors.rows
        dry = rows[:, COULOMB] * np.tanh(rate / rows[:, COULOMB_VELOCITY])
        return tau + dry + rows[:, VISCOUS] * rate + rows[:, INERTIA] * acceleration

    @cached_property
    def _clean(self) -> Any:
        return self._by_differences(None)

    @cached_property
    def _noisy(self) -> Any:
        return self._by_differences(scene(self.arm).cutoff)

    def _by_differences(self, cutoff: float | None) -> Any:
        """Return motor efforts as a spline in time, with a cutoff [Hz] from noisy positions."""
        from scipy.interpolate import CubicSpline

        margin = round(differences.MARGIN / differences.SAMPLING)
        end = round(MOTION / differences.SAMPLING) + margin
        times = differences.SAMPLING * np.arange(-margin, end + 1, dtype=np.float64)
        positions = self.reference(times)[:, 0]
        if cutoff is not None:
            seed = zlib.crc32(self.arm.name.encode())
            positions = differences.smoothed(differences.readings(positions, seed), cutoff)
        motion = differences.motor_motion(self.model, positions, self.stiffness)
        return CubicSpline(times[differences.LOST : -differences.LOST], self._behind(*motion))


@lru_cache(maxsize=100)
def scene(arm: Arm, factors: Factors = TRUE) -> Scene:
    """Return the scene of an arm, cached per process."""
    model = arm.model(factors)
    return Scene(arm, factors, Robot(model, arm.drives(model, factors)), arm.motion(model))

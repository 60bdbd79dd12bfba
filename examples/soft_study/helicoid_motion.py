# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Simulation 1 of P2025 in time: threads linearise their coordinates and follow the equilibria."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.linalg import cho_factor, cho_solve

import screw_dynamics as sd
from screw_dynamics.common.arrays import Array
from screw_dynamics.common.integration import integrate
from screw_dynamics.errors import InputError
from soft_study.helicoid import PERIOD, Equilibria, Statics, targets, tips

STIFFNESS, DAMPING = 10.0, 1.0  # of the errors of the lengths, as in P2025 [1/s^2, 1/s]
END, STEP = 4.9, 0.05  # of the motion, 0.88 of a turn, and between its samples [s]
# Substitutes for what P2025 does not state: the circles are entered from rest within RAMP, and the
# lengths at the equilibria are interpolated by some harmonics of the turn.
RAMP, HARMONICS = 1.0, 9  # s
RTOL, ATOL = 1e-3, 1e-4  # of a step, the latter by the units of the coordinates


@dataclass(frozen=True, eq=False)
class CircleMotion:
    """
    Samples at instants (T,): coordinates (T, 24), tensions (T, 9), tips (T, 3, 3).

    `lengths` and `wanted` (T, 9) are the shortenings of the threads and their reference [m].
    """

    times: Array
    position: Array
    tensions: Array
    tips: Array
    lengths: Array
    wanted: Array


def turned(t: float) -> tuple[float, float, float]:
    """Return the time on the circles with two derivatives: from rest to its full rate in RAMP."""
    if t >= RAMP:
        return t - 0.5 * RAMP, 1.0, 0.0
    x = t / RAMP
    return RAMP * x**3 * (1.0 - 0.5 * x), x * x * (3.0 - 2.0 * x), 6.0 * x * (1.0 - x) / RAMP


class Reference:
    """Lengths (9,) along the turn by harmonics, twice differentiable [m]."""

    def __init__(self, lengths: Array) -> None:
        count = len(lengths)
        self._parts = np.fft.rfft(lengths, axis=0)[: HARMONICS + 1] * 2.0 / count
        self._parts[0] *= 0.5
        self._rates = 2j * np.pi / PERIOD * np.arange(HARMONICS + 1)

    def __call__(self, t: float) -> tuple[Array, Array, Array]:
        """Return the lengths with two time derivatives."""
        time, rate, acceleration = turned(t)
        turn = np.exp(self._rates * time)
        value, slope, bend = (np.real((turn * self._rates**d) @ self._parts) for d in range(3))
        return value, slope * rate, bend * rate**2 + slope * acceleration


def distances(motion: CircleMotion) -> Array:
    """Return the distances (T, 3) of the tips from their places on the circles [m]."""
    wanted = np.array([targets(turned(t)[0]) for t in motion.times])
    found: Array = np.linalg.norm(motion.tips - wanted, axis=-1)
    return found


class _Applied(NamedTuple):
    """Tensions, accelerations and the matrices from which they came."""

    tensions: Array
    acceleration: Array
    collocated: sd.soft.Collocated
    mass: Array


class Control:
    """Partial feedback linearisation of the threads' lengths with tensions that only pull."""

    def __init__(self, equilibria: Equilibria) -> None:
        self.statics = Statics()
        self.robot, self.threads = self.statics.robot, self.statics.threads
        self.units = np.tile(self.statics.units, 2)
        self.state_size = 48
        self.start = np.concatenate([equilibria.position[0], np.zeros(24)]) / self.units
        lengths = [[thread.coordinate(q) for thread in self.threads] for q in equilibria.position]
        self.reference = Reference(np.array(lengths))

    def applied(self, t: float, q: Array, qd: Array) -> _Applied:
        """Return the tensions and what they cause; those below zero are left out."""
        y = sd.soft.collocated_coordinates(self.threads, q, qd)
        mass, bias = sd.soft.mass_inverse_dynamics(self.robot, q, qd, 0.0 * q)
        scale = 1.0 / np.sqrt(np.diag(mass))
        factor = cho_factor(mass * scale * scale[:, np.newaxis])
        columns = np.column_stack([y.matrix, bias])
        solved = scale[:, np.newaxis] * cho_solve(factor, scale[:, np.newaxis] * columns)
        value, rate, acceleration = self.reference(t)
        wanted = acceleration + DAMPING * (rate - y.velocity) + STIFFNESS * (value - y.position)
        projected = y.matrix.T @ solved
        tensions = np.linalg.solve(projected[:, :9], wanted - y.drift + projected[:, 9])
        tensions = np.maximum(tensions, 0.0)
        return _Applied(tensions, solved[:, :9] @ tensions - solved[:, 9], y, mass)

    def derivatives(self, state: Array, *, t: float) -> Array:
        """Return (q', q''), by units; NaN outside of the range of a body: a step is too long."""
        q, qd = np.split(state * self.units, 2)
        try:
            acceleration = self.applied(t, q, qd).acceleration
        except (InputError, np.linalg.LinAlgError):
            return np.full_like(state, np.nan)
        result: Array = np.concatenate([qd, acceleration]) / self.units
        return result

    def jacobian(self, t: float, state: Array) -> Array:
        """Return the stiff part (48, 48) of the slopes: of stress, viscosity and feedback."""
        q, qd = np.split(state * self.units, 2)
        applied, units = self.applied(t, q, qd), self.statics.units
        unknowns = np.concatenate([q / units, applied.tensions])
        stiffness = self.statics.slopes(unknowns)[:24, :24]
        damping = np.zeros((24, 24))
        for module, own in zip(self.robot.modules, self.robot.slices, strict=True):
            damping[own, own] = [
                module.damping_efforts(q[own], rates) for rates in np.diag(units[own])
            ]
        damping = units[:, np.newaxis] * damping.T
        inertia = applied.mass * units * units[:, np.newaxis]
        matrix = units[:, np.newaxis] * applied.collocated.matrix
        mobility = np.linalg.inv(inertia)
        caused = mobility @ matrix
        gain = caused @ np.linalg.inv(matrix.T @ caused)
        rest = (np.eye(24) - gain @ matrix.T) @ mobility
        feedback = gain @ matrix.T
        return np.block(
            [
                [np.zeros((24, 24)), np.eye(24)],
                [-rest @ stiffness - STIFFNESS * feedback, -rest @ damping - DAMPING * feedback],
            ]
        )

    def motion(
        self,
        end: float = END,
        step: float = STEP,
        progress: Callable[[float], object] | None = None,
    ) -> CircleMotion:
        """Return the motion from rest near the first equilibrium."""
        instants = np.linspace(0.0, end, max(1, round(end / step)) + 1)
        _, states, _ = integrate(
            self,
            instants,
            lambda t, state: {'t': t},
            self.start,
            rtol=RTOL,
            atol=ATOL,
            method='BDF',
            methods=('BDF',),
            progress=progress,
            jacobian=self.jacobian,
        )
        rows = [np.split(state * self.units, 2) for state in states]
        found = [self.applied(t, q, qd) for t, (q, qd) in zip(instants, rows, strict=True)]
        return CircleMotion(
            instants,
            np.array([q for q, _ in rows]),
            np.array([applied.tensions for applied in found]),
            np.array([tips(self.robot, q) for q, _ in rows]),
            np.array([applied.collocated.position for applied in found]),
            np.array([self.reference(t)[0] for t in instants]),
        )

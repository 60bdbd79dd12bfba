# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Simulation 1 of P2025: bodies that keep their volume, nine threads, equilibria on circles."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import lsq_linear

import screw_dynamics as sd
from screw_dynamics.common.arrays import Array
from screw_dynamics.series.series_array import SeriesArray

LENGTH, RADIUS = 0.1, 0.02  # m
DENSITY, COEFFICIENT, ETA = 960.0, 0.178e6, 0.05  # kg/m^3, Pa, s
PERIOD = 5.0  # s
RADII, HEIGHTS = np.array([0.02, 0.025, 0.03]), np.array([0.08, 0.15, 0.24])  # m, of the circles
SAMPLES = 24  # equilibria on a turn
NODES = (2, 4, 4)  # points of a body in radius, angle and z; P2025 has 2749 tetrahedra
BODY = 8  # coordinates of a body
UNITS = np.array([1.0, 1.0, 10.0, 1.0, 10.0, 1.0, 0.01, 0.01])  # of its coordinates
# Substitutes for what P2025 does not state: the arm hangs, its z axis is along gravity, and the
# threads of a triplet run in one body. Tips and pulling threads cannot all be had: the last tip
# follows its circle, the others come near theirs, and no tension is below LEAST.
LEAST = 20.0  # N
WEIGHTS = np.repeat([0.3, 0.3, 1.0], 3)  # of the errors of the tips [1/mm]
SMALL = 1e-3  # weight of the tensions [1/N]
PARTS, STEPS, AFTER = 8, 40, 12  # of the way to the circles; steps of the first and other samples
TOLERANCE = 3e-4, 1e-3  # of a step of the coordinates, of the balance by their units [N m]
LARGEST = 0.3, 80.0  # steps of coordinates and tensions [N]


@dataclass(frozen=True, eq=False)
class Equilibria:
    """Coordinates (s, 24), tensions (s, 9) and tips (s, 3, 3) at instants (s,) of a turn."""

    times: Array
    position: Array
    tensions: Array
    tips: Array


def arm() -> tuple[sd.soft.SoftRobot, list[sd.soft.Actuator]]:
    """Return the robot and its threads: three in each body."""
    soft = sd.soft
    rubber = soft.NeoHookean(COEFFICIENT)
    body = soft.VolumePreserving(
        LENGTH,
        RADIUS,
        DENSITY * np.pi * RADIUS**2 * LENGTH,
        material=rubber,
        viscosity=soft.KelvinVoigt(ETA * COEFFICIENT),
        nodes=NODES,
    )
    robot = soft.SoftRobot([body] * 3, gravity=(0.0, 0.0, 9.81))
    places = [(RADIUS * np.cos(a), RADIUS * np.sin(a)) for a in 2.0 * np.pi * np.arange(3) / 3]
    threads: list[sd.soft.Actuator] = [
        soft.Thread(robot, {name: place}) for name in robot.module_names for place in places
    ]
    return robot, threads


def targets(t: float) -> Array:
    """Return the places (3, 3) of the tips [m]."""
    phase = 2.0 * np.pi * t / PERIOD
    return np.stack([RADII * np.cos(phase), RADII * np.sin(phase), HEIGHTS], axis=-1)


def tips(robot: sd.soft.SoftRobot, q: Array) -> Array:
    """Return the places (3, 3) of the distal ends."""
    return np.array([sd.frame_pose(robot, q, name)[:3, 3] for name in robot.module_names])


class Statics:
    """Equilibria of 24 coordinates under 9 tensions, with tips near wanted places."""

    def __init__(self) -> None:
        self.robot, self.threads = arm()
        self.units = np.tile(UNITS, 3)

    def residual(self, x: Array, wanted: Array) -> Array:
        """Return the balance of efforts (24,), by unit work, and the tips' errors (9,) in mm."""
        q, u = x[:24] * self.units, x[24:]
        forces = sd.bias_forces(self.robot, q, 0.0 * q)
        matrix = sd.soft.actuation_matrix(self.threads, q[np.newaxis])[0]
        balance = (forces - matrix @ u) * self.units
        return np.concatenate([balance, 1e3 * (tips(self.robot, q) - wanted).ravel()])

    def slopes(self, x: Array) -> Array:
        """Return the derivatives (33, 33) of the residual; those of gravity are left out."""
        q, u = x[:24] * self.units, x[24:]
        result = np.zeros((33, 33))
        for j in range(BODY):  # the same coordinate of all bodies at once: blocks are apart
            step = np.zeros(24)
            step[j::BODY] = 1.0
            matrix, rate = sd.soft.actuation_matrix(self.threads, np.stack([q, step]))
            for i, own in enumerate(self.robot.slices):
                module: Any = self.robot.modules[i]
                series = SeriesArray.variables(np.stack([q[own], step[own]]))
                elastic = module.elastic_efforts(series.plain()).jet()[1]
                result[own, i * BODY + j] = elastic - rate[own] @ u
        result[:24, :24] *= self.units[:, np.newaxis] * self.units
        result[:24, 24:] = -self.units[:, np.newaxis] * matrix
        for i, name in enumerate(self.robot.module_names):
            jacobian = sd.frame_jacobian(self.robot, q, name, 'hybrid')[3:]
            result[24 + 3 * i : 27 + 3 * i, :24] = 1e3 * jacobian * self.units
        return result

    def improved(self, x: Array, wanted: Array) -> tuple[Array, float, float]:
        """Return the unknowns (33,) after a step of Gauss and Newton, its size, the balance."""
        residual, slopes = self.residual(x, wanted), self.slopes(x)
        # dq = free + caused du keeps the linearised balance
        free, caused = np.split(
            np.linalg.solve(slopes[:24, :24], -np.column_stack([residual[:24], slopes[:24, 24:]])),
            [1],
            axis=1,
        )
        away = WEIGHTS * (residual[24:] + slopes[24:, :24] @ free[:, 0])
        system = np.vstack([WEIGHTS[:, np.newaxis] * slopes[24:, :24] @ caused, SMALL * np.eye(9)])
        lower = np.minimum(np.maximum(LEAST - x[24:], -LARGEST[1]), LARGEST[1] - 1.0)
        change = lsq_linear(
            system, -np.concatenate([away, SMALL * x[24:]]), (lower, np.full(9, LARGEST[1]))
        ).x
        step = np.concatenate([free[:, 0] + caused @ change, change])
        size = float(abs(step[:24]).max())
        balance = float(abs(residual[:24]).max())
        return x + min(1.0, LARGEST[0] / size) * step, size, balance

    def approach(self, steps: int = STEPS) -> Array:
        """Return the unknowns (33,) at the beginning of the circles, from the straight arm."""
        x = np.concatenate([np.zeros(24), np.full(9, LEAST)])
        home = tips(self.robot, x[:24])
        for k in range(steps):
            part = min(1.0, (k + 1) / PARTS)
            x, size, balance = self.improved(x, home + part * (targets(0.0) - home))
            if part == 1.0 and size < TOLERANCE[0] and balance < TOLERANCE[1]:
                break
        return x

    def equilibria(self, progress: Callable[[], object] = lambda: None) -> Equilibria:
        """Return the equilibria on a turn of the circles."""
        x = self.approach()
        times = PERIOD * np.arange(SAMPLES) / SAMPLES
        found: list[Array] = []
        for t in times:
            for _ in range(AFTER if found else 1):
                x, size, balance = self.improved(x, targets(t))
                if size < TOLERANCE[0] and balance < TOLERANCE[1]:
                    break
            found.append(x)
            progress()
        rows = np.array(found)
        position = rows[:, :24] * self.units
        places = np.array([tips(self.robot, q) for q in position])
        return Equilibria(times, position, rows[:, 24:], places)

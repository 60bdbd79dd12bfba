# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Simulation 1 of P2025: bodies that keep their volume, nine threads, circles of the tips."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

import screw_dynamics as sd
from screw_dynamics.arrays import Array
from screw_dynamics.series.series_array import SeriesArray

LENGTH, RADIUS = 0.1, 0.02  # m
DENSITY, COEFFICIENT, ETA = 960.0, 0.178e6, 0.05  # kg/m^3, Pa, s
PERIOD = 5.0  # s
RADII, HEIGHTS = np.array([0.02, 0.025, 0.03]), np.array([0.08, 0.15, 0.24])  # m, of the circles
END, SAMPLES = 2.5, 6  # of the part that is followed [s], of which equilibria after the first
NODES = (2, 4, 4)  # points of a body in radius, angle and z; P2025 has 2749 tetrahedra
BODY = 8  # coordinates of a body
UNITS = np.array([1.0, 1.0, 10.0, 1.0, 10.0, 1.0, 0.01, 0.01])  # of its coordinates
STEPS, RENEWED = 24, 8  # steps of the statics, of which some with new slopes
TOLERANCE = 1e-4  # efforts by units of the coordinates [N m], places [mm]
SCALES = np.concatenate([np.ones(24), np.full(9, 5.0)])  # of the unknowns of the statics
APPROACH = (0.25, 0.5, 0.75, 1.0)  # of the way from rest to the circles
# substitutes for what P2025 does not state: the arm hangs, its z axis is along gravity, and the
# threads of a triplet are 40 degrees beside those of the triplet before


@dataclass(frozen=True, eq=False)
class Circles:
    """Equilibria (s, 24) at instants (s,), tensions (s, 9), tips (s, 3, 3) and their errors."""

    times: Array
    position: Array
    tensions: Array
    tips: Array
    errors: Array


def arm() -> tuple[sd.soft.SoftRobot, list[sd.soft.Actuator]]:
    """Return the robot and its threads: three end at each tip."""
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
    threads: list[sd.soft.Actuator] = []
    for triplet in range(3):
        for k in range(3):
            angle = 2.0 * np.pi * (k / 3 + triplet / 9)
            offset = (RADIUS * np.cos(angle), RADIUS * np.sin(angle))
            threads.append(
                soft.Thread(robot, {f'body_{i + 1}': offset for i in range(triplet + 1)})
            )
    return robot, threads


def targets(t: float) -> Array:
    """Return the places (3, 3) of the tips [m]."""
    phase = 2.0 * np.pi * t / PERIOD
    return np.stack([RADII * np.cos(phase), RADII * np.sin(phase), HEIGHTS], axis=-1)


def tips(robot: sd.soft.SoftRobot, q: Array) -> Array:
    """Return the places (3, 3) of the distal ends."""
    return np.array([sd.frame_pose(robot, q, name)[:3, 3] for name in robot.module_names])


class Statics:
    """Equilibria with given places of the tips: 33 equations for 24 coordinates, 9 tensions."""

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

    def solve(self, wanted: Array, start: Array) -> Array:
        """Return coordinates by their units with tensions (33,), by Newton and Broyden."""
        x, slopes = start, np.zeros((33, 33))
        residual = self.residual(x, wanted)
        for k in range(STEPS):
            if abs(residual).max() < TOLERANCE:
                return x
            if k % RENEWED == 0:
                slopes = self.slopes(x)
            step = np.linalg.solve(slopes, -residual)
            step *= min(1.0, 0.2 / abs(step[:24]).max())
            after = self.residual(x + step, wanted)
            # the secant in place of new slopes, which cost ten residuals
            change = after - residual - slopes @ step
            slopes += np.outer(change, step / SCALES**2) / np.sum((step / SCALES) ** 2)
            x, residual = x + step, after
        raise sd.errors.SimulationError(
            f'tips: expected an equilibrium, got a residual of {abs(residual).max():.3g}'
        )

    def approach(self, parts: Sequence[float], progress: Callable[[], object]) -> Array:
        """Return the unknowns (33,) at the last of some parts of the way to the circles."""
        x = np.zeros(33)
        home = tips(self.robot, x[:24])
        for part in parts:
            x = self.solve(home + part * (targets(0.0) - home), x)
            progress()
        return x

    def follow(self, before: float, t: float, x: Array, halvings: int = 3) -> Array:
        """Return the unknowns (33,) at t from those at an instant before, by halves if need be."""
        try:
            return self.solve(targets(t), x)
        except sd.errors.SimulationError:
            if not halvings:
                raise
        middle = 0.5 * (before + t)
        x = self.follow(before, middle, x, halvings - 1)
        return self.follow(middle, t, x, halvings - 1)

    def circles(
        self, samples: int = SAMPLES, progress: Callable[[], object] = lambda: None
    ) -> Circles:
        """Return the equilibria on half a turn of the circles."""
        x = self.approach(APPROACH, progress)
        times = END * np.arange(samples + 1) / samples
        found = [x]
        for before, t in zip(times, times[1:], strict=False):
            x = self.follow(before, t, x)
            found.append(x)
            progress()
        rows = np.array(found)
        position = rows[:, :24] * self.units
        places = np.array([tips(self.robot, q) for q in position])
        errors = np.linalg.norm(places - np.array([targets(t) for t in times]), axis=-1)
        return Circles(times, position, rows[:, 24:], places, errors.max(axis=1))

# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
A pendulum behind gear, spring and motor, with losses: a plant by efforts, for a stiff solver.

Hysteresis is Dahl's friction h beside the spring of stiffness K behind the gap, friction of the
motor an elasto-plastic bristle (Dupont's with a step at 70 % of the level).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.integrate import solve_ivp

MASS, LENGTH, GRAVITY = 2.0, 0.5, 9.81


@dataclass(frozen=True)
class LossyJoint:
    stiffness: float = 800.0
    rotor: float = 0.4
    viscous: float = 1.0
    width: float = 0.0  # of the hysteresis [rad]
    gap: float = 0.0
    coulomb: float = 0.0
    breakaway: float = 0.0
    stribeck: float = 0.1
    bristle: float = 0.0

    def transmitted(self, phi: float, h: float) -> float:
        """Return spring and Dahl friction behind the gap: zero while neither stop is touched."""
        above = self.stiffness * (phi - 0.5 * self.gap) + h
        below = self.stiffness * (phi + 0.5 * self.gap) + h
        return above if above > 0.0 else min(below, 0.0)

    def slope(self, drive: float, x: np.ndarray) -> list[float]:
        """Return the derivative of (q, q', theta, theta', h, z)."""
        q, rate, theta, speed, h, z = x
        tau = self.transmitted(theta - q, h)
        dahl = 0.0
        if self.width and tau:
            sliding = self.stiffness * (speed - rate)
            dahl = sliding - abs(sliding) * h / (self.stiffness * self.width)
        bristle = 0.0
        if self.bristle:
            decay = np.exp(-((speed / self.stribeck) ** 2))
            share = np.sign(speed) * z / (self.coulomb + (self.breakaway - self.coulomb) * decay)
            bristle = self.bristle * speed * (1.0 - share if share >= 0.7 else 1.0)
        weight = MASS * GRAVITY * LENGTH * np.sin(q)
        acceleration = (tau - weight) / (MASS * LENGTH**2)
        turning = (drive - self.viscous * speed - z - tau) / self.rotor
        return [rate, acceleration, speed, turning, dahl, bristle]

    def run(self, drive, times: np.ndarray, start: np.ndarray) -> np.ndarray:
        """Return the states (T, 6) under a drive (t, x) -> N m."""
        found = solve_ivp(
            lambda t, x: self.slope(drive(t, x), x), times[[0, -1]], start, method='Radau',
            t_eval=times, rtol=1e-8, atol=1e-10, max_step=2e-3,
        )  # fmt: skip
        return found.y.T

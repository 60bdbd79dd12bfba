# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
A planar arm of two links with elastic joints, its equations of motion derived by hand.

Gravity along -y, q from the +x axis, relative angles. Nothing here comes from the package but the
record of the same robot that its functions are given.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

import screw_dynamics as sd
from screw_dynamics.common.arrays import Array

LENGTHS, CENTRES, MASSES, INERTIAS = (0.5, 0.4), (0.25, 0.2), (2.0, 1.0), (0.05, 0.02)
GRAVITY = 9.81
STIFFNESS, ROTORS = (200.0, 100.0), (0.1, 0.05)
DURATION = 1.0
START, END = np.array([-1.4, 0.5]), np.array([-0.6, -0.4])

# 126 u^5 - 420 u^6 + 540 u^7 - 315 u^8 + 70 u^9: C4 at rest at both ends
_BLEND = [np.polynomial.Polynomial([0, 0, 0, 0, 0, 126, -420, 540, -315, 70])]
_BLEND += [_BLEND[0].deriv(d) for d in range(1, 9)]


def model() -> sd.ScrewModel:
    """Return the arm as a model of the package."""
    bodies = [
        sd.lie.inertia_matrix(m, np.array([c, 0.0, 0.0]), np.diag([0.0, i, i]))
        for m, c, i in zip(MASSES, CENTRES, INERTIAS, strict=True)
    ]
    elbow = np.eye(4)
    elbow[0, 3] = LENGTHS[0]
    screws = [[0, 0, 1, 0, 0, 0]] * 2
    return sd.ScrewModel.from_screws(
        [-1, 0], [np.eye(4), elbow], screws, bodies, (0.0, -GRAVITY, 0.0)
    )


def robot(*entries: sd.JointDrive | None) -> sd.Robot:
    """Return the arm with its drives; linear springs without an entry."""
    drives = sd.Drives(
        {
            f'joint_{i + 1}': entry
            or sd.JointDrive(sd.LinearSpring(STIFFNESS[i]), sd.Motor(ROTORS[i]))
            for i, entry in enumerate(entries or (None, None))
        }
    )
    return sd.Robot(model(), drives)


def reference(t: float, rows: int = 5) -> Array:
    """Return the motion of the example and its derivatives at a time, (rows, 2)."""
    u = np.clip(t / DURATION, 0.0, 1.0)
    blend = [_BLEND[d](u) / DURATION**d for d in range(rows)]
    jet = np.outer(blend, END - START)
    jet[0] += START
    return jet


def mass_matrix(q: Array) -> Array:
    """Return M(q)."""
    (l1, _), (c1, c2), (m1, m2), (i1, i2) = LENGTHS, CENTRES, MASSES, INERTIAS
    h = m2 * l1 * c2 * np.cos(q[1])
    far = i2 + m2 * c2**2
    return np.array([[i1 + m1 * c1**2 + m2 * l1**2 + far + 2.0 * h, far + h], [far + h, far]])


def bias(q: Array, qd: Array) -> Array:
    """Return Coriolis, centrifugal and gravity efforts."""
    (l1, _), (c1, c2), (m1, m2) = LENGTHS, CENTRES, MASSES
    s = m2 * l1 * c2 * np.sin(q[1])
    g2 = m2 * GRAVITY * c2 * np.cos(q[0] + q[1])
    g1 = (m1 * c1 + m2 * l1) * GRAVITY * np.cos(q[0]) + g2
    return np.array([-s * qd[1] * (2.0 * qd[0] + qd[1]) + g1, s * qd[0] ** 2 + g2])


def energy(q: Array, qd: Array) -> float:
    """Return kinetic and potential energy of the links."""
    (l1, _), (c1, c2), (m1, m2) = LENGTHS, CENTRES, MASSES
    height_1 = c1 * np.sin(q[0])
    height_2 = l1 * np.sin(q[0]) + c2 * np.sin(q[0] + q[1])
    kinetic = 0.5 * qd @ mass_matrix(q) @ qd
    return float(kinetic + GRAVITY * (m1 * height_1 + m2 * height_2))


def derivative(
    state: Array,
    motor_effort: Array,
    spring: Callable[[Array, Array], Array],
    friction: Callable[[Array], Array],
) -> Array:
    """Return the derivative of (q, q', theta, theta') for springs f(phi, phi')."""
    q, qd, theta, rate = state.reshape(4, 2)
    tau = spring(theta - q, rate - qd)
    qdd = np.linalg.solve(mass_matrix(q), tau - bias(q, qd))
    acceleration = (motor_effort - friction(rate) - tau) / np.array(ROTORS)
    return np.concatenate([qd, qdd, rate, acceleration])

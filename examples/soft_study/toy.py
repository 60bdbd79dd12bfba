# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The toy example of P2025: one arc in closed form, with the misprints corrected."""

from __future__ import annotations

import math

import numpy as np

from screw_dynamics.common.arrays import Array

SERIES_BELOW, TERMS = 1.0, 13


def entire(q: float, highest: int) -> list[float]:
    """Return E_0 ... E_highest of q: E_n = sum of (-1)^k q^(2 k) / (2 k + n)!, without 0 / 0."""
    if abs(q) < SERIES_BELOW:
        return [
            math.fsum((-1) ** k * q ** (2 * k) / math.factorial(2 * k + n) for k in range(TERMS))
            for n in range(highest + 1)
        ]
    values = [math.cos(q), math.sin(q) / q]
    for n in range(highest - 1):
        values.append((1.0 / math.factorial(n) - values[n]) / q**2)
    return values


def terms(q: float, qd: float, qdd: float, length: float, radius: float, mass: float) -> Array:
    """Return (F1*, F3*, T2*, pi*) of an arc on a fixed base, without gravity."""
    e = entire(q, 7)
    squared = qd * qd
    return mass * np.array(
        [
            length * (qdd * (e[2] - 2 * e[3]) + squared * q * (2 * e[4] - 6 * e[5])),
            length * (qdd * q * (2 * e[4] - e[3]) + squared * (2 * e[3] - 6 * e[4])),
            qdd * (length**2 * e[4] + radius**2 / 8) + squared * length**2 * q * (4 * e[6] - e[5]),
            qdd * (length**2 * (4 * e[5] - e[4]) + radius**2 / 24)
            + squared * length**2 * q * (10 * e[7] - 2 * e[6]),
        ]
    )


def effort(q: float, qd: float, qdd: float, length: float, radius: float, mass: float) -> float:
    """Return M q'' + c, from the terms and the projectors of the distal end."""
    e = entire(q, 7)
    x, z, torque, own = terms(q, qd, qdd, length, radius, mass)
    # J_v = L (-E_2, 0, q E_3), J_w = (0, -1, 0); the torque about the distal origin
    com_x, com_z = -length * q * e[3], -length * e[2]
    about_origin = torque + com_z * x - com_x * z
    return float(-(own + length * (-e[2] * x + q * e[3] * z) - about_origin))


def inertia(q: float, length: float, radius: float, mass: float) -> float:
    """Return M."""
    e = entire(q, 5)
    return mass * (length**2 * (2 * e[4] - 4 * e[5]) + radius**2 / 12)

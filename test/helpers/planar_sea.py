# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The planar robot with springs in its joints: its file, and its equations of motion by hand."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from scipy.integrate import solve_ivp

NAMES = ['joint_1', 'joint_2']
STIFFNESS = np.array([600.0, 300.0])
ROTOR_INERTIA = np.array([0.3, 0.1])
MAX_EFFORT = np.array([60.0, 30.0])
GRAVITY = 9.81
LENGTHS, MASSES = (0.5, 0.4), (2.0, 1.0)

TEXT = """
drives:
  joint_1:
    spring: {type: linear, stiffness: 600.0}
    motor: {rotor_inertia: 0.3, max_effort: 60.0}
  joint_2:
    spring: {type: linear, stiffness: 300.0}
    motor: {rotor_inertia: 0.1, max_effort: 30.0}
"""


def write_joints(folder: Path, text: str = TEXT) -> Path:
    """Write a file of drives."""
    path = folder / 'joints.yaml'
    path.write_text(text)
    return path


def gravity_efforts(q):
    """Return the efforts that hold the links."""
    l1, l2 = LENGTHS
    m1, m2 = MASSES
    outer = m2 * GRAVITY * l2 * np.cos(q[0] + q[1])
    return np.array([(m1 + m2) * GRAVITY * l1 * np.cos(q[0]) + outer, outer])


def link_efforts(q, qd, qdd):
    """Return the efforts of a motion of the links: two point masses on massless rods."""
    return mass_matrix(q) @ qdd + velocity_efforts(q, qd) + gravity_efforts(q)


def mass_matrix(q):
    l1, l2 = LENGTHS
    m1, m2 = MASSES
    cross = m2 * (l2**2 + l1 * l2 * np.cos(q[1]))
    first = m1 * l1**2 + m2 * (l1**2 + l2**2 + 2.0 * l1 * l2 * np.cos(q[1]))
    return np.array([[first, cross], [cross, m2 * l2**2]])


def velocity_efforts(q, qd):
    h = MASSES[1] * LENGTHS[0] * LENGTHS[1] * np.sin(q[1])
    return np.array([-h * (2.0 * qd[0] * qd[1] + qd[1] ** 2), h * qd[0] ** 2])


def integrate(state, efforts, duration):
    """
    Return the state (q, q', theta, theta') after some time of motor efforts.

    They are constant, or a function of theta and theta'.
    """
    drive = efforts if callable(efforts) else lambda *_: efforts

    def slope(_, x):
        q, qd, theta, theta_rate = x.reshape(4, 2)
        tau = STIFFNESS * (theta - q)
        qdd = np.linalg.solve(mass_matrix(q), tau - velocity_efforts(q, qd) - gravity_efforts(q))
        return np.concatenate(
            [qd, qdd, theta_rate, (drive(theta, theta_rate) - tau) / ROTOR_INERTIA]
        )

    solution = solve_ivp(slope, (0.0, duration), state, method='DOP853', rtol=1e-11, atol=1e-12)
    return solution.y[:, -1]


def motor_feedforward(jet):
    """Return theta, theta', theta'' and the motor efforts of a jet q to snap, by differences."""
    h, powers = 0.01, np.array([1.0, 1.0, 2.0, 6.0, 24.0])

    def motor_position(t):
        series = np.polynomial.Polynomial
        q, qd, qdd = (
            np.array([series(column / powers).deriv(d)(t) for column in jet.T]) for d in range(3)
        )
        tau = link_efforts(q, qd, qdd)
        return q + tau / STIFFNESS, tau

    values = np.array([motor_position(i * h) for i in range(-3, 4)])
    theta, tau = values[3]
    first = np.array([-1.0, 9.0, -45.0, 0.0, 45.0, -9.0, 1.0]) / (60.0 * h)
    second = np.array([2.0, -27.0, 270.0, -490.0, 270.0, -27.0, 2.0]) / (180.0 * h * h)
    rate, acceleration = (np.tensordot(w, values[:, 0], 1) for w in (first, second))
    return theta, rate, acceleration, ROTOR_INERTIA * acceleration + tau

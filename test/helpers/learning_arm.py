# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Runs of a planar arm, by its equations of motion, with the commands of a wrong feedforward."""

from __future__ import annotations

import numpy as np

import screw_dynamics as sd
from helpers.planar_sea import (
    NAMES,
    ROTOR_INERTIA,
    STIFFNESS,
    gravity_efforts,
    mass_matrix,
    velocity_efforts,
)
from screw_dynamics.trajectory import PiecewisePolynomial

PERIOD = 1e-3  # s
DELAY = 2  # periods, of the efforts
GAINS = np.array([500.0, 200.0]), np.array([40.0, 15.0])  # of the PD on the motors
NOISE = 1e-5  # rad
AFTER = 0.5  # s of rest


def run(robot: sd.Robot, curve: PiecewisePolynomial, seed: int = 0) -> sd.Recording:
    """Return the links of the true arm with the feedforward of a robot, by Runge-Kutta steps."""
    begin, end = curve.breaks[[0, -1]]
    times = begin + PERIOD * np.arange(round((end + AFTER - begin) / PERIOD) + 1)
    motion = sd.elastic_feedforward(robot, curve.jets(times))
    late = np.maximum(np.arange(len(times)) - DELAY, 0)
    efforts, wanted = motion.motor_effort[late], motion.motor_jet

    def slope(x, effort, k):
        q, qd, theta, rate = x.reshape(4, 2)
        tau = STIFFNESS * (theta - q)
        drive = effort + GAINS[0] * (wanted[k, 0] - theta) + GAINS[1] * (wanted[k, 1] - rate)
        acceleration = np.linalg.solve(
            mass_matrix(q), tau - velocity_efforts(q, qd) - gravity_efforts(q)
        )
        return np.concatenate((qd, acceleration, rate, (drive - tau) / ROTOR_INERTIA))

    # at rest where feedforward and PD hold it
    q = curve.jets([begin])[0, 0]
    for _ in range(50):
        load = gravity_efforts(q)
        q = wanted[0, 0] + (efforts[0] - load) / GAINS[0] - load / STIFFNESS
    state = np.concatenate((q, np.zeros(2), q + gravity_efforts(q) / STIFFNESS, np.zeros(2)))
    rows = [state]
    for k, effort in enumerate(efforts[:-1]):
        a = slope(state, effort, k)
        b = slope(state + 0.5 * PERIOD * a, effort, k)
        c = slope(state + 0.5 * PERIOD * b, effort, k)
        d = slope(state + PERIOD * c, effort, k)
        state = state + PERIOD / 6.0 * (a + 2.0 * b + 2.0 * c + d)
        rows.append(state)
    noise = np.random.default_rng(seed).normal(0.0, NOISE, (len(rows), 2))
    positions = np.array(rows)[:, :2] + noise
    return sd.Recording(NAMES, times, positions, np.zeros_like(positions))

# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Collocated coordinates by their definition, and the linearising law in theta = (y, z)."""

from __future__ import annotations

import numpy as np
import pytest

import screw_dynamics as sd

SOFT = sd.soft


def arm():
    """Return a hinge with two rods, driven at the hinge and by three threads through both."""
    rod = SOFT.ConstantCurvature(0.3, 0.02, 0.4, 0.06, 630.0, 0.1)
    robot = SOFT.SoftRobot([SOFT.Joint('revolute', (0, 1, 0)), rod, rod])
    offsets = [(0.015 * np.cos(a), 0.015 * np.sin(a)) for a in 2.0 * np.pi * np.arange(3) / 3]
    threads = [SOFT.Thread(robot, {'body_1': o, 'body_2': o}) for o in offsets]
    return robot, [SOFT.JointEffort(robot, 'joint_1'), *threads]


def curved():
    """Return a robot with a thread of which A depends on q."""
    rod = SOFT.ConstantStrain(0.3, 0.02, 0.4, strains=['bend_y', 'shear_x', 'stretch'])
    robot = SOFT.SoftRobot([rod, rod])
    return robot, [SOFT.Thread(robot, {'body_1': (0.01, 0.0), 'body_2': (0.0, 0.01)})]


@pytest.mark.parametrize('build', [arm, curved])
def test_rates_are_those_along_the_motion(build):
    robot, drives = build()
    jet = np.random.default_rng(0).uniform(-0.1, 0.1, (3, robot.n))
    found = SOFT.collocated_coordinates(drives, jet[0], jet[1])
    h = 1e-3

    def at(t):
        q = jet[0] + t * jet[1] + 0.5 * t * t * jet[2]
        return np.array([drive.coordinate(q) for drive in drives])

    rate = (8.0 * (at(h) - at(-h)) - at(2 * h) + at(-2 * h)) / (12.0 * h)
    second = (at(h) - 2.0 * at(0.0) + at(-h)) / h**2
    assert np.abs(found.position - at(0.0)).max() < 1e-15
    assert np.abs(found.velocity - rate).max() < 1e-11
    # rounding of y over h^2
    assert np.abs(found.matrix.T @ jet[2] + found.drift - second).max() < 1e-7


@pytest.mark.parametrize('build', [arm, curved])
def test_the_law_is_that_of_the_equations_in_theta(build):
    """The corrected law of P2025, with z some of q."""
    robot, drives = build()
    rng = np.random.default_rng(1)
    q, qd = rng.uniform(-0.1, 0.1, (2, robot.n))
    wanted = rng.uniform(-1.0, 1.0, len(drives))
    m, h = len(drives), 1e-5
    rest = [4, 5, 6] if build is arm else [1, 2, 3, 4, 5]

    def turn(x):
        return np.vstack([SOFT.actuation_matrix(drives, [x])[0].T, np.eye(robot.n)[rest]])

    jacobian = turn(q)  # theta' = jacobian q'
    inverse = np.linalg.inv(jacobian)
    rate = (turn(q + h * qd) - turn(q - h * qd)) / (2.0 * h)
    mass, bias = sd.mass_matrix(robot, q), sd.bias_forces(robot, q, qd)
    mass_theta = inverse.T @ mass @ inverse
    bias_theta = inverse.T @ (bias - mass @ inverse @ rate @ qd)
    blocks = mass_theta[:m, m:] @ np.linalg.inv(mass_theta[m:, m:])
    schur = mass_theta[:m, :m] - blocks @ mass_theta[m:, :m]
    expected = schur @ wanted + bias_theta[:m] - blocks @ bias_theta[m:]
    got = SOFT.linearising_inputs(drives, q, qd, wanted)
    # inverses of jacobians with a condition of 1e3, differences of 1e-10
    assert np.allclose(got, expected, rtol=1e-8, atol=1e-8 * abs(expected).max())


def test_the_linearised_coordinates_follow_their_linear_equation():
    robot, drives = arm()
    wanted = np.array([0.2, -0.59, -0.6, -0.6])

    def law(t, q, qd):
        y = SOFT.collocated_coordinates(drives, q, qd)
        acceleration = 100.0 * (wanted - y.position) - 20.0 * y.velocity
        return y.matrix @ SOFT.linearising_inputs(drives, q, qd, acceleration)

    times = np.linspace(0.0, 0.15, 4)
    motion = sd.simulate(robot, times, np.zeros(robot.n), efforts=law, rtol=1e-5)
    first = np.array([drive.coordinate(np.zeros(robot.n)) for drive in drives])
    for t, q in zip(times, motion.position, strict=True):
        y = np.array([drive.coordinate(q) for drive in drives])
        # critically damped
        expected = wanted + (first - wanted) * (1.0 + 10.0 * t) * np.exp(-10.0 * t)
        assert np.abs(y - expected).max() < 1e-4


def test_known_efforts_of_other_inputs_are_allowed_for():
    robot, drives = arm()
    rng = np.random.default_rng(3)
    q, qd, known = rng.uniform(-0.1, 0.1, (3, robot.n))
    wanted = np.array([0.5, -0.3])
    inputs = SOFT.linearising_inputs(drives[:2], q, qd, wanted, known)
    found = SOFT.collocated_coordinates(drives[:2], q, qd)
    qdd = sd.forward_dynamics(robot, q, qd, found.matrix @ inputs + known)
    assert np.allclose(found.matrix.T @ qdd + found.drift, wanted, rtol=0.0, atol=1e-9)


def test_dependent_inputs_are_refused():
    robot, drives = arm()
    zero = np.zeros(robot.n)
    with pytest.raises(sd.ScrewDynamicsError, match='actuators: expected independent inputs'):
        SOFT.linearising_inputs([drives[1], drives[1]], zero, zero, [0.0, 0.0])
    with pytest.raises(sd.ScrewDynamicsError, match='acceleration'):
        SOFT.linearising_inputs(drives, zero, zero, [0.0])

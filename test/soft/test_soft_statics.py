# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Equilibria against potentials, closed forms and scipy's root search."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import optimize

import screw_dynamics as sd
from screw_dynamics.soft.statics import stiffness_matrix

SOFT = sd.soft


def heavy_arm(gravity=(0.0, 0.0, -9.81)):
    """Return two bodies in space behind a horizontal base: gravity bends them far."""
    side = np.array([[0.0, 0, 1, 0], [0, 1, 0, 0], [-1, 0, 0, 0], [0, 0, 0, 1]])
    rod = SOFT.ConstantCurvature(0.3, 0.02, 0.4, 0.06, 630.0, 0.1)
    return SOFT.SoftRobot(
        [SOFT.RigidBody(0.1, (0, 0, 0), 1e-4 * np.eye(3), side), rod, rod], gravity
    )


def potential(robot, q):
    """Return elastic energy and potential energy of the material points."""
    total, pose = 0.0, np.eye(4)
    for module, own in zip(robot.modules, robot.slices, strict=True):
        points = module.positions(q[own]) @ pose[:3, :3].T + pose[:3, 3]
        if len(points):
            total -= module.masses @ points @ robot.gravity
        total += module.energy(q[own])
        rotation, translation = module.tip_pose(q[own])
        pose[:3, 3] += pose[:3, :3] @ translation
        pose[:3, :3] = pose[:3, :3] @ rotation
    return total


def gradient(robot, q, step=1e-4):
    """Return the gradient by central differences of fourth order."""
    unit = step * np.eye(robot.n)
    return np.array(
        [
            (
                8.0 * (potential(robot, q + e) - potential(robot, q - e))
                - potential(robot, q + 2 * e)
                + potential(robot, q - 2 * e)
            )
            / (12.0 * step)
            for e in unit
        ]
    )


def efforts_at_rest(robot, q):
    return sd.inverse_dynamics(robot, np.stack([q, 0 * q, 0 * q]))[0]


def test_the_potential_has_no_gradient_where_a_heavy_arm_hangs():
    arm = heavy_arm()
    q = SOFT.equilibrium(arm, np.zeros(arm.n))
    assert abs(q).max() > 0.5
    # truncation and rounding of the differences, stiffness 2100 N/m
    assert abs(gradient(arm, q)).max() < 1e-8
    assert abs(efforts_at_rest(arm, q)).max() < 1e-10


def test_given_efforts_are_those_of_the_potential():
    arm = heavy_arm()
    wanted = np.array([0.05, 0.1, 0.5, -0.05, 0.1, -1.0])
    q = SOFT.equilibrium(arm, wanted)
    np.testing.assert_allclose(gradient(arm, q), wanted, atol=1e-8)


def test_the_stiffness_matrix_is_the_slope_of_the_efforts():
    arm = heavy_arm()
    q = np.array([0.7, -0.4, 0.01, 0.2, 0.9, -0.02])
    stiffness, step = stiffness_matrix(arm, q), 1e-5
    for j, e in enumerate(step * np.eye(arm.n)):
        slope = (efforts_at_rest(arm, q + e) - efforts_at_rest(arm, q - e)) / (2 * step)
        np.testing.assert_allclose(stiffness[:, j], slope, atol=1e-6)
    # a Hessian
    np.testing.assert_allclose(stiffness, stiffness.T, atol=1e-10)


def test_scipy_finds_the_same_bending_of_a_planar_arc():
    side = SOFT.Joint(
        'fixed', (0, 1, 0), np.array([[0.0, 0, 1, 0], [0, 1, 0, 0], [-1, 0, 0, 0], [0, 0, 0, 1]])
    )
    length, mass, rigidity = 0.4, 0.3, 0.15
    arm = SOFT.SoftRobot([side, SOFT.PlanarConstantCurvature(length, 0.0, mass, rigidity)])

    def slope(angle):
        """Return dU/dq: the centre of mass of a horizontal thin arc is at L (1 - sin(q)/q) / q."""
        e = 1e-4

        def height(a):
            return length * (1.0 - np.sin(a) / a) / a

        fall = (height(angle + e) - height(angle - e)) / (2 * e)
        return rigidity / length * angle - mass * 9.81 * fall

    angle = optimize.brentq(slope, 0.1, 3.0, xtol=1e-14)
    q = SOFT.equilibrium(arm, [0.0])
    assert abs(abs(q[0]) - angle) < 1e-8


def test_an_end_moment_bends_a_light_rod_to_its_closed_form():
    rod = SOFT.ConstantCurvature(0.5, 0.01, 0.1, 0.2, 100.0)
    arm = SOFT.SoftRobot([rod, rod], gravity=(0, 0, 0))
    moment = np.array([0.4, -0.2, 3.0, 0.1, 0.3, -2.0])
    expected = moment / np.tile(rod.stiffness, 2)
    np.testing.assert_allclose(SOFT.equilibrium(arm, moment), expected, rtol=1e-12)


def test_a_pendulum_hangs_below_the_start_and_an_upright_one_stays():
    pendulum = SOFT.SoftRobot(
        [SOFT.Joint('revolute', (0, 1, 0)), SOFT.RigidBody(1.0, (0, 0, 0.5), 0.1 * np.eye(3))]
    )
    assert SOFT.equilibrium(pendulum, [0.0])[0] == 0.0
    assert abs(SOFT.equilibrium(pendulum, [0.0], [3.0])[0] - np.pi) < 1e-12
    held = SOFT.equilibrium(pendulum, [-0.5 * 9.81 * np.sin(0.3)])
    # not at 0.3, where it would fall
    assert abs(np.exp(1j * held[0]) + np.exp(-0.3j)) < 1e-12


def test_an_effort_that_nothing_balances_is_an_error_with_the_coordinate():
    pendulum = SOFT.SoftRobot(
        [
            SOFT.Joint('revolute', (0, 1, 0), name='hinge'),
            SOFT.RigidBody(1.0, (0, 0, 0.5), np.eye(3)),
        ]
    )
    with pytest.raises(sd.errors.SimulationError, match="'hinge'.*expected the effort 6,"):
        SOFT.equilibrium(pendulum, [6.0], [0.1])
    turntable = SOFT.SoftRobot([SOFT.Joint('revolute', (0, 0, 1)), *heavy_arm().modules])
    with pytest.raises(sd.errors.SimulationError, match="'joint_1'"):
        SOFT.equilibrium(turntable, np.eye(turntable.n)[0])


def test_a_free_coordinate_keeps_its_value():
    turntable = SOFT.SoftRobot([SOFT.Joint('revolute', (0, 0, 1)), *heavy_arm().modules])
    start = 0.7 * np.eye(turntable.n)[0]
    q = SOFT.equilibrium(turntable, np.zeros(turntable.n), start)
    assert abs(q[0] - 0.7) < 1e-9
    np.testing.assert_allclose(q[1:], SOFT.equilibrium(heavy_arm(), np.zeros(6)), atol=1e-9)


def test_arguments_are_checked():
    arm = heavy_arm()
    with pytest.raises(sd.errors.ShapeError, match='efforts'):
        SOFT.equilibrium(arm, [0.0])
    with pytest.raises(sd.errors.InputError, match='body_2: elongation'):
        SOFT.equilibrium(arm, np.zeros(6), [0, 0, -0.4, 0, 0, 0])
    with pytest.raises(sd.errors.InputError, match='SoftRobot'):
        SOFT.equilibrium(None, [0.0])


def test_long_heavy_arms_hang_stably_from_random_starts():
    base, rod, _ = heavy_arm().modules
    arm = SOFT.SoftRobot([base, *[rod] * 4])
    rng = np.random.default_rng(1)
    for _ in range(5):
        start = rng.normal(size=arm.n) * np.tile([0.5, 0.5, 0.01], 4)
        q = SOFT.equilibrium(arm, np.zeros(arm.n), start)
        assert abs(gradient(arm, q)).max() < 1e-7
        assert np.linalg.eigvalsh(stiffness_matrix(arm, q))[0] > 0.0

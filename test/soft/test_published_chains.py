# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Chains of P2025 by numbers, and the readable recursion beside the compiled one."""

import math

import mpmath
import numpy as np
import pytest
from oracles.differences import derivatives

import screw_dynamics as sd
from screw_dynamics.soft.paper import recursion

soft = sd.soft
LENGTH, RADIUS, DENSITY = 0.3, 0.03, 1000.0


def arcs(count, gravity=(0.0, 0.0, 0.0)):
    mass = DENSITY * math.pi * RADIUS**2 * LENGTH
    arc = soft.PlanarConstantCurvature(LENGTH, RADIUS, mass)
    return soft.SoftRobot([arc] * count, gravity)


# M q'' and c at q = q' = q'' = 1, by an independent implementation with automatic differentiation
AT_ONE = {
    1: ([3.732093765941e-3], [-1.456813630383e-4]),
    2: ([8.778985129624e-2, 1.691571722926e-2], [-2.040625776839e-2, 3.831159536533e-3]),
    3: (
        [4.126554971781e-1, 2.067132462286e-1, 3.090631306052e-2],
        [-2.775423458288e-1, 1.514331670727e-2, 3.039848815033e-2],
    ),
}


@pytest.mark.parametrize('count', AT_ONE)
def test_chains_of_arcs_have_the_known_efforts(count):
    robot, one = arcs(count), np.ones(count)
    accelerating, velocity = AT_ONE[count]
    # the numbers have 13 digits
    np.testing.assert_allclose(sd.mass_matrix(robot, one) @ one, accelerating, rtol=1e-12)
    np.testing.assert_allclose(sd.bias_forces(robot, one, one), velocity, rtol=2e-12)
    jet = np.array([one, 0.0 * one, one])
    np.testing.assert_allclose(sd.inverse_dynamics(robot, jet)[0], accelerating, rtol=1e-12)


def test_torques_of_gravity_are_carried_down_the_chain():
    robot = arcs(2, (0.0, 0.0, -9.81))
    # without the carried torque, as P2025 prints it, (-1.69817, -1.61289)
    expected = (-2.1258064224, -0.40473143981)
    np.testing.assert_allclose(sd.gravity_forces(robot, [1.0, 1.0]), expected, rtol=1e-10)


@pytest.mark.parametrize('q', [0.0, 1e-9, 1e-5, 1e-3, 0.1, 1.0, 3.0, 2 * math.pi])
def test_arcs_have_no_singularity(q):
    """The closed form of the inertia, in 50 digits."""
    with mpmath.workdps(50):
        x = mpmath.mpf(q)

        def entire(n):
            terms = ((-1) ** k * x ** (2 * k) / mpmath.factorial(2 * k + n) for k in range(60))
            return mpmath.fsum(terms)

        expected = float(2 * entire(4) - 4 * entire(5) + mpmath.mpf(1) / 12)
    robot = soft.SoftRobot([soft.PlanarConstantCurvature(1.0, 1.0, 1.0)], (0, 0, 0))
    assert sd.mass_matrix(robot, [q])[0, 0] == pytest.approx(expected, rel=1e-13)


def hybrid():
    segment = soft.ConstantCurvature(0.3, 0.02, 0.5, 0.1, 20.0, 0.2)
    return soft.SoftRobot(
        [
            soft.Joint('revolute', (0.0, 1.0, 0.0)),
            soft.RigidBody(1.0, (0.1, 0.0, 0.2), np.diag([0.02, 0.03, 0.04])),
            soft.PlanarConstantCurvature(0.3, 0.03, 0.8, 0.2, 0.1),
            soft.Joint('helical', (0.0, 0.6, 0.8), pitch=0.1),
            segment,
            soft.Joint('prismatic'),
            segment,
        ]
    )


@pytest.mark.parametrize('order', [0, 1, 2, 4])
def test_the_recursion_of_the_paper_agrees_with_the_compiled_one(order, rng):
    robot = hybrid()
    jet = rng.normal(size=(order + 3, robot.n))
    jet[0] = rng.uniform(-0.25, 0.25, robot.n)  # no rod is compressed to nothing
    compiled = sd.inverse_dynamics(robot, jet)
    readable = recursion.chain_efforts(robot, jet)
    scale = abs(compiled).max(axis=1, keepdims=True)
    # two formulations; both round every one of some thousand operations
    assert (abs(readable - compiled) / scale).max() < 1e-13
    matrix = recursion.mass_matrix(recursion.chain_links(robot, jet))
    expected = sd.mass_matrix(robot, jet[0])
    np.testing.assert_allclose(matrix, expected, rtol=0, atol=1e-14 * abs(expected).max())
    np.testing.assert_allclose(expected, expected.T, rtol=0, atol=1e-15 * abs(expected).max())


def test_derivatives_are_those_of_the_efforts_along_the_motion(rng):
    """A polynomial of degree 11 through efforts of order 0 at 12 instants."""
    robot, powers = hybrid(), np.arange(7)
    factorials = np.array([math.factorial(k) for k in powers], dtype=float)
    jet = 0.5 * rng.normal(size=(7, robot.n))
    jet[0] = rng.uniform(-0.25, 0.25, robot.n)
    found = sd.inverse_dynamics(robot, jet)

    def efforts(t):
        at = t**powers / factorials
        rows = [np.tensordot(at[: 7 - d], jet[d:], 1) for d in range(3)]
        return sd.inverse_dynamics(robot, np.array(rows))[0]

    expected = derivatives(efforts, 0.08, 11)
    for order, bound in ((1, 1e-10), (2, 1e-8), (3, 1e-6)):
        scale = abs(found[order]).max()
        assert abs(found[order] - expected[order]).max() < bound * scale, order

# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Chains of P2025 by numbers, and the readable recursion beside the compiled one."""

import math

import mpmath
import numpy as np
import pytest

import screw_dynamics as sd
from screw_dynamics.soft import recursion, recursive_dynamics
from soft_study import toy

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


@pytest.mark.parametrize(
    ('count', 'accelerating', 'velocity'),
    [(6, 3.6789472847, 8.3873150763), (20, 51.692854560, 143.30891975)],
)
def test_long_chains_of_arcs_have_the_known_norms(count, accelerating, velocity):
    robot, one = arcs(count), np.ones(count)
    found = np.linalg.norm(sd.mass_matrix(robot, one) @ one)
    assert found == pytest.approx(accelerating, rel=1e-10)
    assert np.linalg.norm(sd.bias_forces(robot, one, one)) == pytest.approx(velocity, rel=1e-10)


def test_torques_of_gravity_are_carried_down_the_chain():
    robot = arcs(2, (0.0, 0.0, -9.81))
    # without the carried torque, as P2025 prints it, (-1.69817, -1.61289)
    expected = (-2.1258064224, -0.40473143981)
    np.testing.assert_allclose(sd.gravity_forces(robot, [1.0, 1.0]), expected, rtol=1e-10)


def test_the_unit_arc_of_the_paper():
    robot = soft.SoftRobot([soft.PlanarConstantCurvature(1.0, 1.0, math.pi)], (0, 0, 0))
    efforts = sd.inverse_dynamics(robot, [[0.7], [-1.3], [2.1]])
    assert efforts[0, 0] == pytest.approx(0.866057920197, rel=1e-12)
    # M(q) = 2 pi / 15 - pi q^2 / 504 + ...
    assert sd.mass_matrix(robot, [0.0])[0, 0] == pytest.approx(2 * math.pi / 15, rel=1e-14)
    change = sd.mass_matrix(robot, [1e-2])[0, 0] - 2 * math.pi / 15
    assert change == pytest.approx(-math.pi * 1e-4 / 504, rel=1e-3)


def closed_terms(length, radius, angle, rate, acceleration):
    """Return F1*, F3*, T2*, pi*, effort and inertia per mass of an arc, by quadrature."""

    def point(q, z, x):
        turn = q * z / length
        along, up = mpmath.sin(turn) / q, (1 - mpmath.cos(turn)) / q
        beside = mpmath.matrix([x * mpmath.cos(turn), x * mpmath.sin(turn)])
        return length * mpmath.matrix([-up, along]) + beside

    def back(q):
        return mpmath.matrix([[mpmath.cos(q), mpmath.sin(q)], [-mpmath.sin(q), mpmath.cos(q)]])

    def in_tip(q, z, x):
        return back(q) * (point(q, z, x) - point(q, length, 0))

    def slope(function, z, x, order=1):
        parts = (mpmath.diff(lambda q, i=i: function(q, z, x)[i], angle, order) for i in range(2))
        return mpmath.matrix(list(parts))

    nodes = mpmath.calculus.quadrature.GaussLegendre(mpmath.mp).calc_nodes(4, 150)
    rim = mpmath.mpf(radius) / 2  # radius of gyration
    shares = [(w / 4, length * (s + 1) / 2, x) for s, w in nodes for x in (rim, -rim)]
    com = sum((w * in_tip(angle, z, x) for w, z, x in shares), mpmath.matrix(2, 1))
    force, torque, own, effort, inertia = mpmath.matrix(2, 1), 0, 0, 0, 0
    for w, z, x in shares:
        partial = slope(point, z, x)
        acting = w * (partial * acceleration + slope(point, z, x, 2) * rate**2)
        inertia += w * (partial.T * partial)[0]
        effort += (partial.T * acting)[0]
        acting, arm = back(angle) * acting, in_tip(angle, z, x) - com
        force -= acting
        torque -= arm[1] * acting[0] - arm[0] * acting[1]
        own -= (slope(in_tip, z, x).T * acting)[0]
    return [*force, torque, own, effort, inertia]


def test_the_closed_forms_of_an_arc_are_those_of_quadrature():
    """Force, torque and generalised force of inertia; inertia and efforts of the kernel."""
    length, radius, motion = 0.3, 0.05, (1.3, -1.3, 2.1)
    mass = 800.0 * math.pi * radius**2 * length
    robot = soft.SoftRobot([soft.PlanarConstantCurvature(length, radius, mass)], (0, 0, 0))
    with mpmath.workdps(40):
        expected = [float(mass * value) for value in closed_terms(length, radius, *motion)]
    found = [
        *toy.terms(*motion, length, radius, mass),
        sd.inverse_dynamics(robot, np.reshape(motion, (3, 1)))[0, 0],
        sd.mass_matrix(robot, motion[:1])[0, 0],
    ]
    assert np.abs(np.subtract(found, expected)).max() <= 2e-16


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
    readable = recursive_dynamics.chain_efforts(robot, jet)
    scale = abs(compiled).max(axis=1, keepdims=True)
    # two formulations; both round every one of some thousand operations
    assert (abs(readable - compiled) / scale).max() < 1e-13
    matrix = recursion.mass_matrix(recursive_dynamics.chain_links(robot, jet))
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
    radius = 0.08

    def efforts(t):
        at = t**powers / factorials
        rows = [np.tensordot(at[: 7 - d], jet[d:], 1) for d in range(3)]
        return sd.inverse_dynamics(robot, np.array(rows))[0]

    nodes = radius * np.cos(np.pi * (np.arange(12) + 0.5) / 12)
    samples = np.array([efforts(t) for t in nodes])
    fit = np.polynomial.chebyshev.Chebyshev.fit
    for j in range(robot.n):
        curve = fit(nodes, samples[:, j], 11, domain=(-radius, radius))
        for order, bound in ((1, 1e-10), (2, 1e-8), (3, 1e-6)):
            expected = curve.deriv(order)(0.0)
            scale = abs(found[order]).max()
            assert abs(found[order, j] - expected) < bound * scale, order

# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Commands with rotors on moving links against Lagrange's equations in 50-digit arithmetic.

The kinetic energy is written down link by link, every rotor with the absolute spin
``s . omega + r theta'``; momenta come from it by exact differences (it is quadratic in the
velocities), time and position derivatives by mpmath along the polynomial through the jets.
"""

import mpmath
import numpy as np
import pytest
from mpmath import mp, mpf
from oracles.rotor_robot import SolidRotor, locked

import screw_dynamics as sd
from screw_dynamics.lie import inertia_matrix, pose

GRAVITY = (0.5, -9.0, -4.0)
LENGTHS, CENTRES, MASSES = (0.5, 0.4, 0.3), (0.25, 0.15, 0.1), (2.0, 1.5, 1.0)
MOMENTS = ((0.02, 0.05, 0.06), (0.01, 0.03, 0.04), (0.01, 0.02, 0.015))
RATIOS, SPINS, ROTOR_MASSES, CROSS = (10.0, 8.0, 5.0), (2e-3, 4e-3, 3e-3), (0.3, 0.2, 0.1), 1e-3
STIFFNESS = (200.0, 150.0, 100.0)
DRAG, COULOMB, COULOMB_VELOCITY = (0.003, 0.002, 0.004), (0.04, 0.03, 0.05), 0.5
AXES = {'x': (1.0, 0.0, 0.0), 'y': (0.0, 1.0, 0.0), 'z': (0.0, 0.0, 1.0)}


def links_of(axes):
    """Return an arm stretched along x whose joints turn about the named axes."""
    homes = [pose(np.eye(3), np.array([x, 0.0, 0.0])) for x in (0.0, *LENGTHS[: len(axes) - 1])]
    inertias = [
        inertia_matrix(mass, np.array([centre, 0.0, 0.0]), np.diag(moments))
        for mass, centre, moments in zip(MASSES, CENTRES, MOMENTS, strict=True)
    ][: len(axes)]
    screws = [(*AXES[axis], 0.0, 0.0, 0.0) for axis in axes]
    return sd.ScrewModel.from_screws(
        np.arange(len(axes)) - 1, homes, screws, inertias, gravity=GRAVITY
    )


def robot_of(axes):
    """Return the arm with locked rotors at the joints they drive, and its elastic joints."""
    links = links_of(axes)
    rotors = [
        SolidRotor(
            j,
            j - 1,
            np.array(AXES[axis]),
            links.home_poses[j][:3, 3],
            ROTOR_MASSES[j],
            SPINS[j],
            CROSS,
            RATIOS[j],
        )
        for j, axis in enumerate(axes)
    ]
    drives = {
        name: sd.JointDrive(
            sd.LinearSpring(STIFFNESS[j]),
            sd.Motor(
                rotor_inertia=SPINS[j],
                gear_ratio=RATIOS[j],
                viscous_friction=DRAG[j],
                coulomb_friction=COULOMB[j],
                coulomb_velocity=COULOMB_VELOCITY,
            ),
        )
        for j, name in enumerate(links.joint_names)
    }
    return locked(links, rotors), sd.Drives(drives, rotor_coupling=True)


def rotation(axis, angle):
    c, s, i = mpmath.cos(angle), mpmath.sin(angle), 'xyz'.index(axis)
    turn = mpmath.eye(3)
    a, b = (i + 1) % 3, (i + 2) % 3
    turn[a, a], turn[b, b], turn[a, b], turn[b, a] = c, c, -s, s
    return turn


def cross(a, b):
    return mpmath.matrix(
        [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
    )


def dot(a, b):
    return sum(a[i] * b[i] for i in range(3))


def lagrangian(axes, q, rates, spins):
    """Return T - V (without springs) of links and rotors with mass."""
    turn, omega = mpmath.eye(3), mpmath.matrix([0, 0, 0])
    position, velocity = mpmath.matrix([0, 0, 0]), mpmath.matrix([0, 0, 0])
    energy = mpf(0)
    for j, axis in enumerate(axes):
        direction = turn * mpmath.matrix(AXES[axis])
        # the rotor of joint j rests on the link before it, its centre in the joint
        energy += mpf(ROTOR_MASSES[j]) * (dot(velocity, velocity) / 2 + dot(GRAVITY, position))
        along = dot(direction, omega)
        energy += mpf(CROSS) * (dot(omega, omega) - along**2) / 2
        energy += mpf(SPINS[j]) * (along + mpf(RATIOS[j]) * spins[j]) ** 2 / 2
        omega = omega + direction * rates[j]
        turn = turn * rotation(axis, q[j])
        arm = turn * mpmath.matrix([mpf(CENTRES[j]), 0, 0])
        speed = velocity + cross(omega, arm)
        energy += mpf(MASSES[j]) * (dot(speed, speed) / 2 + dot(GRAVITY, position + arm))
        body = turn.T * omega
        energy += sum(mpf(m) * body[i] ** 2 for i, m in enumerate(MOMENTS[j])) / 2
        tip = turn * mpmath.matrix([mpf(LENGTHS[j]), 0, 0])
        position, velocity = position + tip, velocity + cross(omega, tip)
    return energy


def along_time(jet):
    """Return position and velocity at time t of the polynomial with the given derivatives."""

    def at(t):
        value = [sum(mpf(x) * t**d / mpmath.factorial(d) for d, x in enumerate(c)) for c in jet.T]
        rate = [
            sum(mpf(x) * t**d / mpmath.factorial(d) for d, x in enumerate(c[1:])) for c in jet.T
        ]
        return value, rate

    return at


def lagrange_efforts(axes, q_jet, theta_jet):
    """Return the generalised efforts on the links' and on the motors' coordinates at t = 0."""
    n = len(axes)
    q_at, theta_at = along_time(q_jet), along_time(theta_jet)

    def momentum(t, k):
        q, rates = q_at(t)
        state = [*rates, *theta_at(t)[1]]

        def energy(x):
            moved = [*state[:k], state[k] + x, *state[k + 1 :]]
            return lagrangian(axes, q, moved[:n], moved[n:])

        return (energy(mpf(1)) - energy(mpf(-1))) / 2  # exact: quadratic in the velocities

    def force(j):
        q, rates = q_at(mpf(0))
        spins = theta_at(mpf(0))[1]
        return mp.diff(lambda x: lagrangian(axes, [*q[:j], x, *q[j + 1 :]], rates, spins), q[j])

    inertial = [mp.diff(lambda t, k=k: momentum(t, k), mpf(0)) for k in range(2 * n)]
    return (
        np.array([float(inertial[j] - force(j)) for j in range(n)]),
        np.array([float(value) for value in inertial[n:]]),
    )


@pytest.mark.parametrize('axes', ['zz', 'zzz', 'zyx', 'zyy', 'xzy'])
def test_commands_obey_lagranges_equations(axes, rng):
    model, drives = robot_of(axes)
    n = model.n
    order = 2
    jet = rng.normal(size=(sd.Robot(model, drives).required_rows + order, n))
    result = sd.elastic_feedforward(sd.Robot(model, drives), jet)
    assert result.motor_effort_jet.shape == (order + 1, n)
    with mp.workdps(50):
        on_links, on_motors = lagrange_efforts(axes, jet, result.motor_jet)
    phi = result.motor_position - jet[0]
    spring = np.array(STIFFNESS[:n]) * phi
    np.testing.assert_allclose(on_links, spring, rtol=0, atol=1e-12 * np.abs(spring).max())
    velocity = result.motor_velocity
    ratios = np.array(RATIOS[:n])
    friction = ratios**2 * DRAG[:n] * velocity
    friction += ratios * COULOMB[:n] * np.tanh(ratios * velocity / COULOMB_VELOCITY)
    np.testing.assert_allclose(
        on_motors + friction + spring,
        result.motor_effort,
        rtol=0,
        atol=1e-12 * np.abs(spring).max(),
    )
    # what is left out without the coupling would not pass
    apart = sd.elastic_feedforward(sd.Robot(model, sd.Drives(drives.joints)), jet)
    assert np.abs(apart.motor_effort - result.motor_effort).max() > 1e-4 * np.abs(spring).max()

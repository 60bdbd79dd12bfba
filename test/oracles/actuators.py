# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Friction and parallel springs in 50 digits, from their equations and from work."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from mpmath import mp, mpf

from oracles.elastic_laws import Function
from screw_dynamics.drives import BalancingSpring, GasSpring, JointFriction, Motor, TorsionSpring

Vector = Sequence[float]


def friction(record: JointFriction | Motor, velocity: mpf, effort: mpf) -> mpf:
    """Return the friction under an effort; of a motor on its own side of the gear."""
    if isinstance(record, Motor):
        viscous, coulomb = record.viscous_friction, record.coulomb_friction
        breakaway, load = record.breakaway_friction, record.load_friction
    else:
        viscous, coulomb = record.viscous, record.coulomb
        breakaway, load = record.breakaway, record.load
    level = mpf(coulomb)
    if breakaway > 0:
        decay = mp.exp(-((velocity / mpf(record.stribeck_velocity)) ** 2))
        level += (mpf(breakaway) - mpf(coulomb)) * decay
    level += mpf(load) * mp.sqrt(effort**2 + mpf(record.load_effort) ** 2)
    return mpf(viscous) * velocity + mp.tanh(velocity / mpf(record.coulomb_velocity)) * level


def transmitted(record: JointFriction, velocity: mpf, effort: mpf) -> mpf:
    """Return the transmitted effort u = effort + F(velocity, u), by iteration."""
    return mp.findroot(lambda u: u - effort - friction(record, velocity, u), effort)


def motor_effort(motor: Motor, theta: Function, force: Function) -> Function:
    """Return the effort of a motor from position and effort over time, on the joint's side."""
    r = mpf(motor.gear_ratio)

    def effort(t: mpf) -> mpf:
        speed, acceleration = r * mp.diff(theta, t), r * mp.diff(theta, t, 2)
        resisting = friction(motor, speed, force(t) / r)
        return r * (mpf(motor.rotor_inertia) * acceleration + resisting) + force(t)

    return effort


def spring_effort(
    spring: TorsionSpring | BalancingSpring | GasSpring,
    screw: Vector,
    start: Vector,
    end: Vector,
    q: mpf,
) -> mpf:
    """
    Return the effort of a parallel spring on its joint: minus the change of its energy.

    The joint screw (6,), and the points `start`, which is fixed, and `end`, which moves, at joint
    position 0, are in the frame of the link.
    """
    if isinstance(spring, TorsionSpring):
        return -mpf(spring.stiffness) * (q - mpf(spring.rest_position))

    def length(x: mpf) -> mpf:
        return mp.norm(moved(screw, end, x) - mp.matrix(start))

    def energy(x: mpf) -> mpf:
        now = length(x)
        if isinstance(spring, BalancingSpring):
            return mpf(spring.stiffness) * (now - mpf(spring.free_length)) ** 2 / 2
        compressed = mpf(spring.extended_length) - now
        rise = (mpf(spring.progression) - 1) / mpf(spring.stroke)
        return mpf(spring.force) * (compressed + rise * compressed**2 / 2)

    return -mp.diff(energy, q)


def moved(screw: Vector, point: Vector, q: mpf) -> mp.matrix:
    """Return a point moved by a screw (6,), by the matrix exponential."""
    x, y, z, *v = (mpf(value) for value in screw)
    twist = mp.matrix([[0, -z, y, v[0]], [z, 0, -x, v[1]], [-y, x, 0, v[2]], [0, 0, 0, 0]])
    place = mp.matrix([*(mpf(value) for value in point), mpf(1)])
    return (mp.expm(twist * q, method='taylor') * place)[:3]


def over(law: Callable[[mpf], mpf], motion: Function) -> Function:
    """Return a law of the position along a motion, as a function of time."""
    return lambda t: law(motion(t))

# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Deflections and motor efforts in 50 digits: roots of the spring laws, differentiated in time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
from mpmath import mp, mpf

from screw_dynamics.common.arrays import Array
from screw_dynamics.drives import (
    AntagonisticPair,
    CubicSpring,
    ExponentialSpring,
    LinearSpring,
    Motor,
    Spring,
    TabulatedSpring,
    VariableStiffness,
)

Function = Callable[[mpf], mpf]

DIGITS = 50


def polynomial(jet: Sequence[float]) -> Function:
    """Return the polynomial of time with the given derivatives at t = 0."""
    return lambda t: mp.fsum(mpf(x) * t**d / mp.factorial(d) for d, x in enumerate(jet))


def spring_efforts(spring: Spring, phi: Sequence[float]) -> list[Function]:
    """Return the effort law of each motor's spring; `phi` choose the piece of a table."""
    if isinstance(spring, AntagonisticPair):
        pull = _pull(spring)
        return [pull, lambda x: -pull(-x)]
    if isinstance(spring, LinearSpring):
        return [lambda x: mpf(spring.stiffness) * x]
    if isinstance(spring, CubicSpring):
        return [lambda x: mpf(spring.stiffness) * x + mpf(spring.cubic_stiffness) * x**3]
    if isinstance(spring, ExponentialSpring):
        k, a = mpf(spring.stiffness), mpf(spring.rate)
        return [lambda x: k / a * mp.sinh(a * x)]
    assert isinstance(spring, TabulatedSpring)
    knots = spring.deflections
    i = min(max(int(np.searchsorted(knots, phi[0], side='right')) - 1, 0), len(knots) - 2)
    start, step = mpf(knots[i]), mpf(knots[i + 1]) - mpf(knots[i])
    piece = [mpf(c) for c in spring.coefficients[i]]
    return [lambda x: mp.fsum(c * ((x - start) / step) ** d for d, c in enumerate(piece))]


def _pull(pair: AntagonisticPair) -> Function:
    k, a = mpf(pair.spring_stiffness), mpf(pair.rate)
    if pair.law == 'exponential':
        return lambda x: k / a * (mp.exp(a * x) - 1)
    if pair.law == 'quadratic':
        return lambda x: mpf(pair.quadratic_stiffness) * x**2
    return lambda x: k * x + mpf(pair.cubic_stiffness) * x**3


def deflections(
    spring: Spring | None, tau: Function, stiffness: Function, phi: Sequence[float]
) -> list[Function]:
    """
    Return the deflections of a joint's springs, which have no damper, as functions of time.

    `stiffness` is K or sigma where it varies; the roots at t = 0 are searched near `phi`.
    """
    if spring is None:
        return [lambda t: mpf(0)]
    if isinstance(spring, VariableStiffness):
        return [lambda t: tau(t) / stiffness(t)]
    laws = spring_efforts(spring, phi)
    if len(laws) == 1:
        # by Newton's method, which the slope leads: secants of steep laws do not arrive
        (law,) = laws
        slope = partial(mp.diff, law)
        return [
            lambda t: mp.findroot(
                lambda x: law(x) - tau(t), mpf(phi[0]), solver='newton', df=slope
            )
        ]
    one, other = laws

    def roots(t: mpf) -> list[mpf]:
        def lacking(x: mpf, y: mpf) -> list[mpf]:
            slope = mp.diff(one, x) + mp.diff(other, y)
            return [one(x) + other(y) - tau(t), slope - stiffness(t)]

        return list(mp.findroot(lacking, [mpf(x) for x in phi]))

    return [lambda t: roots(t)[0], lambda t: roots(t)[1]]


def damped_deflection(spring: LinearSpring, effort: Sequence[float], phi: float) -> Function:
    """Return the deflection over time, `phi` at t = 0, under an effort with given derivatives."""
    stiffness, constant = mpf(spring.stiffness), mpf(spring.damping) / mpf(spring.stiffness)
    derivatives = [polynomial(effort[j:]) for j in range(len(effort))]

    def steady(t: mpf) -> mpf:
        terms = ((-constant) ** j * tau(t) for j, tau in enumerate(derivatives))
        return mp.fsum(terms) / stiffness

    return lambda t: steady(t) + mp.exp(-t / constant) * (mpf(phi) - steady(mpf(0)))


def jet_of(function: Function, rows: int) -> Array:
    """Return the time derivatives (rows,) of a function at t = 0, taken numerically."""
    series = mp.taylor(function, 0, rows - 1)
    return np.array([float(c * mp.factorial(d)) for d, c in enumerate(series)])


def motor_effort(motor: Motor, theta: Sequence[float], force: Sequence[float]) -> Function:
    """Return the motor effort over time from the jets of both, on the joint's side."""
    r = mpf(motor.gear_ratio)
    transmitted = polynomial(force)
    rates, accelerations = polynomial(theta[1:]), polynomial(theta[2:])

    def effort(t: mpf) -> mpf:
        # the motor's own equation, theta_M = r theta, and the gear: tau_m = r tau_M
        speed = r * rates(t)
        friction = mpf(motor.viscous_friction) * speed
        friction += mpf(motor.coulomb_friction) * mp.tanh(speed / mpf(motor.coulomb_velocity))
        return r * (mpf(motor.rotor_inertia) * r * accelerations(t) + friction) + transmitted(t)

    return effort

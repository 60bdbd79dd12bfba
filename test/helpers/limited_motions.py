# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Drawn robots and curves whose limits are near what the motion needs, and the largest values."""

import warnings
from dataclasses import replace

import numpy as np
from oracles.random_models import random_model

import screw_dynamics as sd
from screw_dynamics.errors import NotFiniteError, SpringRangeError
from screw_dynamics.limits.quantities import DERIVATIVES
from screw_dynamics.model import JointLimits
from screw_dynamics.trajectory import (
    PiecewisePolynomial,
    Waypoints,
    jtc_trajectory,
    smooth_trajectory,
)

MOTORS = ('deflection', 'motor velocity', 'motor effort', 'motor effort rate')


def log_uniform(rng, low, high):
    return 10.0 ** rng.uniform(low, high)


def drawn_motor(rng):
    kind, coulomb = rng.integers(5), log_uniform(rng, -2.0, 0.7)
    return sd.Motor(
        rotor_inertia=log_uniform(rng, -3.0, -0.5) * (rng.random() < 0.8),
        viscous_friction=log_uniform(rng, -2.0, 0.5) * (rng.random() < 0.5),
        coulomb_friction=coulomb * (kind > 0),
        coulomb_velocity=log_uniform(rng, -2.5, -0.3),
        breakaway_friction=coulomb * rng.uniform(1.0, 2.0) * (kind in (2, 4)),
        stribeck_velocity=log_uniform(rng, -2.0, 0.3),
        load_friction=rng.uniform(0.0, 0.3) * (kind in (3, 4)),
        load_effort=log_uniform(rng, -2.0, 0.0),
    )


def drawn_friction(rng):
    kind, coulomb = rng.integers(5), log_uniform(rng, -2.0, 0.7)
    if kind == 0:
        return None
    return sd.JointFriction(
        viscous=log_uniform(rng, -2.0, 0.5) * (rng.random() < 0.5),
        coulomb=coulomb,
        coulomb_velocity=log_uniform(rng, -2.5, -0.3),
        breakaway=coulomb * rng.uniform(1.0, 2.0) * (kind in (2, 4)),
        stribeck_velocity=log_uniform(rng, -2.0, 0.3),
        load=rng.uniform(0.0, 0.4) * (kind in (3, 4)),
        load_effort=log_uniform(rng, -2.0, 0.0),
    )


def drawn_spring(rng):
    k = log_uniform(rng, 1.5, 4.0)
    return (
        None,
        sd.LinearSpring(k),
        sd.CubicSpring(k, k * log_uniform(rng, 0.0, 3.0)),
        sd.ExponentialSpring(k, log_uniform(rng, 0.0, 1.5)),
        sd.VariableStiffness(k),
    )[rng.integers(5)]


def drawn_parallel_spring(rng):
    def point():
        return tuple(0.3 * rng.normal(size=3))

    kind = rng.integers(4)
    if kind == 0:
        return sd.TorsionSpring(log_uniform(rng, 0.0, 2.0), rng.normal())
    if kind == 1:
        free = rng.uniform(0.0, 0.3) * (rng.random() < 0.7)
        return sd.BalancingSpring(log_uniform(rng, 1.0, 3.0), point(), point(), free_length=free)
    return None


def drawn_curve(rng, n):
    """Return smooth and linear motions, and polynomials of degree 1 to 9 that jump at breaks."""
    kind, count = rng.integers(6), int(rng.integers(2, 6))
    times = np.concatenate(([0.0], np.cumsum(rng.uniform(0.1, 1.5, count - 1))))
    positions = rng.uniform(-2.0, 2.0, (count, n)) * rng.choice([1.0, 0.1])
    free = np.full(positions.shape, np.nan)
    names = tuple(f'joint_{i}' for i in range(n))
    if kind < 3:
        return smooth_trajectory(Waypoints(names, times, positions, free, free))
    if kind == 3:
        rates = rng.normal(size=positions.shape)
        return jtc_trajectory(Waypoints(names, times, positions, rates, free))
    degree, segments = int(rng.integers(1, 10)), int(rng.integers(1, 4))
    spans = log_uniform(rng, -2.0, 0.5) * rng.uniform(0.3, 1.0, segments)
    begin = rng.uniform(0.0, 1000.0) * (rng.random() < 0.3)
    coefficients = rng.normal(size=(segments, degree + 1, n))
    # joints reach at most some 20 rad/s
    speeds = np.abs(np.arange(degree + 1)[:, np.newaxis] * coefficients).sum(axis=1).max(axis=1)
    factors = rng.uniform(0.5, 20.0) * spans / np.maximum(speeds, 1e-9)
    coefficients[:, 1:] *= factors[:, np.newaxis, np.newaxis]
    breaks = begin + np.concatenate(([0.0], np.cumsum(spans)))
    return PiecewisePolynomial(breaks, coefficients, coefficients[-1].sum(axis=0), 0)


def drawn_robot(rng):
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        model = random_model(rng, int(rng.integers(1, 6)))
    if rng.random() < 0.2:
        return sd.Robot(model)
    joints = {
        name: sd.JointDrive(
            drawn_spring(rng) if rng.random() < 0.6 else None,
            drawn_motor(rng),
            friction=drawn_friction(rng),
            parallel_spring=drawn_parallel_spring(rng),
        )
        for name in model.joint_names
    }
    return sd.Robot(model, sd.Drives(joints), limits_motors=bool(rng.random() < 0.5))


def quantities(robot, jets):
    """Return the sizes (T, m) of all limited quantities."""
    found = {name: jets[:, d] for d, name in enumerate(('position', *DERIVATIVES))}
    if robot.drives is None:
        return {**found, 'effort': sd.inverse_dynamics(robot.model, jets[:, :3])[:, 0]}
    motion = sd.elastic_feedforward(robot, jets)
    found |= {'effort': motion.effort_jet[:, 0], 'effort rate': motion.effort_jet[:, 1]}
    found |= {'deflection': motion.deflection_jet[:, 0], 'motor velocity': motion.motor_jet[:, 1]}
    found['motor effort'] = motion.motor_effort_jet[:, 0]
    found['motor effort rate'] = motion.motor_effort_jet[:, 1]
    return found


def largest(robot, curve, near=(), count=1000):
    """
    Return the largest sizes (m,) of all quantities, each one by search about its largest sample.

    Samples are `count` in the segments, and denser and denser ones about the times `near`.
    """
    breaks, rows = curve.breaks, max(4, robot.required_rows + 1)
    u = np.linspace(0.0, 1.0, max(count // (len(breaks) - 1), 200), endpoint=False)
    times = (breaks[:-1, np.newaxis] + np.diff(breaks)[:, np.newaxis] * u).ravel()
    away = np.geomspace(1e-8, 0.1, 40)
    about = [time + side * away for time in near for side in (-1.0, 1.0)]
    every = np.concatenate([times, np.nextafter(breaks[1:], -np.inf), breaks[-1:], *about])
    every = np.unique(np.clip(every, breaks[0], breaks[-1]))

    def values(at):
        return {k: np.abs(v) for k, v in quantities(robot, curve.jets(at, rows)).items()}

    samples = values(every)
    best = {name: value.max(axis=0) for name, value in samples.items()}
    places = {int(i) for value in samples.values() for i in value.argmax(axis=0)}
    for place in places:
        low, high = every[max(place - 1, 0)], every[min(place + 1, len(every) - 1)]
        for _ in range(2):
            at = np.linspace(low, high, 31)
            found = values(at)
            best = {name: np.maximum(best[name], v.max(axis=0)) for name, v in found.items()}
            shares = [v / np.maximum(best[name], 1e-300) for name, v in found.items()]
            peak = int(np.concatenate(shares, axis=1).max(axis=1).argmax())
            low, high = at[max(peak - 1, 0)], at[min(peak + 1, 30)]
    return best


def with_limits(robot, found, factors):
    """Return the robot with limits that are drawn `factors` times values that were found."""

    def limit(name):
        return np.maximum(found[name] * factors(len(found[name])), 1e-9)

    position = limit('position')
    limits = JointLimits(-position, position, velocity=limit('velocity'), effort=limit('effort'))
    model = replace(robot.model, limits=limits)
    if robot.drives is None:
        return with_motion_limits(sd.Robot(model), limit)
    rates, deflections, velocities, efforts = (
        limit(name) for name in ('effort rate', 'deflection', 'motor velocity', 'motor effort')
    )
    joints = {}
    for i, (name, drive) in enumerate(zip(robot.joint_names, robot.joint_drives, strict=True)):
        motor = replace(drive.motor, max_effort=efforts[i], max_velocity=velocities[i])
        deflection = np.inf if drive.spring is None else deflections[i]
        joints[name] = replace(
            drive, motor=motor, max_effort_rate=rates[i], max_deflection=deflection
        )
    return with_motion_limits(replace(robot, model=model, drives=sd.Drives(joints)), limit)


def with_motion_limits(robot, limit):
    limits = replace(robot.model.limits, acceleration=limit('acceleration'), jerk=limit('jerk'))
    return replace(robot, model=replace(robot.model, limits=limits))


def drawn_case(seed):
    """Return a robot with limits and a curve, None if a spring cannot transmit the efforts."""
    rng = np.random.default_rng(seed)
    robot = drawn_robot(rng)
    curve = drawn_curve(rng, robot.n)
    try:
        found = largest(robot, curve, count=400)
    except (SpringRangeError, NotFiniteError):
        return None
    low, high = ((1.0, 1.2), (0.9, 1.3), (0.5, 2.0), (1.0, 1.0))[seed % 4]
    return with_limits(robot, found, lambda count: rng.uniform(low, high, count)), curve

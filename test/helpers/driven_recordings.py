# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Recordings of simulated robots with elastic or rigid drives, under motor control."""

from dataclasses import replace

import numpy as np

import screw_dynamics as sd
from helpers.recordings import random_motion
from screw_dynamics.simulation import ElasticRobot

STEP = 1e-3  # s, between motor commands
SUBSTEPS = 4
ENCODER_NOISE, EFFORT_NOISE = 2e-5, 0.02  # rad or m; of the largest effort of a joint
KNEE = 0.02  # rad/s at the joint, at which dry friction reaches 76 %
BANDWIDTH, DAMPING = 6.0, 0.7  # of the controllers of the motors [Hz]


def drawn_drives(model, rng, *, springs='linear', breakaway=(), load=()):
    """Return drives drawn at random: soft springs, and friction with some parts at some joints."""
    records = {}
    for j, name in enumerate(model.joint_names):
        stiffness = rng.uniform(400.0, 1500.0)
        spring = {
            'linear': sd.LinearSpring(stiffness),
            'cubic': sd.CubicSpring(stiffness, stiffness * 200.0),
            'rigid': None,
        }[springs]
        coulomb = rng.uniform(0.5, 2.0)
        records[name] = sd.JointDrive(
            spring,
            sd.Motor(
                rotor_inertia=rng.uniform(0.2, 1.0) / 100.0**2,
                gear_ratio=100.0,
                viscous_friction=rng.uniform(0.5, 2.0) / 100.0**2,
                coulomb_friction=coulomb / 100.0,
                coulomb_velocity=KNEE * 100.0,
                breakaway_friction=1.6 * coulomb / 100.0 if j in breakaway else 0.0,
                stribeck_velocity=0.15 * 100.0,
                load_friction=0.08 if j in load else 0.0,
            ),
        )
    return sd.Drives(records)


def wrong_drives(drives, factor):
    """
    Return drives with springs, rotors and friction that are `factor` times too large.

    Dry friction develops at half its velocity.
    """
    records = {}
    for name, joint in drives.joints.items():
        spring, motor = joint.spring, joint.motor
        if spring is not None:
            spring = sd.LinearSpring(factor * spring.stiffness)
        motor = replace(
            motor,
            rotor_inertia=factor * motor.rotor_inertia,
            viscous_friction=factor * motor.viscous_friction,
            coulomb_friction=factor * motor.coulomb_friction,
            coulomb_velocity=0.5 * motor.coulomb_velocity,
            breakaway_friction=0.0,
            load_friction=0.0,
        )
        records[name] = replace(joint, spring=spring, motor=motor)
    return sd.Drives(records)


def with_link_errors(model, rng, deviation):
    """Return a model whose masses, first moments and inertias differ by random parts."""
    changed = []
    for inertia in model.inertias:
        pseudo = pseudo_inertia(inertia)
        sizes, axes = np.linalg.eigh(pseudo)
        root = axes * np.sqrt(np.maximum(sizes, 0.0))
        draw = rng.normal(size=(4, 4))
        error = np.triu(draw, 1) / np.sqrt(2.0)
        error = np.eye(4) + deviation * (error + error.T + np.diag(np.diag(draw)))
        changed.append(spatial_inertia(root @ error @ root.T))
    return replace(model, inertias=np.array(changed))


def pseudo_inertia(inertia):
    """Return the integral of p p^T over the mass, p = (x, y, z, 1), of a 6x6 inertia."""
    mass, moment = inertia[5, 5], inertia[:3, 3:]  # m [c]x
    first = np.array([moment[2, 1], moment[0, 2], moment[1, 0]])
    rotational = inertia[:3, :3]
    result = np.zeros((4, 4))
    result[:3, :3] = 0.5 * np.trace(rotational) * np.eye(3) - rotational
    result[:3, 3] = result[3, :3] = first
    result[3, 3] = mass
    return result


def spatial_inertia(pseudo):
    """Return the 6x6 inertia of a pseudo-inertia."""
    second, first, mass = pseudo[:3, :3], pseudo[:3, 3], pseudo[3, 3]
    cross = np.array(
        [[0.0, -first[2], first[1]], [first[2], 0.0, -first[0]], [-first[1], first[0], 0.0]]
    )
    result = np.zeros((6, 6))
    result[:3, :3] = np.trace(second) * np.eye(3) - second
    result[:3, 3:], result[3:, :3] = cross, cross.T
    result[3:, 3:] = mass * np.eye(3)
    return result


def driven(
    model,
    drives,
    rng,
    *,
    seconds=16.0,
    rate=250.0,
    delay=0.0,
    offsets=0.0,
    noise=1.0,
    curve=None,
    torque_constants=1.0,
    effort_noise=None,
    still=(),
):
    """
    Return a recording of links, motors and motor efforts, which lag by `delay` [s].

    The motors follow a motion through random points, or `curve`, with the errors that their
    controllers leave; `offsets` (n,) are those of motor encoders beside those of links. Joints
    named in `still` rest. `effort_noise` (n,) is 2 % of the largest efforts by default.
    """
    robot = ElasticRobot(sd.Robot(model, drives))
    count = round(seconds / STEP)
    times = STEP * np.arange(count + 1)
    if curve is None:
        jets = random_motion(model, rng, seconds + 2.0, 1.0 / STEP)[1][: count + 1]
    else:
        jets = curve.jets(times, rows=3)
    for name in still:
        jets[:, 1:, model.joint_names.index(name)] = 0.0
        jets[:, 0, model.joint_names.index(name)] = jets[0, 0, model.joint_names.index(name)]
    table = robot.motors
    weight = np.diagonal(sd.mass_matrix(model, jets[:, 0]), axis1=1, axis2=2).mean(axis=0)
    inertia = table.rows[:, 0] + weight
    frequency = 2.0 * np.pi * BANDWIDTH
    stiffness, damping = inertia * frequency**2, 2.0 * DAMPING * inertia * frequency
    forward = sd.inverse_dynamics(model, jets)[:, 0] + table.rows[:, 0] * jets[:, 2]
    gravity = sd.inverse_dynamics(model, jets)[:, 0]
    springs = [joint.spring for joint in drives.joints.values()]
    lead = np.array(
        [
            np.zeros(count + 1) if spring is None else column / spring.stiffness
            for spring, column in zip(springs, gravity.T, strict=True)
        ]
    ).T
    state = robot.state(jets[0, 0], motor_position=jets[0, 0] + lead[0])
    states, efforts = np.empty((count + 1, robot.state_size)), np.empty((count, model.n))
    n = model.n
    for k in range(count):
        states[k] = state
        theta, rate_now = state[2 * n : 3 * n], state[3 * n : 4 * n]
        efforts[k] = (
            forward[k]
            + stiffness * (jets[k, 0] + lead[k] - theta)
            + damping * (jets[k, 1] - rate_now)
        )
        robot.step(state, efforts[k], STEP / SUBSTEPS, steps=SUBSTEPS)
    states[count] = state
    # a command that is held belongs to the middle of its period
    middles = times[:-1] + 0.5 * STEP
    every = round(1.0 / rate / STEP)
    instants = times[10:-10:every]
    late = np.column_stack([np.interp(instants - delay, middles, column) for column in efforts.T])
    if effort_noise is None:
        effort_noise = EFFORT_NOISE * np.abs(late).max(axis=0)
    draws = noise * rng.normal(size=(3, *late.shape))
    rigid = np.array([spring is None for spring in springs])
    motors = states[10:-10:every, 2 * n : 3 * n] + ENCODER_NOISE * draws[1] + offsets
    motors[:, rigid] = np.nan
    return sd.Recording(
        model.joint_names,
        instants,
        states[10:-10:every, :n] + ENCODER_NOISE * draws[0],
        None,
        motors,
        (late + effort_noise * draws[2]) / torque_constants,
    )

# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Arms whose feedforward has wrong parameters, in MuJoCo and in equations of motion."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

import screw_dynamics as sd
from screw_dynamics.common.arrays import Array
from screw_dynamics.errors import InfeasibleError
from screw_dynamics.kernels.drives.laws import INERTIA
from screw_dynamics.simulation import ElasticRobot, natural_frequencies
from screw_dynamics.trajectory import (
    PiecewisePolynomial,
    smooth_trajectory,
    waypoints_from_points,
)
from sea_study.arms import MOTION, Arm, drawn_factors
from sea_study.plant import DAMPING, gains, run

NOISE = 2e-5  # rad rms of the encoders of the links
AFTER = 0.5  # s of rest after a motion
_MOST_STEPS = 300  # to the position at rest
POSES = 40  # along a motion, whose frequencies bound the steps
LARGEST_STEP = 1.0  # of the integration, times the fastest rate of drives and springs
HELD = 2e-3  # s for which the PD of drawn arms holds an effort
Run = Callable[[PiecewisePolynomial, int], tuple[Array, Array]]


@dataclass(frozen=True)
class Errors:
    """Errors of the links in each run, without the noise of the encoders [rad]."""

    largest: list[float]
    rms: list[float]
    smoothing_time: float
    step: float
    finished: bool
    refused: str  # the limit that a corrected motion would have exceeded


def repeated(
    robot: sd.Robot,
    wanted: PiecewisePolynomial,
    run: Run,
    repeats: int,
    uncertainty: float,
    delay: float,
    gains: tuple[Array, Array],
) -> Errors:
    """Learn from repeats until finished; `run` returns times and links of a motion and seed."""
    motion: PiecewisePolynomial | sd.LearnedMotion = wanted
    largest, rms, refused = [], [], ''
    chosen: dict[str, float] = {'smoothing_time': 0.0, 'step': 0.0}
    for k in range(repeats + 1):
        curve = motion if isinstance(motion, PiecewisePolynomial) else motion.curve
        times, links = run(curve, k)
        inside = (times >= wanted.breaks[0]) & (times <= wanted.breaks[-1])
        errors = (links - wanted.jets(times, 1)[:, 0])[inside]
        largest.append(float(np.abs(errors).max()))
        rms.append(float(np.sqrt(np.square(errors).mean())))
        if k == repeats:
            break
        measured = links + np.random.default_rng(k).normal(0.0, NOISE, links.shape)
        recording = sd.Recording(robot.joint_names, times, measured, np.zeros_like(links))
        try:
            motion = sd.learn_motion(
                robot,
                motion,
                recording,
                uncertainty=uncertainty,
                delay=delay,
                gains=gains,
                **(chosen if k else {}),
            )
        except InfeasibleError as error:
            refused = str(error)
            break
        chosen = {'smoothing_time': motion.smoothing_time, 'step': motion.step}
    finished = isinstance(motion, sd.LearnedMotion) and motion.finished
    return Errors(largest, rms, *chosen.values(), finished, refused)


def in_mujoco(arm: Arm, level: float, delay: float, seed: int, repeats: int) -> Errors:
    """Learn on an arm in MuJoCo; parameters are off by up to `level`."""
    belief = arm.robot(drawn_factors(level, seed))

    def links(curve: PiecewisePolynomial, _: int) -> tuple[Array, Array]:
        times, states = run(arm, belief, curve, late=delay, rest=AFTER)
        return times, states.links

    return repeated(belief, arm.motion(), links, repeats, level, delay, gains(arm))


def drawn_arm(seed: int, level: float, delay: float, repeats: int) -> Errors:
    """
    Learn on three joints of an iiwa, drawn like springs, rotors, friction, motion and PD.

    The plant are the equations of motion of `ElasticRobot` with the true parameters.
    """
    rng = np.random.default_rng(seed)
    whole = sd.read_urdf(sd.share_path('urdf/iiwa14.urdf'))
    chosen = sorted(rng.choice(whole.n, 3, replace=False))
    limits = whole.limits
    locked = {
        name: float(rng.uniform(0.5 * limits.lower[j], 0.5 * limits.upper[j]))
        for j, name in enumerate(whole.joint_names)
        if j not in chosen
    }
    model = sd.read_urdf(sd.share_path('urdf/iiwa14.urdf'), locked=locked)
    model = model.with_payload('flange', rng.uniform(0.0, 5.0), (0.0, 0.0, 0.1))
    values = {
        'stiffness': 10.0 ** rng.uniform(np.log10(500.0), np.log10(2e4), 3),
        'rotors': rng.uniform(0.2, 2.0, 3),
        'viscous': rng.uniform(0.2, 3.0, 3),
        'dry': rng.uniform(0.2, 3.0, 3),
    }
    true = _robot(model, values)
    off = {name: 1.0 + level * rng.uniform(-1.0, 1.0, 3) for name in values}
    inertias = 1.0 + level * rng.uniform(-1.0, 1.0, model.body_count)
    wrong = replace(model, inertias=model.inertias * inertias[:, None, None])
    belief = _robot(wrong, {name: off[name] * value for name, value in values.items()})
    wanted = _motion(model, rng)
    omega = 2.0 * np.pi * rng.uniform(1.0, 10.0)
    links = np.diag(sd.mass_matrix(model, wanted.jets([0.0])[0, 0]))
    inertia = links + true.motors.rows[:, INERTIA]
    pd = omega**2 * inertia, 2.0 * DAMPING * omega * inertia
    poses = wanted.jets(np.linspace(0.0, wanted.duration, POSES), 1)[:, 0]
    free = max(float(natural_frequencies(true, q)[-1]) for q in poses)
    highest = max(free, float((pd[1] / values['rotors']).max()))
    steps = max(math.ceil(HELD * highest / LARGEST_STEP), 2)
    # the damping of the drives is as fast as friction, their stiffness is held
    damped = _robot(model, {**values, 'viscous': values['viscous'] + pd[1]})
    one = partial(_integrated, ElasticRobot(damped), steps, belief, pd, delay)
    return repeated(belief, wanted, one, repeats, level, delay, pd)


def _robot(model: sd.ScrewModel, values: dict[str, Array]) -> sd.Robot:
    rows = zip(model.joint_names, *values.values(), strict=True)
    return sd.Robot(
        model,
        sd.Drives(
            {
                name: sd.JointDrive(
                    sd.LinearSpring(float(stiffness)),
                    sd.Motor(
                        float(rotor), viscous_friction=float(viscous), coulomb_friction=float(dry)
                    ),
                )
                for name, stiffness, rotor, viscous, dry in rows
            }
        ),
    )


def _motion(model: sd.ScrewModel, rng: np.random.Generator) -> PiecewisePolynomial:
    """Return a motion through a point, from rest to rest, that keeps half of the limits."""
    names = model.joint_names
    places = rng.uniform(-0.5, 0.5, (3, model.n))
    times = np.array([0.0, 0.5, 1.0]) * MOTION
    while True:
        points = list(zip(times.tolist(), places, strict=True))
        curve = smooth_trajectory(waypoints_from_points(names, points, names))
        speed = np.abs(curve.jets(np.linspace(0.0, times[-1], 200), 2)[:, 1]).max(axis=0)
        if (speed < 0.5 * model.limits.velocity).all():
            return curve
        times = 1.2 * times


def _integrated(
    plant: ElasticRobot,
    steps: int,
    belief: sd.Robot,
    gains: tuple[Array, Array],
    late: float,
    curve: PiecewisePolynomial,
    _: int,
) -> tuple[Array, Array]:
    """Return times and links of a run with efforts that are `late` [s]."""
    begin, end = curve.breaks[[0, -1]]
    times = begin + HELD * np.arange(round((end + AFTER - begin) / HELD) + 1, dtype=np.float64)
    motors = sd.elastic_feedforward(belief, curve.jets(times))
    known = sd.elastic_feedforward(belief, curve.jets(times - late)).motor_effort
    known = known + gains[0] * motors.motor_position + gains[1] * motors.motor_velocity
    n, stiffness = plant.motors.n, plant.motors.parameters[plant.motors.offsets]
    rows = np.empty((len(times), 4 * n))
    # at rest where feedforward and drives hold the arm
    links = curve.jets(times[:1], 1)[0, 0]
    for _rest in range(_MOST_STEPS):
        load = sd.gravity_forces(plant.robot.model, links)
        theta = (known[0] - load) / gains[0]
        links = theta - load / stiffness
    state = plant.state(links, motor_position=theta)
    for k, effort in enumerate(known):
        rows[k] = state
        held = effort - gains[0] * state[2 * n : 3 * n]
        plant.step(state, held, HELD / steps, steps=steps)
    return times, rows[:, :n]

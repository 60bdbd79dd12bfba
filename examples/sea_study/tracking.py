# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Tracking errors of an arm with one feedforward, in both engines."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from screw_dynamics.arrays import Array
from screw_dynamics.elastic import elastic_feedforward
from screw_dynamics.simulation import Motion
from sea_study.arms import MOTION, REST, Arm
from sea_study.mujoco_robot import MujocoRobot
from sea_study.scene import EXACT, PERIOD, RIGID, Scene, sample_times, scene

RTOL = 1e-10  # of scipy's DOP853
SUBSTEPS = 2  # fixed steps per period
FALLEN = 0.3  # rad, error above which an arm has fallen
TREND = 3  # degree of the polynomial in time that does not count as oscillation

OWN, MUJOCO = ENGINES = ('own equations', 'MuJoCo')


@dataclass(frozen=True, eq=False)
class Outcome:
    """
    Errors |q - q_ref| of one run [rad].

    `largest` and `rms` are over all joints during the motion, `errors` (T,) are the largest of all
    joints at `times` (T,) [s]. `oscillation` is the largest amplitude of a spring's vibration at
    rest after the motion [rad], NaN if the arm has fallen.
    """

    arm: Arm
    feedforward: str
    feedback: bool
    engine: str
    largest: float
    rms: float
    oscillation: float
    times: Array
    errors: Array


def track(arm: Arm, feedforward: str, feedback: bool) -> list[Outcome]:
    """
    Simulate an arm in both engines, with feedback only in MuJoCo.

    The feedback is a light PD on the motor positions, around the exact motion of the motors for
    every feedforward.
    """
    place = scene(arm)
    motions = {MUJOCO: _in_mujoco(place, feedforward, feedback)}
    if not feedback:
        motions[OWN] = _in_own_equations(place, feedforward)
    return [
        _outcome(place, feedforward, feedback, engine, motions[engine])
        for engine in ENGINES
        if engine in motions
    ]


def _in_own_equations(place: Scene, feedforward: str) -> Motion:
    times = PERIOD * np.arange(round((MOTION + REST) / PERIOD) + 1, dtype=np.float64)
    if feedforward in (RIGID, EXACT):
        return place.robot.integrate(
            times,
            lambda t, state: place.efforts(feedforward, np.array([t]))[0],
            place.start,
            rtol=RTOL,
        )
    efforts = np.ascontiguousarray(place.efforts(feedforward, sample_times()))
    states = np.empty((len(times), place.robot.state_size))
    state = states[0] = place.start.copy()
    for k, effort in enumerate(efforts):
        place.robot.step(state, effort, PERIOD / SUBSTEPS, steps=SUBSTEPS)
        states[k + 1] = state
    return Motion(times, *place.robot.split(states), 4 * SUBSTEPS * len(efforts))


def _in_mujoco(place: Scene, feedforward: str, feedback: bool) -> Motion:
    h = PERIOD / SUBSTEPS
    steps = round((MOTION + REST) / h)
    engine = MujocoRobot(place.model, place.joints, timestep=h)
    engine.set_state(*place.robot.split(place.start))
    # stages of a step are at its ends and its middle
    stages = 0.5 * h * np.arange(2 * steps + 1, dtype=np.float64)
    continuous = feedforward in (RIGID, EXACT)
    efforts = place.efforts(feedforward, stages if continuous else sample_times())
    exact = elastic_feedforward(place.model, place.joints, place.reference(stages))
    theta, rate = exact.motor_position, exact.motor_velocity
    stiffness, damping = place.feedback_gains if feedback else (0.0, 0.0)

    def drive(t: float, position: Array, velocity: Array) -> Array:
        stage = round(2.0 * t / h)
        effort: Array = efforts[stage if continuous else int(t / PERIOD)]
        if feedback:
            # positions are those of the stage, or of the start of the step if t is its middle
            now = stage if continuous else stage - 1
            effort = effort + stiffness * (theta[now] - position)
            effort = effort + damping * (rate[now] - velocity)
        return effort

    return engine.run(steps, drive, every=SUBSTEPS, hold=None if continuous else 0.5)


def _outcome(
    place: Scene, feedforward: str, feedback: bool, engine: str, motion: Motion
) -> Outcome:
    times = PERIOD * np.arange(len(motion.times), dtype=np.float64)
    reference = place.reference(times)[:, 0]
    errors = np.abs(motion.position - reference)
    moving = times <= MOTION
    resting = times >= MOTION
    springs = (motion.motor_position - motion.position)[resting]
    fit = np.polynomial.Polynomial.fit
    amplitudes = [
        0.5 * np.ptp(phi - fit(times[resting], phi, TREND)(times[resting])) for phi in springs.T
    ]
    fallen = not errors.max() < FALLEN
    return Outcome(
        arm=place.arm,
        feedforward=feedforward,
        feedback=feedback,
        engine=engine,
        largest=float(errors[moving].max()),
        rms=float(np.sqrt(np.square(errors[moving]).mean())),
        oscillation=float('nan') if fallen else float(max(amplitudes)),
        times=times,
        errors=errors.max(axis=1),
    )

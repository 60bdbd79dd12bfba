# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Tracking errors without feedback and with right parameters, in both engines."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from screw_dynamics.common.arrays import Array
from sea_study.arms import MOTION, Arm
from sea_study.commands import Link, step_efforts
from sea_study.mujoco_robot import MujocoRobot
from sea_study.scene import EXACT, RIGID, Scene, scene

RTOL = 1e-10  # of scipy's DOP853
STEP = 5e-4  # s, of the fixed steps
PERIOD = 1e-3  # s between samples of the errors
HELD = 'exact, held'
IDEAL = (RIGID, HELD, EXACT)

OWN, MUJOCO = ENGINES = ('own equations', 'MuJoCo')


@dataclass(frozen=True)
class Outcome:
    """Largest and rms error |q - q_ref| of one run over all joints during the motion [rad]."""

    arm: Arm
    feedforward: str
    engine: str
    largest: float
    rms: float


def track(arm: Arm, feedforward: str) -> list[Outcome]:
    """Simulate an arm with one of `IDEAL` in both engines; 'held' is for 1 ms, of the middle."""
    setup = scene(arm)
    outcomes = []
    for engine, simulate in ((OWN, _in_own_equations), (MUJOCO, _in_mujoco)):
        position = simulate(setup, feedforward)
        errors = np.abs(position - setup.reference(_times())[:, 0])
        rms = float(np.sqrt(np.square(errors).mean()))
        outcomes.append(Outcome(arm, feedforward, engine, float(errors.max()), rms))
    return outcomes


def _times() -> Array:
    return np.linspace(0.0, MOTION, round(MOTION / PERIOD) + 1)


def _held_efforts(setup: Scene) -> Array:
    return step_efforts(Link(), partial(setup.efforts, EXACT), round(MOTION / STEP), STEP)


def _in_own_equations(setup: Scene, feedforward: str) -> Array:
    """Return link positions (T, n)."""
    if feedforward != HELD:
        return setup.simulation.integrate(
            _times(),
            lambda t, state: setup.efforts(feedforward, np.array([t]))[0],
            setup.start,
            rtol=RTOL,
        ).position
    state = setup.start.copy()
    states = [state.copy()]
    for effort in _held_efforts(setup):
        setup.simulation.step(state, effort, STEP)
        states.append(state.copy())
    return setup.simulation.split(np.array(states[:: round(PERIOD / STEP)]))[0]


def _in_mujoco(setup: Scene, feedforward: str) -> Array:
    """Return link positions (T, n)."""
    steps = round(MOTION / STEP)
    engine = MujocoRobot(setup.robot, timestep=STEP)
    engine.set_state(*setup.simulation.split(setup.start))
    held = feedforward == HELD
    # stages of a step are at its ends and its middle
    stages = 0.5 * STEP * np.arange(2 * steps + 1, dtype=np.float64)
    efforts = _held_efforts(setup) if held else setup.efforts(feedforward, stages)

    def drive(t: float, position: Array, velocity: Array) -> Array:
        effort: Array = efforts[int(t / STEP) if held else round(2.0 * t / STEP)]
        return effort

    every = round(PERIOD / STEP)
    return engine.run(steps, drive, every=every, hold=0.5 if held else None).position

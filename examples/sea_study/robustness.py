# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Tracking errors in MuJoCo under conditions that a feedforward does not know."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache, partial

import numpy as np

from screw_dynamics.common.arrays import Array
from screw_dynamics.dynamics import inverse_dynamics
from sea_study.arms import MOTION, Arm
from sea_study.commands import step_efforts
from sea_study.conditions import Condition, Trial
from sea_study.mujoco_robot import MujocoRobot
from sea_study.scene import Scene, scene

PERIOD = 1e-3  # s, of the PD in the drives and of the samples of the errors
SUBSTEPS = {'stiff': 2, 'soft': 1}  # steps of MuJoCo's RK4 in a period, by kind of joints
FALLEN = 0.3  # rad, error above which an arm has fallen


@dataclass(frozen=True)
class Endured:
    """
    Errors |q - q_ref| of one arm with one feedforward under one condition [rad].

    Largest and rms over all joints during the motion, one of each for every trial.
    """

    arm: Arm
    feedforward: str
    condition: str
    largest: tuple[float, ...]
    rms: tuple[float, ...]


def endure(arm: Arm, condition: Condition) -> list[Endured]:
    """Simulate an arm with a PD and each feedforward of a condition."""
    endured = []
    for feedforward in condition.feedforwards:
        errors = np.array([_errors(arm, feedforward, trial) for trial in condition.trials])
        largest, rms = (tuple(column.tolist()) for column in errors.T)
        endured.append(Endured(arm, feedforward, condition.name, largest, rms))
    return endured


def _errors(arm: Arm, feedforward: str, trial: Trial) -> tuple[float, float]:
    """Return the largest and the rms error of one run [rad]."""
    setup, belief = scene(arm), scene(arm, trial.factors)
    times = np.linspace(0.0, MOTION, round(MOTION / PERIOD) + 1)
    command = partial(belief.efforts, feedforward)
    efforts = step_efforts(trial.link, command, len(times) - 1, PERIOD)
    # the same for every feedforward, with the assumed parameters
    of_links = trial.feedback.of_links
    wanted = belief.wanted(times[:-1], of_links)
    gains = setup.gains(trial.feedback.frequency)
    robot = _robot(arm)
    position = _rest(setup, efforts[0], wanted[0][0], gains[0], of_links)
    still = np.zeros(setup.model.n)
    robot.set_state(position, still, position + _load(setup, position) / setup.stiffness, still)
    substeps = SUBSTEPS[arm.kind]
    positions = robot.follow(efforts, wanted, gains, of_links=of_links, substeps=substeps)
    errors = np.abs(positions - setup.reference(times)[:, 0])
    return float(errors.max()), float(np.sqrt(np.square(errors).mean()))


def _rest(setup: Scene, effort: Array, wanted: Array, gain: Array, of_links: bool) -> Array:
    """Return the position (n,) in which the arm rests on feedforward and PD before the motion."""
    from scipy.optimize import root

    def unbalanced(position: Array) -> Array:
        load = _load(setup, position)
        measured = position if of_links else position + load / setup.stiffness
        return effort + gain * (wanted - measured) - load

    start = setup.reference(np.zeros(1))[0, 0]
    solution = root(unbalanced, start)
    return np.asarray(solution.x if solution.success else start)


def _load(setup: Scene, position: Array) -> Array:
    """Return the efforts of gravity (n,)."""
    jet = np.zeros((3, setup.model.n))
    jet[0] = position
    load: Array = inverse_dynamics(setup.model, jet)[0]
    return load


@lru_cache(maxsize=1)
def _robot(arm: Arm) -> MujocoRobot:
    setup = scene(arm)
    return MujocoRobot(setup.robot, timestep=PERIOD / SUBSTEPS[arm.kind])

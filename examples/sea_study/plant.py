# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Runs of an arm in MuJoCo: commands of three feedforwards, late, beside a PD on the motors."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

import screw_dynamics as sd
from screw_dynamics.common.arrays import Array
from screw_dynamics.kernels.drives.laws import COULOMB, COULOMB_VELOCITY, INERTIA, VISCOUS
from screw_dynamics.trajectory import PiecewisePolynomial
from sea_study.arms import STIFF, Arm
from sea_study.mujoco_robot import Followed, MujocoRobot

PERIOD = 1e-3  # s, of commands, of the PD and of the samples
FREQUENCY, DAMPING = 3.0, 0.7  # of the PD, with the inertia of rotor and link [Hz]

NAIVE, RIGID, EXACT = FEEDFORWARDS = ('naive rigid', 'rigid', 'exact')


def gains(arm: Arm) -> tuple[Array, Array]:
    """Return the gains of the PD on position and velocity, (n,) [N m/rad, N m s/rad]."""
    robot = arm.robot()
    links = np.diag(sd.mass_matrix(robot.model, np.array(arm.turn[0])))
    inertia = links + robot.motors.rows[:, INERTIA]
    omega = 2.0 * np.pi * FREQUENCY
    return omega**2 * inertia, 2.0 * DAMPING * omega * inertia


def rigid_efforts(robot: sd.Robot, jets: Array) -> Array:
    """Return the efforts (T, n) of a controller for rigid joints, with rotors and friction."""
    rows, rate = robot.motors.rows, jets[:, 1]
    known: Array = sd.inverse_dynamics(robot.model, jets[:, :3])[:, 0]
    dry = rows[:, COULOMB] * np.tanh(rate / rows[:, COULOMB_VELOCITY])
    return known + dry + rows[:, VISCOUS] * rate + rows[:, INERTIA] * jets[:, 2]


def run(
    arm: Arm,
    belief: sd.Robot,
    curve: PiecewisePolynomial,
    feedforward: str = EXACT,
    *,
    late: float = 0.0,
    lead: float = 0.0,
    rest: float = 0.0,
) -> tuple[Array, Followed]:
    """
    Return times and states of a motion and a `rest` [s] with one of `FEEDFORWARDS`.

    `belief` is the robot as the feedforward assumes it. Efforts act `late` [s], in whole periods,
    and are those of the middle of their period, `lead` [s] later.
    """
    begin, end = curve.breaks[[0, -1]]
    times = begin + PERIOD * np.arange(round((end + rest - begin) / PERIOD) + 1)
    ahead = curve.jets(times + 0.5 * PERIOD + lead - late)
    jets = curve.jets(times)
    motors = sd.elastic_feedforward(belief, jets)
    wanted = motors.motor_position, motors.motor_velocity
    if feedforward == NAIVE:
        wanted = jets[:, 0], jets[:, 1]
    if feedforward == EXACT:
        efforts = sd.elastic_feedforward(belief, ahead).motor_effort
    else:
        efforts = rigid_efforts(belief, ahead)
    return times, _followed(arm, efforts, wanted)


def _followed(arm: Arm, efforts: Array, wanted: tuple[Array, Array]) -> Followed:
    """Follow from rest on; the arguments are those of `MujocoRobot.follow`."""
    robot, pd = arm.robot(), gains(arm)
    stiffness = np.array(arm.stiffness)
    links = _rest(robot, efforts[0], wanted[0][0], pd[0], stiffness)
    still = np.zeros(robot.n)
    engine = _engine(arm)
    engine.set_state(
        links, still, links + sd.gravity_forces(robot.model, links) / stiffness, still
    )
    return engine.follow(efforts, wanted, pd, substeps=_substeps(arm))


def _rest(robot: sd.Robot, effort: Array, wanted: Array, gain: Array, stiffness: Array) -> Array:
    """Return the links (n,) where feedforward and PD hold them before the motion."""
    from scipy.optimize import root

    def unbalanced(links: Array) -> Array:
        load = sd.gravity_forces(robot.model, links)
        return effort + gain * (wanted - links - load / stiffness) - load

    return np.asarray(root(unbalanced, wanted).x)


@lru_cache(maxsize=1)
def _engine(arm: Arm) -> MujocoRobot:
    return MujocoRobot(arm.robot(), timestep=PERIOD / _substeps(arm))


def _substeps(arm: Arm) -> int:
    return 2 if arm.kind == STIFF else 1

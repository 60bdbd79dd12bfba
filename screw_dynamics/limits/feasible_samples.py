# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`motor_commands_where_feasible`: motor commands for the feasible samples of a motion."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from screw_dynamics.common.arrays import Array
from screw_dynamics.drives.deflection_filter import DeflectionFilter
from screw_dynamics.drives.feedforward import elastic_feedforward, feedforward_from_efforts
from screw_dynamics.drives.link_efforts import link_efforts
from screw_dynamics.drives.motor_feedforward import JETS, MotorFeedforward
from screw_dynamics.drives.robot import Robot
from screw_dynamics.drives.spring_deflections import as_stiffness_jets, joint_deflections
from screw_dynamics.drives.transmitted_efforts import transmitted_efforts
from screw_dynamics.errors import SpringRangeError
from screw_dynamics.kernels.drives.damped import TIME
from screw_dynamics.kernels.drives.laws import DAMPED


def motor_commands_where_feasible(
    robot: Robot,
    joint_jet: Array,
    times: Array,
    wrench_jets: Mapping[str, Array],
    stiffness_jets: Mapping[str, Array],
    deflection: Mapping[str, float] | None,
) -> tuple[Array, MotorFeedforward | None, dict[str, tuple[float, SpringRangeError]]]:
    """
    Return times (S,), motor commands and failures of a motion with `joint_jet` (T, r, n).

    S samples are feasible for every spring; the commands are None if S = 0. `failures` has, by
    joint, time [s] and error of the first effort that its spring cannot transmit.
    """
    count, elapsed = len(joint_jet), times - times[0]
    efforts = damper = None
    if robot.coupling is None:
        efforts = link_efforts(robot, joint_jet, wrench_jets)
    if robot.motors.damped_names:
        damper = DeflectionFilter(robot, rows=joint_jet.shape[1], deflection=deflection)

    def commands(part: slice) -> MotorFeedforward:
        arguments: dict[str, Any] = {
            'stiffness_jets': _of_samples(stiffness_jets, part, (count, 2)),
            'times': elapsed[part],
            'deflection': deflection if damper is None else damper,
        }
        jets = joint_jet[part]
        if efforts is not None:
            return feedforward_from_efforts(robot, jets, efforts[part], **arguments)
        wrenches = _of_samples(wrench_jets, part, (count, 3))
        return elastic_feedforward(robot, jets, wrenches, **arguments)

    failures: dict[str, tuple[float, SpringRangeError]] = {}
    feasible: list[tuple[Array, MotorFeedforward]] = []
    start, size = 0, count
    while start < count:
        part = slice(start, start + size)
        try:
            motion = commands(part)
        except SpringRangeError as error:
            if error.sample:
                # repeat the samples before the failure
                size = error.sample
                continue
            failing = {error.joint: error}
            sample = slice(start, start + 1)
            transmitted = (
                None if efforts is None else _transmitted(robot, joint_jet, efforts, sample)
            )
            if transmitted is not None:
                stiffness = _of_samples(stiffness_jets, sample, (count, 2))
                failing = _failing(robot, transmitted, stiffness)
                if damper is not None:
                    last = damper.state[0][TIME]
                    damper.step(transmitted[0], max(elapsed[start] - last, 0.0))
            for name, reason in failing.items():
                failures.setdefault(name, (float(times[start]), reason))
            start, size = start + 1, 1
        else:
            feasible.append((times[part], motion))
            start, size = start + size, 2 * size
    if not feasible:
        return np.empty(0), None, failures
    at, motions = zip(*feasible, strict=True)
    jets = {name: np.concatenate([getattr(part, name) for part in motions]) for name in JETS}
    return np.concatenate(at), replace(motions[0], **jets), failures


def _transmitted(robot: Robot, jets: Array, efforts: Array, part: slice) -> Array | None:
    """Return the transmitted efforts of some samples; None if a parallel spring has none."""
    try:
        return transmitted_efforts(robot, jets[part], efforts[part])
    except SpringRangeError:
        return None


def _failing(
    robot: Robot, efforts: Array, stiffness_jets: Mapping[str, Array]
) -> dict[str, SpringRangeError]:
    """Return, by joint, why its spring cannot transmit the efforts (1, r, n) of a sample."""
    table = robot.motors
    stiffness = as_stiffness_jets(table, stiffness_jets, efforts.shape[:2])
    failing = {}
    for j in np.flatnonzero(table.laws != DAMPED):
        try:
            joint_deflections(robot, int(j), efforts[:, :, j].copy(), stiffness, single=True)
        except SpringRangeError as error:
            failing[error.joint] = error
    return failing


def _of_samples(
    jets: Mapping[str, Array], part: slice, batch: tuple[int, int]
) -> dict[str, Array]:
    """Return the samples `part` of the jets that have `batch` = (samples, dimensions)."""
    samples, dimensions = batch
    return {
        name: jet[part] if jet.ndim == dimensions and len(jet) == samples else jet
        for name, jet in jets.items()
    }

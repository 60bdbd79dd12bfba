# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Efforts, and motor commands, along the samples of a motion."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from screw_dynamics.arrays import Array
from screw_dynamics.command_line.progress import progress
from screw_dynamics.command_line.results import MotorResults, Results
from screw_dynamics.dynamics import effort_deviations, inverse_dynamics
from screw_dynamics.elastic import ElasticJoints, elastic_feedforward
from screw_dynamics.model import ScrewModel
from screw_dynamics.trajectory import JET_ROWS, MeasuredMotion

_BLOCK = 2000  # samples between two steps of the progress bar


def evaluate(
    model: ScrewModel,
    times: Array,
    joint_jet: Array,
    order: int,
    joints: ElasticJoints | None = None,
) -> Results:
    """
    Return the efforts along a motion, and what the motors do where joints are elastic.

    Parameters
    ----------
    model : ScrewModel
    times : (T,) ndarray
        [s].
    joint_jet : (T, 5, n) ndarray
    order : int
        Highest derivative of the efforts, at most 2.
    joints : ElasticJoints, optional

    Returns
    -------
    Results

    Raises
    ------
    ScrewDynamicsError

    """
    efforts = np.empty((len(times), order + 1, model.n))
    for part in _blocks(len(times), 'efforts'):
        efforts[part] = inverse_dynamics(model, joint_jet[part, : order + 3].copy())
    motors = None if joints is None else _motors(model, joints, times, joint_jet)
    return Results(model.joint_names, times, joint_jet, efforts, motors=motors)


def evaluate_measured(
    model: ScrewModel,
    motion: MeasuredMotion,
    times: Array,
    order: int,
    joints: ElasticJoints | None = None,
) -> Results:
    """
    Return the efforts along a measured motion, with the standard deviations of everything.

    Parameters
    ----------
    model : ScrewModel
    motion : MeasuredMotion
    times : (T,) ndarray
        On the axis of the motion [s].
    order : int
        Highest derivative of the efforts, at most 2.
    joints : ElasticJoints, optional

    Returns
    -------
    Results

    Raises
    ------
    ScrewDynamicsError

    """
    rows = order + 3
    jets = motion.jets(times)
    efforts, uncertain = np.empty((2, len(times), order + 1, model.n))
    deviations = np.empty_like(jets)
    for part in _blocks(len(times), 'efforts and their uncertainty'):
        covariances = motion.covariances(times[part])
        variances = np.einsum('tnaa->tan', covariances)
        deviations[part] = np.sqrt(np.maximum(variances, 0.0))
        shortened = jets[part, :rows].copy()
        efforts[part] = inverse_dynamics(model, shortened)
        uncertain[part] = effort_deviations(model, shortened, covariances[:, :, :rows, :rows])
    motors = None if joints is None else _motors(model, joints, times, jets)
    return Results(model.joint_names, times, jets, efforts, deviations, uncertain, motors)


def _blocks(count: int, text: str) -> Iterator[slice]:
    starts = range(0, count, _BLOCK)
    return progress([slice(i, min(i + _BLOCK, count)) for i in starts], text, unit='block')


def _motors(
    model: ScrewModel, joints: ElasticJoints, times: Array, joint_jet: Array
) -> MotorResults:
    assert joint_jet.shape[1] == JET_ROWS
    found = elastic_feedforward(model, joints, joint_jet, times=times)
    rows = (
        found.motor_position,
        found.motor_velocity,
        found.motor_acceleration,
        found.motor_effort,
        found.deflection,
    )
    return MotorResults(found.motor_names, found.gear_ratios, np.stack(rows, axis=1))

# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Deflections of one joint's springs from the time derivatives of its effort."""

from __future__ import annotations

import numpy as np

from screw_dynamics.arrays import Array
from screw_dynamics.elastic.deflections import OK
from screw_dynamics.elastic.elastic_joints import ElasticJoints
from screw_dynamics.elastic.failures import raise_failure
from screw_dynamics.elastic.motor_commands import motor_commands
from screw_dynamics.elastic.motor_table import COULOMB_VELOCITY, MotorTable


def spring_jets(
    joints: ElasticJoints,
    table: MotorTable,
    joint: int,
    effort_jets: Array,
    stiffness: Array,
    *,
    single: bool,
) -> Array:
    """
    Return the deflection of each motor of an undamped joint, as jets (T, r, 1 or 2).

    `effort_jets` (T, r) with r >= 2 are transmitted to the link; `stiffness` (1 or T, r or more,
    V) comes from `as_stiffness_jets`. With `single` the error text omits the sample index. Raise
    SpringRangeError if a spring cannot transmit the effort.
    """
    samples, rows = effort_jets.shape[:2]
    count = int((table.joint_of_motor == joint).sum())
    one = slice(joint, joint + 1)
    # placeholder motors without inertia and friction
    motors = np.zeros((count, table.rows.shape[1]))
    motors[:, COULOMB_VELOCITY] = 1.0
    deflections = np.empty((samples, rows, count))
    failure = np.zeros(5)
    status = motor_commands(
        np.zeros((samples, rows, 1)),
        effort_jets.reshape(samples, rows, 1),
        np.ascontiguousarray(stiffness[:, :rows]),
        table.laws[one],
        table.offsets[one],
        table.parameters,
        table.damped[one],
        table.variable[one],
        np.zeros(1, dtype=np.int64),
        motors,
        np.empty(0),
        np.empty(0),
        np.empty((0, 0)),
        np.empty((0, 0)),
        deflections,
        np.empty((samples, rows, count)),
        np.empty((samples, rows - 2, count)),
        failure,
    )
    if status != OK:
        failure[1] = joint
        raise_failure(status, failure, table, joints, single)
    return deflections

# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Checks of stiffness trajectories."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike

from screw_dynamics.arrays import Array, as_float_array, require_finite
from screw_dynamics.elastic.elastic_joints import ElasticJoints
from screw_dynamics.elastic.failures import raise_failure
from screw_dynamics.elastic.motor_table import MotorTable
from screw_dynamics.errors import InputError, ShapeError, UnknownNameError
from screw_dynamics.kernels.springs.deflections import OK
from screw_dynamics.kernels.springs.layout import COULOMB_VELOCITY
from screw_dynamics.kernels.springs.motor_commands import motor_commands


def as_stiffness_jets(
    table: MotorTable, stiffness_jets: Mapping[str, ArrayLike] | None, shape: tuple[int, ...]
) -> Array:
    """
    Return the stiffness of the V joints that vary it and its time derivatives, (1 or T, p, V).

    `shape` is (p,) or (T, p); jets are (rows,) or (T, rows), rows >= p. Joints without a jet
    have the constant of their record. Raise UnknownNameError for a joint of fixed stiffness.
    """
    rows = shape[-1]
    if not stiffness_jets:
        return _constant(table, rows)
    jets: dict[str, Array] = {}
    if not isinstance(stiffness_jets, Mapping):
        raise InputError(
            f'stiffness_jets: expected a mapping of joint names to arrays, '
            f'got {type(stiffness_jets).__name__}'
        )
    for name, value in stiffness_jets.items():
        if name not in table.variable_names:
            raise UnknownNameError('joint of variable stiffness', name, table.variable_names)
        label = f'stiffness_jets[{name!r}]'
        array = as_float_array(label, value)
        if array.ndim < 1 or array.shape[-1] < rows or array.shape[:-1] not in ((), shape[:-1]):
            expected = ' or '.join(str((*batch, rows)) for batch in {(), shape[:-1]})
            raise ShapeError(
                label,
                f'{expected} or more rows: the stiffness up to order {rows - 1}',
                array.shape,
            )
        jets[name] = require_finite(label, array)
    batched = any(jet.ndim > 1 for jet in jets.values())
    result = np.repeat(_constant(table, rows), shape[0] if batched else 1, axis=0)
    for i, name in enumerate(table.variable_names):
        if name in jets:
            result[:, :, i] = jets[name][..., :rows]
    return result


def _constant(table: MotorTable, rows: int) -> Array:
    result = np.zeros((1, rows, len(table.stiffness)))
    result[0, 0] = table.stiffness
    return result


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

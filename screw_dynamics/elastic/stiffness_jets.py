# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Checks of stiffness trajectories."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike

from screw_dynamics.arrays import Array, as_float_array, require_finite
from screw_dynamics.elastic.motor_table import MotorTable
from screw_dynamics.errors import InputError, ShapeError, UnknownNameError


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

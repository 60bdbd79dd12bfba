# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Conversions between messages and arrays: stamps, durations, joint order by name."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from screw_dynamics.arrays import Array
from screw_dynamics.errors import InputError, ShapeError
from screw_dynamics.trajectory import TrajectoryPoint

SECOND = 1_000_000_000  # ns


class JointNamesError(InputError):
    """A list of joint names does not contain each joint of the model exactly once."""


def nanoseconds(stamp: Any) -> int:
    """Return a Time or Duration message in nanoseconds."""
    return int(stamp.sec) * SECOND + int(stamp.nanosec)


def set_stamp(stamp: Any, time: int) -> None:
    """Write a time in nanoseconds to a Time or Duration message."""
    stamp.sec, stamp.nanosec = divmod(time, SECOND)


def seconds(stamp: Any) -> float:
    """Return a Time or Duration message in seconds."""
    return float(stamp.sec) + 1e-9 * float(stamp.nanosec)


def instant_of(message: Any, now: int, max_age: float) -> int:
    """
    Return the stamp of a message with a header [ns]; stamp 0 means `now` [ns].

    Raises InputError if the stamp differs from `now` by more than `max_age` [s].
    """
    stamp = nanoseconds(message.header.stamp)
    if not stamp:
        return now
    if abs(now - stamp) > max_age * SECOND:
        raise InputError(
            f'header.stamp: expected an instant within {max_age:g} s of now ({now / SECOND:.3f}), '
            f'got {stamp / SECOND:.3f}: too old, or of another clock'
        )
    return stamp


def double_array(values: ArrayLike) -> array[float]:
    """Return values (row-major) as the array type that messages accept without element checks."""
    return array('d', np.ascontiguousarray(values, dtype=np.float64).tobytes())


def field_view(message: Any, field: str, size: int) -> Array:
    """
    Set a float64[] field of a message to its final size and return a (size,) view of its memory.

    Writing to the view changes the message, so publishing allocates nothing.
    """
    setattr(message, field, array('d', bytes(8 * size)))
    # read back: the setter may copy
    return np.frombuffer(getattr(message, field), dtype=np.float64)


def joint_order(names: Sequence[str], model_names: Sequence[str]) -> NDArray[np.intp]:
    """
    Return the index in `names` of each joint of the model, shape (n,).

    ``values[order]`` is in model order. An empty list means the order of the model. Raises
    JointNamesError unless every joint is named exactly once.
    """
    names = list(names) or list(model_names)
    expected = ', '.join(model_names)
    for i, name in enumerate(names):
        if name not in model_names:
            raise JointNamesError(
                f'joint_names[{i}]: unknown joint {name!r}, expected one of {expected}'
            )
        if name in names[:i]:
            raise JointNamesError(
                f'joint_names[{i}]: joint {name!r} is named twice, first at place '
                f'{names.index(name)}'
            )
    missing = [name for name in model_names if name not in names]
    if missing:
        raise JointNamesError(
            f'joint_names: expected all {len(model_names)} joints ({expected}), got '
            f'{len(names)}; missing: {", ".join(missing)}'
        )
    return np.array([names.index(name) for name in model_names], dtype=np.intp)


def request_row(name: str, values: Sequence[float], order: NDArray[np.intp]) -> Array:
    """
    Return an array of a request in model order, shape (n,); zeros if it is empty.

    `name` is the field, for error messages; `order` comes from `joint_order`.
    """
    if not len(values):
        return np.zeros(len(order))
    row = np.array(values, dtype=np.float64)
    if len(row) != len(order):
        raise ShapeError(name, f'({len(order)},), one value per joint', row.shape)
    ordered: Array = row[order]
    return ordered


def trajectory_points(message: Any) -> list[TrajectoryPoint]:
    """Return the points of a JointTrajectory as plain data."""
    return [
        TrajectoryPoint(
            seconds(point.time_from_start),
            point.positions,
            point.velocities,
            point.accelerations,
        )
        for point in message.points
    ]


def joint_state_rows(message: Any, names: Sequence[str]) -> tuple[Array, Array]:
    """
    Return positions and velocities (n,) of the named joints from a JointState.

    Values that the message does not contain are NaN; other joints are ignored. Raises InputError
    if the arrays of the message differ in length.
    """
    count = len(message.name)
    for field in ('position', 'velocity', 'effort'):
        got = len(getattr(message, field))
        if got not in (0, count):
            raise InputError(
                f'joint_states: expected {count} values in {field!r} (one per name) or none, '
                f'got {got}'
            )
    rows = np.full((2, len(names)), np.nan)
    places = {name: i for i, name in enumerate(message.name)}
    for j, name in enumerate(names):
        i = places.get(name)
        if i is None:
            continue
        for row, field in zip(rows, ('position', 'velocity'), strict=True):
            values = getattr(message, field)
            if len(values):
                row[j] = values[i]
    return rows[0], rows[1]

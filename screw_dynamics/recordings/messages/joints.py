# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Joint states and trajectories: messages to arrays and back."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from screw_dynamics.common.arrays import Array
from screw_dynamics.common.times import SECOND, seconds
from screw_dynamics.errors import InputError, ShapeError
from screw_dynamics.trajectory import TrajectoryPoint
from screw_dynamics.trajectory.waypoint_checks import LARGEST

_MANY = 10_000  # values from which on a copy takes longer than the calls that avoid it


def double_array(values: ArrayLike) -> array[float]:
    """Return values (row-major) as the array type that messages accept without element checks."""
    values = np.ascontiguousarray(values, dtype=np.float64)
    if values.size < _MANY:
        return array('d', values.tobytes())
    result = array('d')
    result.frombytes(values.reshape(-1).view(np.uint8).data)  # copies once
    return result


class JointNamesError(InputError):
    """A list of joint names does not contain each joint of the model exactly once."""


def joint_order(names: Sequence[str], model_names: Sequence[str]) -> NDArray[np.intp]:
    """
    Return the index in `names` of each joint of the model (n,), or raise JointNamesError.

    ``values[order]`` is in model order. An empty list means the order of the model.
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
    """Return the field `name` in model order, shape (n,); zeros if it is empty."""
    if not len(values):
        return np.zeros(len(order))
    row = np.array(values, dtype=np.float64)
    if len(row) != len(order):
        raise ShapeError(name, f'({len(order)},), one value per joint', row.shape)
    ordered: Array = row[order]
    return ordered


def joint_state_rows(message: Any, names: Sequence[str]) -> tuple[Array, Array]:
    """Return positions and velocities (n,) of a JointState, NaN if missing; raise InputError."""
    count = len(message.name)
    for field in ('position', 'velocity', 'effort'):
        got = len(getattr(message, field))
        if got not in (0, count):
            raise InputError(
                f'joint_states: expected {count} values in {field!r} (one per name) or none, '
                f'got {got}'
            )
    if len(set(message.name)) < count:
        places('joint_states', message.name, [name for name in names if name in message.name])
    positions = named_row(message.name, message.position, names)
    return positions, named_row(message.name, message.velocity, names)


def named_row(given: Sequence[str], values: Sequence[float], names: Sequence[str]) -> Array:
    """Return the values of the joints `names`, shape (n,); NaN for those that are not given."""
    row = np.full(len(names), np.nan)
    places = {name: i for i, name in enumerate(given)} if len(values) else {}
    for j, name in enumerate(names):
        i = places.get(name)
        if i is not None:
            row[j] = values[i]
    return row


def places(field: str, given: Sequence[str], names: Sequence[str]) -> list[int]:
    """Return the place of each of `names` in a field; InputError unless each is there once."""
    given = list(given)
    twice = [name for name in names if given.count(name) > 1]
    missing = [name for name in names if name not in given]
    if twice or missing:
        raise InputError(
            f'{field}: expected each of {", ".join(names)} once, got '
            f'{", ".join(given) or "none"}; '
            + (f'twice: {", ".join(twice)}' if twice else f'missing: {", ".join(missing)}')
        )
    return [given.index(name) for name in names]


def state_row(message: Any, field: str, names: Sequence[str]) -> Array:
    """Return a field of a JointState for all of `names`, shape (n,), or raise InputError."""
    values, count = getattr(message, field), len(message.name)
    if len(values) != count:
        raise InputError(f'{field}: expected {count} values, one per name, got {len(values)}')
    row: Array = np.array(values)[places('name', message.name, names)]
    require_usable(field, names, row)
    return row


def require_usable(field: str, names: Sequence[str], row: Array) -> None:
    """Raise InputError if a value of joints or motors is not finite, or too large to compute."""
    for name, value in zip(names, row.tolist(), strict=True):
        if not abs(value) <= LARGEST:  # also True for NaN
            expected = f'at most {LARGEST:g} in size' if np.isfinite(value) else 'a finite number'
            got = 'none, or nan' if np.isnan(value) else value
            raise InputError(f'{field} of {name}: expected {expected}, got {got}')


def trajectory_points(message: Any) -> list[TrajectoryPoint]:
    """Return the points of a JointTrajectory as plain data."""
    return [
        TrajectoryPoint(
            seconds(point.time_from_start), point.positions, point.velocities, point.accelerations
        )
        for point in message.points
    ]


def effort_points(
    times: Iterable[int],
    jets: Array,
    efforts: Array,
    point: Callable[..., Any],
    duration: Callable[..., Any],
    values: Callable[[Array], Any] = double_array,
) -> list[Any]:
    """
    Return the points at T `times` from start [ns], with motion and efforts (T, n).

    `point` and `duration` are the types JointTrajectoryPoint and Duration; `values` converts a row
    to the type of their arrays.
    """
    points = []
    for time, jet, effort in zip(times, jets, efforts, strict=True):
        sec, nanosec = divmod(time, SECOND)
        points.append(
            point(
                positions=values(jet[0]),
                velocities=values(jet[1]),
                accelerations=values(jet[2]),
                effort=values(effort),
                time_from_start=duration(sec=sec, nanosec=nanosec),
            )
        )
    return points

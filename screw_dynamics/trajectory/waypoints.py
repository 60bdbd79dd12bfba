# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`Waypoints`: a validated joint trajectory in model order, and its conversion from lists."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from screw_dynamics.common.arrays import Array, as_float_array, read_only_copy
from screw_dynamics.errors import InputError, ShapeError, TrajectoryError, listed, shown
from screw_dynamics.trajectory import waypoint_checks as checks
from screw_dynamics.trajectory.waypoint_checks import TrajectoryPoint

_Values: TypeAlias = Sequence[float] | Array
# a `TrajectoryPoint` is a tuple of the last kind
Point: TypeAlias = (
    tuple[float, _Values]
    | tuple[float, _Values, _Values]
    | tuple[float, _Values, _Values, _Values]
)


@dataclass(frozen=True, eq=False)
class Waypoints:
    """
    P points of n joints, in model order, at strictly increasing times >= 0.

    Parameters
    ----------
    joint_names : tuple of str
        Names of the n joints.
    times : (P,) ndarray
        Time from the start of the trajectory [s].
    positions : (P, n) ndarray
        Joint positions [rad or m].
    velocities, accelerations : (P, n) ndarray
        Derivatives [per s, per s^2]; NaN if a point has none (the interpolation may choose).

    Raises
    ------
    TrajectoryError
        If the times do not increase, or times or values exceed the bounds of
        `waypoints_from_points`.
    NotFiniteError
        If a position is not finite, or a velocity or acceleration infinite; the error names point
        and joint.
    ShapeError, InputError
        If the shapes of the arrays are inconsistent.
    """

    joint_names: tuple[str, ...]
    times: Array
    positions: Array
    velocities: Array
    accelerations: Array

    def __post_init__(self) -> None:
        """Check times and shapes, copy the arrays and make the copies read-only."""
        times = checks.check_times(self.times)
        object.__setattr__(self, 'joint_names', tuple(self.joint_names))
        for name in checks.FIELDS:
            array = read_only_copy(name, getattr(self, name))
            if array.shape != (len(times), len(self.joint_names)):
                raise ShapeError(name, str((len(times), len(self.joint_names))), array.shape)
            checks.check_values(name, array, self.joint_names)
            object.__setattr__(self, name, array)
        times.flags.writeable = False
        object.__setattr__(self, 'times', times)


def require_waypoints(waypoints: object) -> Waypoints:
    """Return waypoints; raise InputError if they are none."""
    if isinstance(waypoints, Waypoints):
        return waypoints
    raise InputError(
        'waypoints: expected Waypoints, such as waypoints_from_points returns, got '
        f'{shown(waypoints)}'
    )


def waypoints_from_points(
    joint_names: Sequence[str],
    points: Sequence[Point],
    model_joint_names: Sequence[str],
    *,
    allow_partial_joints: bool = False,
    hold_positions: Sequence[float] | Array | None = None,
    allow_nonzero_end_velocity: bool = False,
    other_joints: Mapping[str, str] | None = None,
) -> Waypoints:
    """
    Check the points of a joint trajectory and return them in model order, as `Waypoints`.

    The rules and texts follow joint_trajectory_controller; non-finite numbers, duplicate names,
    negative times and accelerations without velocities, which it accepts, are also rejected. To
    prevent overflow, time steps must be at least 1e-10 s, the last time at most 1e10 s, and
    positions, velocities and accelerations at most 1e100 in size.

    Parameters
    ----------
    joint_names : sequence of str
        Joints of the trajectory, in the order of its values.
    points : sequence of TrajectoryPoint or tuple
        Time and positions, and if present velocities and accelerations; each (n,) array_like.
    model_joint_names : sequence of str
        Joints of the result, in its order.
    allow_partial_joints : bool
        Accept a trajectory that leaves out joints; these stay at `hold_positions`.
    hold_positions : (n,) sequence of float, optional
        In model order; only the entries of joints that the trajectory leaves out are read.
    allow_nonzero_end_velocity : bool
        Accept a last point that moves. The reference then stops instantly at the end: the
        velocity jumps to 0, and the effort is not continuous.
    other_joints : mapping of str to str, optional
        Joints that exist but cannot be commanded, with the reason, for example
        ``{'finger_2': 'a mimic joint'}``; used in the error text.

    Raises
    ------
    TrajectoryError
        If a check fails; the error names the point (counted from 0) and the joint.

    Examples
    --------
    >>> from screw_dynamics.trajectory import waypoints_from_points
    >>> w = waypoints_from_points(['b', 'a'], [(0.0, [2.0, 1.0]), (1.0, [4.0, 3.0])], ['a', 'b'])
    >>> w.positions
    array([[1., 2.],
           [3., 4.]])
    """
    names = tuple(model_joint_names)
    missing = checks.check_joint_names(
        joint_names, names, allow_partial_joints, dict(other_joints or {})
    )
    given = _points(points)
    checks.check_sizes(len(joint_names), given)
    times = checks.check_times([point.time_from_start for point in given])

    columns = [names.index(name) for name in joint_names]
    values = np.full((3, len(given), len(names)), np.nan)
    for field, target in zip(checks.FIELDS, values, strict=True):
        for i, point in enumerate(given):
            row = getattr(point, field)
            if len(row):
                target[i, columns] = checks.finite_row(field, i, row, joint_names)
    positions, velocities, accelerations = values
    if missing:
        held = [names.index(name) for name in missing]
        positions[:, held] = _held(hold_positions, names, missing)[held]
        velocities[:, held] = accelerations[:, held] = 0.0
    if not allow_nonzero_end_velocity:
        checks.check_end_velocity(velocities[-1], names)
        velocities[-1] = np.where(np.isnan(velocities[-1]), np.nan, 0.0)
    return Waypoints(names, times, positions, velocities, accelerations)


def _points(points: Sequence[Point]) -> list[TrajectoryPoint]:
    """Return the points as `TrajectoryPoint`, or raise TrajectoryError."""
    if not isinstance(points, Iterable):
        raise TrajectoryError(f'points: expected a sequence of points, got {shown(points)}')
    found = []
    for i, point in enumerate(points):
        try:
            found.append(TrajectoryPoint(*point))
        except TypeError:
            raise TrajectoryError(
                f'Point #{i}: expected time_from_start, positions and, if present, '
                f'velocities and accelerations, got {shown(point)}'
            ) from None
    return found


def _held(
    hold_positions: Sequence[float] | Array | None,
    names: tuple[str, ...],
    missing: Collection[str],
) -> Array:
    """Return the positions to hold, or raise TrajectoryError if one is unknown or not finite."""
    if hold_positions is None:
        raise TrajectoryError(
            f'the trajectory leaves out {listed(missing)}: expected positions to hold, '
            f'but none are known'
        )
    held = as_float_array('hold_positions', hold_positions)
    if held.shape != (len(names),):
        raise TrajectoryError(f'hold_positions: expected {len(names)} values, got {held.shape}')
    for name in missing:
        value = held[names.index(name)]
        if not abs(value) <= checks.LARGEST:
            raise TrajectoryError(
                f'the trajectory leaves out {name}: expected a finite position to hold, '
                f'at most {checks.LARGEST:g} in size, got {value}'
            )
    return held

# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Points of JointTrajectory messages."""

from collections.abc import Callable, Iterable
from typing import Any

from screw_dynamics.arrays import Array
from screw_dynamics.messages.joints import double_array
from screw_dynamics.messages.times import SECOND, seconds
from screw_dynamics.trajectory import TrajectoryPoint


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


def effort_points(
    times: Iterable[int],
    jets: Array,
    efforts: Array,
    point: Callable[..., Any],
    duration: Callable[..., Any],
    values: Callable[[Array], Any] = double_array,
) -> list[Any]:
    """
    Return the points of a trajectory sampled at T `times` from start [ns].

    Rows 0 to 2 of `jets` (T, rows, n) are used; `efforts` (T, n) are in N m or N. `point` and
    `duration` are the message types JointTrajectoryPoint and Duration; `values` converts a row to
    the type of their arrays.
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

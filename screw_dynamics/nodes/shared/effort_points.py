# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Points of a JointTrajectory with efforts."""

from __future__ import annotations

from collections.abc import Iterable

from trajectory_msgs.msg import JointTrajectoryPoint

from screw_dynamics.arrays import Array
from screw_dynamics.nodes.shared.conversions import double_array, set_stamp


def effort_points(times: Iterable[int], jets: Array, efforts: Array) -> list[JointTrajectoryPoint]:
    """
    Return the points of a trajectory sampled at T `times` from start [ns].

    Rows 0 to 2 of `jets` (T, rows, n) are used; `efforts` (T, n) are in N m or N.
    """
    points = []
    for time, jet, effort in zip(times, jets, efforts, strict=True):
        point = JointTrajectoryPoint(
            positions=double_array(jet[0]),
            velocities=double_array(jet[1]),
            accelerations=double_array(jet[2]),
            effort=double_array(effort),
        )
        set_stamp(point.time_from_start, time)
        points.append(point)
    return points

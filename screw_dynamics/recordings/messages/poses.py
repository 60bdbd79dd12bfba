# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Poses with stamps, as of nav_msgs/Path, to waypoints of a frame."""

from __future__ import annotations

from typing import Any

import numpy as np

from screw_dynamics.common.times import SECOND, nanoseconds
from screw_dynamics.errors import TrajectoryError, shown
from screw_dynamics.trajectory.cartesian import PoseWaypoints

_LONGEST = 10_000_000  # s, about four months: later times from start are instants of a clock


def path_times(message: Any) -> list[float]:
    """Return the time from start of each pose, its stamp less that of the message [s]."""
    start = nanoseconds(message.header.stamp)
    return [(nanoseconds(pose.header.stamp) - start) / SECOND for pose in message.poses]


def path_waypoints(message: Any, frame: str, base_link: str) -> PoseWaypoints:
    """
    Return the poses of a message as waypoints of a frame; raise TrajectoryError for invalid ones.

    They must be in the frame of the base link: nothing is transformed. A pose without frame_id is
    in that of the message.
    """
    if not message.poses:
        raise TrajectoryError('poses: expected at least one, got none')
    times = path_times(message)
    headers = {f'pose #{i}, ': pose.header.frame_id for i, pose in enumerate(message.poses)}
    named = {where: frame_id for where, frame_id in headers.items() if frame_id}
    for where, frame_id in {'': message.header.frame_id, **named}.items():
        if frame_id != base_link:
            raise TrajectoryError(
                f'{where}header.frame_id: expected {base_link}, the base link (poses are not '
                f'transformed), got {shown(frame_id)}'
            )
    for i, time in enumerate(times):
        if not 0.0 <= time <= _LONGEST:
            raise TrajectoryError(
                f'pose #{i}, header.stamp: expected 0 to {_LONGEST} s after that of the path (a '
                f'time from the start if that is 0), got {time:g} s after it'
            )
    points = [pose.pose.position for pose in message.poses]
    turns = [pose.pose.orientation for pose in message.poses]
    return PoseWaypoints(
        frame,
        np.array(times),
        np.array([[p.x, p.y, p.z] for p in points]),
        np.array([[q.x, q.y, q.z, q.w] for q in turns]),
    )

# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Motion of the demo: a 7-joint arm swings out to both sides and returns."""

from __future__ import annotations

from screw_dynamics.trajectory import TrajectoryPoint

# Only positions, so that the interpolation determines all derivatives; at rest at both ends.
WAYPOINTS = (
    TrajectoryPoint(0.0, (0.0, 0.5, 0.0, -1.5, 0.0, 0.9, 0.0), (0.0,) * 7),
    TrajectoryPoint(1.7, (0.8, 1.2, -0.4, -1.0, -0.9, 0.3, -1.3)),
    TrajectoryPoint(3.1, (1.5, 0.8, -1.5, -1.6, -1.6, 1.2, -0.2)),
    TrajectoryPoint(4.6, (0.2, 0.3, -0.6, -1.9, 0.4, 1.6, 1.5)),
    TrajectoryPoint(6.2, (-1.1, 1.1, 1.1, -0.9, 1.7, 0.5, 0.6)),
    TrajectoryPoint(8.0, (0.0, 0.5, 0.0, -1.5, 0.0, 0.9, 0.0), (0.0,) * 7),
)


def waypoints_until(duration: float) -> tuple[TrajectoryPoint, ...]:
    """Return the motion, scaled in time to `duration` [s]."""
    ratio = duration / WAYPOINTS[-1].time_from_start
    return tuple(
        point._replace(time_from_start=ratio * point.time_from_start) for point in WAYPOINTS
    )

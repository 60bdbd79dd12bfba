# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Acceptance of goals by the rules of joint_trajectory_controller."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from screw_dynamics.control.feedforward_parameters import FeedforwardParameters
from screw_dynamics.messages.times import SECOND, nanoseconds

_SLOWEST = 1.2e-7  # rad/s or m/s; an end velocity up to it counts as 0, as in the controller


def goal_refusal(
    trajectory: Any, joint_names: Sequence[str], parameters: FeedforwardParameters, now: int
) -> str:
    """Return why the controller would reject a goal at `now` [ns]; empty if it would accept it."""
    names, points = trajectory.joint_names, trajectory.points
    if not names or not (parameters.allow_partial_joints or len(names) == len(joint_names)):
        return f'joint_names: expected {", ".join(joint_names)}, got {", ".join(names) or "none"}'
    if not points:
        return 'points: expected at least one, got none'
    for name in names:
        if name not in joint_names:
            return f'joint_names: expected only {", ".join(joint_names)}, got {name!r}'
    moving = [v for v in points[-1].velocities if abs(v) > _SLOWEST]
    if moving and not parameters.allow_nonzero_velocity_at_end:
        return f'points[{len(points) - 1}].velocities: expected 0 at the end, got {moving[0]:g}'
    times = [nanoseconds(point.time_from_start) for point in points]
    stamp = nanoseconds(trajectory.header.stamp)
    if stamp and stamp + times[-1] < now:
        return f'header.stamp: it ends in the past, {(now - stamp - times[-1]) / SECOND:.3f} s ago'
    for i, (earlier, later) in enumerate(pairwise(times)):
        if later <= earlier:
            return (
                f'points[{i + 1}].time_from_start: expected more than that of the point before, '
                f'{earlier / SECOND:g} s, got {later / SECOND:g} s'
            )
    for i, point in enumerate(points):
        for field, optional in (('positions', 0), ('velocities', 1), ('accelerations', 1)):
            count = len(getattr(point, field))
            if count != len(names) and not (optional and not count):
                return f'points[{i}].{field}: expected {len(names)} values, got {count}'
    return ''

# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Checks of a JointTrajectory and its fit to a curve."""

from functools import partial
from typing import Any

import numpy as np
from rclpy.serialization import deserialize_message
from std_msgs.msg import Header
from trajectory_msgs.msg import JointTrajectory

from screw_dynamics.arrays import Array
from screw_dynamics.errors import TrajectoryError
from screw_dynamics.messages.joints import trajectory_points
from screw_dynamics.messages.times import nanoseconds, seconds
from screw_dynamics.nodes.feedforward.fitting.slowing import require_guarded, slowed
from screw_dynamics.nodes.feedforward.fitting.tasks import (
    Fit,
    FitRobot,
    Fitting,
    Heading,
    Outline,
    Reading,
)
from screw_dynamics.nodes.shared.limit_checks import LimitError, check_curve
from screw_dynamics.reference.interpolation import INTERPOLATIONS
from screw_dynamics.trajectory import (
    JET_ROWS,
    Waypoints,
    check_position_limits,
    nearest_turn,
    require_end_in_future,
    waypoints_from_points,
)


class TooLongError(TrajectoryError):
    """A message has more points than are allowed."""

    def __init__(self, outline: Outline, most_points: int) -> None:
        super().__init__(
            f'expected at most {most_points} points (parameter max_trajectory_points), '
            f'got {outline.points}'
        )
        self.outline = outline


def read_message(reading: Reading) -> JointTrajectory:
    """Return the decoded message; raise TrajectoryError if it is invalid or too long."""
    try:
        message = deserialize_message(reading.data, JointTrajectory)
    except Exception as error:  # rclpy raises RuntimeError, and other types for strings
        raise TrajectoryError(
            f'expected a trajectory_msgs/JointTrajectory, got {len(reading.data)} bytes that '
            f'cannot be decoded ({str(error).splitlines()[0][:200]})'
        ) from None
    if len(message.points) > reading.most_points:
        raise TooLongError(outline(message), reading.most_points)
    return message


def heading(data: bytes) -> Heading | None:
    """Return the header of a message without reading its points; None if it cannot be decoded."""
    try:
        header = deserialize_message(data, Header)
        return Heading(nanoseconds(header.stamp), header.frame_id)
    except Exception:  # as above
        return None


def outline(message: Any) -> Outline:
    """Return the data of a message that `Plan` needs, without its points."""
    return Outline(
        nanoseconds(message.header.stamp),
        message.header.frame_id,
        tuple(message.joint_names),
        len(message.points),
        seconds(message.points[0].time_from_start) if message.points else 0.0,
        seconds(message.points[-1].time_from_start) if message.points else 0.0,
    )


def fit(message: Any, used: FitRobot, task: Fitting) -> Fit:
    """Check a message and return its curve; raise TrajectoryError for a violated rule or limit."""
    parameters, join, limits = task.parameters, task.join, used.robot.model.limits
    waypoints = waypoints_from_points(
        message.joint_names,
        trajectory_points(message),
        used.robot.joint_names,
        allow_partial_joints=parameters.allow_partial_joints,
        hold_positions=task.hold_positions,
        allow_nonzero_end_velocity=parameters.allow_nonzero_velocity_at_end,
        other_joints=used.uncontrolled_joints,
    )
    if nanoseconds(message.header.stamp):
        require_end_in_future(waypoints, 1e-9 * join.start, 1e-9 * task.received)
    beyond = check_position_limits(waypoints, limits.lower, limits.upper, parameters.check_limits)
    more = f' (and {len(beyond) - 1} more)' if len(beyond) > 1 else ''
    warnings = [f'{beyond[0]}{more}'] if beyond else []
    jet = _first_point(waypoints) if task.from_first_point else join.jet
    if jet is not None:
        jet = nearest_turn(jet, waypoints, used.continuous)
    interpolation = INTERPOLATIONS[parameters.interpolation]
    guarded_speed = max(task.speed, 1.0)  # a robot that is slowed down now returns to it
    if parameters.output_guard == 'slow':
        joined_at = partial(interpolation.join, time=join.elapsed, jet=jet)
        slow = slowed(used.robot, waypoints, joined_at, guarded_speed)
        _, waypoints, joined, curve, _ = slow
        warnings += [str(slow)] if slow.limiting else []
    else:
        joined, curve = interpolation.join(waypoints, join.elapsed, jet)
    if parameters.output_guard == 'stop':
        require_guarded(used.robot, curve, joined, guarded_speed)
    try:
        text = check_curve(
            used.robot,
            curve,
            joined,
            parameters.check_limits,
            task.speed,
            # reported between the points only if the points themselves are within the limits
            positions=not beyond,
        )
    except LimitError as error:
        raise TrajectoryError(str(error)) from None
    return Fit(waypoints, joined, curve, (*warnings, text) if text else tuple(warnings))


def _first_point(waypoints: Waypoints) -> Array | None:
    """Return the state at rest at the first point; None if the curve starts there already."""
    if waypoints.times[0] == 0.0:
        return None
    jet = np.zeros((JET_ROWS, len(waypoints.joint_names)))
    jet[0] = waypoints.positions[0]
    return jet

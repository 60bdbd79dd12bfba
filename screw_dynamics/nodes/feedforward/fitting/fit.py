# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Checks of a JointTrajectory, or a Path of poses, and its fit to a curve."""

from typing import Any

import numpy as np
from rclpy.serialization import deserialize_message
from std_msgs.msg import Header
from trajectory_msgs.msg import JointTrajectory

from screw_dynamics.arrays import Array
from screw_dynamics.control.limit_checks import LimitError, check_curve, points_text
from screw_dynamics.errors import TrajectoryError
from screw_dynamics.messages.joints import trajectory_points
from screw_dynamics.messages.poses import path_times
from screw_dynamics.messages.times import nanoseconds, seconds
from screw_dynamics.nodes.feedforward.fitting.pose_fit import PoseMotions
from screw_dynamics.nodes.feedforward.fitting.slowing import require_guarded, slowed
from screw_dynamics.nodes.feedforward.fitting.tasks import (
    Fit,
    FitRobot,
    Fitting,
    Heading,
    Outline,
    Reading,
)
from screw_dynamics.reference.interpolation import INTERPOLATIONS
from screw_dynamics.trajectory import (
    JET_ROWS,
    PiecewisePolynomial,
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


def read_message(reading: Reading) -> Any:
    """Return the decoded message; raise TrajectoryError if it is invalid or too long."""
    kind, name = JointTrajectory, 'trajectory_msgs/JointTrajectory'
    if reading.poses:
        from nav_msgs.msg import Path  # an optional package

        kind, name = Path, 'nav_msgs/Path'
    try:
        message = deserialize_message(reading.data, kind)
    except Exception as error:  # rclpy raises RuntimeError, and other types for strings
        raise TrajectoryError(
            f'expected a {name}, got {len(reading.data)} bytes that cannot be decoded '
            f'({str(error).splitlines()[0][:200]})'
        ) from None
    known = outline(message)
    if known.points > reading.most_points:
        raise TooLongError(known, reading.most_points)
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
    if hasattr(message, 'poses'):
        names, times = (), path_times(message)
    else:
        names = tuple(message.joint_names)
        times = [seconds(point.time_from_start) for point in message.points]
    stamp, frame_id = nanoseconds(message.header.stamp), message.header.frame_id
    first, last = (times[0], times[-1]) if times else (0.0, 0.0)
    return Outline(stamp, frame_id, names, len(times), first, last)


class JointMotions:
    """Motions through the points of a message that begin at the join of a task."""

    def __init__(self, message: Any, used: FitRobot, task: Fitting) -> None:
        parameters, limits = task.parameters, used.robot.model.limits
        self.waypoints = self.knots = waypoints_from_points(
            message.joint_names,
            trajectory_points(message),
            used.robot.joint_names,
            allow_partial_joints=parameters.allow_partial_joints,
            hold_positions=task.hold_positions,
            allow_nonzero_end_velocity=parameters.allow_nonzero_velocity_at_end,
            other_joints=used.uncontrolled_joints,
        )
        beyond = check_position_limits(
            self.waypoints, limits.lower, limits.upper, parameters.check_limits
        )
        self.warnings = (points_text(beyond),) if beyond else ()
        jet = _first_point(self.waypoints) if task.from_first_point else task.join.jet
        self._jet = None if jet is None else nearest_turn(jet, self.waypoints, used.continuous)
        self._interpolation = INTERPOLATIONS[parameters.interpolation]
        self._elapsed = task.join.elapsed

    def join(self, waypoints: Waypoints) -> tuple[float, PiecewisePolynomial]:
        """Return the time from start at which the motion begins [s], and its curve from 0 on."""
        self.knots = waypoints
        return self._interpolation.join(waypoints, self._elapsed, self._jet)


def fit(message: Any, used: FitRobot, task: Fitting) -> Fit:
    """Check a message and return its curve; raise TrajectoryError for a violated rule or limit."""
    parameters = task.parameters
    of_poses = hasattr(message, 'poses')
    motions: Any = (PoseMotions if of_poses else JointMotions)(message, used, task)
    if nanoseconds(message.header.stamp):
        require_end_in_future(motions.waypoints, 1e-9 * task.join.start, 1e-9 * task.received)
    warnings = motions.warnings
    guarded_speed = max(task.speed, 1.0)  # a robot that is slowed down now returns to it
    if parameters.output_guard == 'slow':
        slow = slowed(used.robot, motions.waypoints, motions.join, guarded_speed)
        joined, curve = slow.joined, slow.curve
        warnings = (*warnings, str(slow)) if slow.limiting else warnings
    else:
        joined, curve = motions.join(motions.waypoints)
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
            positions=not motions.warnings,
        )
    except LimitError as error:
        raise TrajectoryError(str(error)) from None
    return Fit(motions.knots, joined, curve, (*warnings, text) if text else warnings)


def _first_point(waypoints: Waypoints) -> Array | None:
    """Return the state at rest at the first point; None if the curve starts there already."""
    if waypoints.times[0] == 0.0:
        return None
    jet = np.zeros((JET_ROWS, len(waypoints.joint_names)))
    jet[0] = waypoints.positions[0]
    return jet

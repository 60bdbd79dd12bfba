# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Checks of a JointTrajectory, or a Path of poses, and its fit to a curve within limits."""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from screw_dynamics.common.arrays import Array
from screw_dynamics.common.times import nanoseconds, seconds
from screw_dynamics.control.fit_requests import Fit, Fitting, Others, Outline
from screw_dynamics.control.limit_checks import check_curve
from screw_dynamics.control.slowing import retimed, slowed
from screw_dynamics.errors import TrajectoryError
from screw_dynamics.recordings.messages.joints import trajectory_points
from screw_dynamics.recordings.messages.poses import path_times, path_waypoints
from screw_dynamics.trajectory import (
    JET_ROWS,
    PiecewisePolynomial,
    Waypoints,
    check_position_limits,
    nearest_turn,
    require_end_in_future,
    waypoints_from_points,
)
from screw_dynamics.trajectory.cartesian import PoseWaypoints, cartesian_trajectory
from screw_dynamics.trajectory.reference.interpolation import INTERPOLATIONS

MOST_POINTS = 20_000  # of a trajectory
LEAST_TIME = 1e-4  # s between points


def outline(message: Any) -> Outline:
    """Return the data that a plan needs; raise TrajectoryError for too many points."""
    if hasattr(message, 'poses'):
        names, times = (), path_times(message)
    else:
        names = tuple(message.joint_names)
        times = [seconds(point.time_from_start) for point in message.points]
    if len(times) > MOST_POINTS:
        raise TrajectoryError(f'expected at most {MOST_POINTS} points, got {len(times)}')
    stamp, frame_id = nanoseconds(message.header.stamp), message.header.frame_id
    first, last = (times[0], times[-1]) if times else (0.0, 0.0)
    return Outline(stamp, frame_id, names, len(times), first, last)


class JointMotions:
    """Motions through the points of a message that begin at the join of a task."""

    def __init__(self, message: Any, task: Fitting) -> None:
        parameters, model = task.parameters, task.robot.model
        self.waypoints = self.knots = waypoints_from_points(
            message.joint_names,
            trajectory_points(message),
            model.joint_names,
            allow_partial_joints=parameters.allow_partial_joints,
            hold_positions=task.hold_positions,
            allow_nonzero_end_velocity=parameters.allow_nonzero_velocity_at_end,
            other_joints=task.uncontrolled_joints,
        )
        _require_time(self.waypoints.times)
        if parameters.limits != 'off':
            check_position_limits(self.waypoints, model.limits.lower, model.limits.upper, 'reject')
        jet = _first_point(self.waypoints) if task.from_first_point else task.join.jet
        self._jet = None if jet is None else nearest_turn(jet, self.waypoints, task.continuous)
        self._interpolation = INTERPOLATIONS[parameters.interpolation]
        self._elapsed = task.join.elapsed

    def join(self, waypoints: Waypoints) -> tuple[float, PiecewisePolynomial]:
        """Return the time from start at which the motion begins [s], and its curve from 0 on."""
        self.knots = waypoints
        return self._interpolation.join(waypoints, self._elapsed, self._jet)


def fit(message: Any, task: Fitting) -> Fit:
    """Check a message and return its curve; raise TrajectoryError for a violated rule or limit."""
    parameters, robot = task.parameters, task.robot
    of_poses = hasattr(message, 'poses')
    motions: Any = (PoseMotions if of_poses else JointMotions)(message, task)
    if nanoseconds(message.header.stamp):
        require_end_in_future(motions.waypoints, 1e-9 * task.join.start, 1e-9 * task.received)
    speed = max(task.speed, 1.0)  # a robot that is slowed down now returns to it
    warnings: tuple[str, ...] = ()
    if task.retimes:
        joined, curve = motions.join(motions.waypoints)
        fast, motions.knots = retimed(robot, curve, joined, speed)
        warnings = (f'retimed to take {fast.duration / curve.duration:.4g} times as long',)
        curve = fast
    elif parameters.limits in ('slow', 'retime'):
        slow = slowed(robot, motions.waypoints, motions.join, speed)
        joined, curve = slow.joined, slow.curve
        warnings = (str(slow),) if slow.limiting else ()
    else:
        joined, curve = motions.join(motions.waypoints)
    partial = task.others is not None
    if task.others is not None:
        left_out = ~np.isin(robot.joint_names, message.joint_names)
        curve = with_others(curve, task.others, left_out)
    check_curve(robot, curve, joined, parameters.limits, speed)
    return Fit(motions.knots, joined, curve, warnings, partial, slowed=bool(warnings))


def _require_time(times: Array) -> None:
    """Raise TrajectoryError for points so close that a motion between them is a step."""
    short = np.flatnonzero(np.diff(times) < LEAST_TIME)
    if len(short):
        i = int(short[0])
        raise TrajectoryError(
            f'points[{i + 1}].time_from_start: expected at least {LEAST_TIME:g} s after the point '
            f'before, got {times[i + 1] - times[i]:g} s'
        )


def _first_point(waypoints: Waypoints) -> Array | None:
    """Return the state at rest at the first point; None if the curve starts there already."""
    if waypoints.times[0] == 0.0:
        return None
    jet = np.zeros((JET_ROWS, len(waypoints.joint_names)))
    jet[0] = waypoints.positions[0]
    return jet


class PoseMotions:
    """Motions through the poses of a message that begin at the join of a task."""

    def __init__(self, message: Any, task: Fitting) -> None:
        self._model, self._begin = task.robot.model, task.join.elapsed
        self.waypoints = path_waypoints(
            message, task.parameters.cartesian_frame, self._model.base_link
        )
        self.knots: Waypoints  # of the last motion
        if task.from_first_point:
            raise TrajectoryError(
                "start_state is 'first_point': expected reference or joint_states, because poses "
                'leave the joint positions open'
            )
        if (jet := task.join.jet) is None:
            raise TrajectoryError(
                'no state to start from is known: expected a running reference, or joint_states'
            )
        self._jet = jet

    def join(self, waypoints: PoseWaypoints) -> tuple[float, PiecewisePolynomial]:
        """Return the time from start at which the motion begins [s], and its curve from 0 on."""
        motion = cartesian_trajectory(
            self._model, waypoints, self._jet, begin=self._begin, limited=False
        )
        self.knots, curve = motion.knots, motion.curve
        return self._begin, PiecewisePolynomial(
            curve.breaks - self._begin, curve.coefficients, curve.end, curve.continuity
        )


_SAME = 1e-9  # s between two breaks that are one


def with_others(
    curve: PiecewisePolynomial, others: Others, left_out: NDArray[np.bool_]
) -> PiecewisePolynomial:
    """Return a curve whose joints `left_out` (n,) follow another one from its time on."""
    shift = others.time - float(curve.breaks[0])
    running = others.curve
    later = running.breaks - shift
    breaks = np.union1d(curve.breaks, later[later > curve.breaks[0]])
    breaks = breaks[np.diff(breaks, prepend=-np.inf) > _SAME]
    degree = max(curve.coefficients.shape[1], running.coefficients.shape[1])
    coefficients = np.zeros((len(breaks) - 1, degree, len(left_out)))
    for source, columns, offset in ((curve, ~left_out, 0.0), (running, left_out, shift)):
        part = _refined(source, breaks + offset)
        coefficients[:, : part.shape[1], columns] = part[:, :, columns]
    end = np.where(left_out, running.end, curve.end)
    continuity = min(curve.continuity, running.continuity)
    return PiecewisePolynomial(breaks, coefficients, end, continuity)


def _refined(curve: PiecewisePolynomial, breaks: Array) -> Array:
    """Return the coefficients of a curve, and of the holds around it, between finer breaks."""
    segment = np.searchsorted(curve.breaks, 0.5 * (breaks[:-1] + breaks[1:]), side='right') - 1
    powers = np.arange(curve.coefficients.shape[1])
    # breaks may differ by rounding; before the first one the start is held
    least = np.where(segment < 0, -np.inf, curve.breaks[segment])
    jets = curve.jets(np.maximum(breaks[:-1], least), len(powers))
    scales = np.diff(breaks)[:, np.newaxis] ** powers / [math.factorial(k) for k in powers]
    refined: Array = jets * scales[:, :, np.newaxis]
    return refined

# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""A JointTrajectory, or a Path of poses, read, planned, fitted within limits and sampled."""

import math
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from screw_dynamics.common.arrays import Array
from screw_dynamics.common.times import nanoseconds, seconds
from screw_dynamics.control.forwarding import forwarding_period, sampled
from screw_dynamics.control.limit_checks import check_curve
from screw_dynamics.control.slowing import retimed, slowed
from screw_dynamics.control.tasks import (
    MOST_FORWARDED,
    Answer,
    Fit,
    Fitted,
    Plan,
    Rejection,
    RemainingJoints,
    Summary,
)
from screw_dynamics.control.trajectory_plan import delivery_time, fit_delay, plan
from screw_dynamics.errors import ScrewDynamicsError, TrajectoryError
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


def answer(message: Any, task: Fit) -> Answer:
    """Return the answer to a task; it depends on the task and its message alone."""
    found = None
    try:
        found = summary(message)
        if task.resamples:
            return sampled(task, found, task.running.reference)
        ahead = delivery_time(task, found)
        chosen = plan(task, found, ahead, fit_delay(task, found, ahead))
        fitted = fit(message, task, found, chosen)
        return with_samples(fitted, task) if task.forwards else fitted
    except ScrewDynamicsError as error:
        return Rejection(str(error), found)


def summary(message: Any) -> Summary:
    """Return what a plan needs to know; raise TrajectoryError for too many points."""
    if hasattr(message, 'poses'):
        names, times = (), path_times(message)
    else:
        names = tuple(message.joint_names)
        times = [seconds(point.time_from_start) for point in message.points]
    if len(times) > MOST_POINTS:
        raise TrajectoryError(f'expected at most {MOST_POINTS} points, got {len(times)}')
    stamp, frame_id = nanoseconds(message.header.stamp), message.header.frame_id
    first, last = (times[0], times[-1]) if times else (0.0, 0.0)
    return Summary(stamp, frame_id, names, len(times), first, last)


class JointMotions:
    """Motions through the points of a message that begin at the planned join."""

    def __init__(self, message: Any, task: Fit, plan: Plan) -> None:
        reference, _, _, parameters, robot, others, _ = task.running
        model = robot.model
        self.waypoints = self.knots = waypoints_from_points(
            message.joint_names,
            trajectory_points(message),
            model.joint_names,
            allow_partial_joints=parameters.allow_partial_joints,
            hold_positions=plan.hold_positions,
            allow_nonzero_end_velocity=parameters.allow_nonzero_velocity_at_end,
            other_joints=others,
        )
        _require_time(self.waypoints.times)
        if parameters.limits != 'off':
            check_position_limits(self.waypoints, model.limits.lower, model.limits.upper, 'reject')
        first = parameters.start_state == 'first_point'
        jet = _first_point(self.waypoints) if first else plan.join.jet
        turning = reference.continuous
        self._jet = None if jet is None else nearest_turn(jet, self.waypoints, turning)
        self._interpolation = INTERPOLATIONS[parameters.interpolation]
        self._elapsed = plan.join.elapsed

    def join(self, waypoints: Waypoints) -> tuple[float, PiecewisePolynomial]:
        """Return the time from start at which the motion begins [s], and its curve from 0 on."""
        self.knots = waypoints
        return self._interpolation.join(waypoints, self._elapsed, self._jet)


def fit(message: Any, task: Fit, found: Summary, plan: Plan) -> Fitted:
    """Check a message and fit its curve; raise TrajectoryError for a violated rule or limit."""
    reference, _, _, parameters, robot, _, _ = task.running
    of_poses = task.arrival.message.poses
    motions: Any = (PoseMotions if of_poses else JointMotions)(message, task, plan)
    if found.stamp:
        start, received = 1e-9 * plan.join.start, 1e-9 * task.arrival.received
        require_end_in_future(motions.waypoints, start, received)
    speed = max(reference.speed, 1.0)  # a robot that is slowed down now returns to it
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
    if plan.remaining is not None:
        left_out = ~np.isin(robot.joint_names, message.joint_names)
        curve = with_remaining(curve, plan.remaining, left_out)
    check_curve(robot, curve, joined, parameters.limits, speed)
    return Fitted(found, plan, motions.knots, joined, curve, warnings, slowed=bool(warnings))


def with_samples(fitted: Fitted, task: Fit) -> Fitted:
    """Return a fit with its samples for a controller, and a warning if they are sparse."""
    running, plan = task.running, fitted.plan
    reference = running.reference.copy(running.now)
    rests = reference.rests(plan.join.begin)
    reference.follow(plan.join, fitted.waypoints, fitted.joined, fitted.curve)
    if plan.floating and rests:
        reference.hold_back()  # its time is not known yet
    warnings, usual = fitted.warnings, running.parameters.resample_period
    if (period := forwarding_period(reference.newest, usual)) > usual:
        more = f'more than {MOST_FORWARDED} else'
        warnings = (*warnings, f'forwarded with points {period:.3g} s apart: {more}')
    samples = sampled(task, fitted.summary, reference)
    return replace(fitted, warnings=warnings, samples=samples)


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
    """Motions through the poses of a message that begin at the planned join."""

    def __init__(self, message: Any, task: Fit, plan: Plan) -> None:
        parameters = task.running.parameters
        self._model, self._begin = task.running.robot.tree, plan.join.elapsed
        self.waypoints = path_waypoints(message, parameters.cartesian_frame, self._model.base_link)
        self.knots: Waypoints  # of the last motion
        if parameters.start_state == 'first_point':
            raise TrajectoryError(
                "start_state is 'first_point': expected reference or joint_states, because poses "
                'leave the joint positions open'
            )
        if (jet := plan.join.jet) is None:
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


def with_remaining(
    curve: PiecewisePolynomial, remaining: RemainingJoints, left_out: NDArray[np.bool_]
) -> PiecewisePolynomial:
    """Return a curve whose joints `left_out` (n,) follow another one from its time on."""
    shift = remaining.time - float(curve.breaks[0])
    running = remaining.curve
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

# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Efforts of recorded trajectories, followed as a controller would have followed them."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from screw_dynamics.common.arrays import Array
from screw_dynamics.common.progress import progress
from screw_dynamics.common.times import SECOND, nanoseconds
from screw_dynamics.drives.robot import Robot
from screw_dynamics.errors import BagError, RecordingWarning, TrajectoryError
from screw_dynamics.limits.degrees import require_radians
from screw_dynamics.model import RobotModel
from screw_dynamics.recordings.messages.joints import effort_points
from screw_dynamics.recordings.motions.trajectories import (
    curve_through,
    message_waypoints,
    origin_of,
)
from screw_dynamics.recordings.results.evaluation import (
    RATE,
    Wanted,
    evaluate_samples,
    sampled_jets,
)
from screw_dynamics.recordings.results.results import Origin, Results
from screw_dynamics.recordings.results.results_from_bag import TRAJECTORY
from screw_dynamics.trajectory import PiecewisePolynomial
from screw_dynamics.trajectory.piecewise_polynomial import sample_times
from screw_dynamics.trajectory.reference.reference import Source

if TYPE_CHECKING:
    from screw_dynamics.recordings.bags import BagMessage
    from screw_dynamics.recordings.bags.definitions import MessageTypes

_MOST_WARNINGS = 5


class FollowedTrajectory(NamedTuple):
    """One trajectory with its efforts."""

    message: Any
    log_time: int  # of its reception [ns]
    start: int  # instant from which the times of `results` count [ns]
    results: Results
    continuity: int  # number of continuous derivatives of the curve


def evaluate_trajectories(
    messages: Sequence[BagMessage], robot: Robot, wanted: Wanted
) -> list[FollowedTrajectory]:
    """
    Return the trajectories that can be followed, in the order of their starts.

    A trajectory that begins while another is active continues from its state. One that a
    controller would reject is left out with a warning; if none is left, `BagError` is raised.
    """
    starts = [nanoseconds(m.message.header.stamp) or m.log_time for m in messages]
    followed: list[FollowedTrajectory] = []
    rejected = []
    running: tuple[int, PiecewisePolynomial] | None = None
    for i in progress(np.argsort(starts, kind='stable'), 'trajectories', unit='trajectory'):
        try:
            curve = _curve(messages[i], starts[i], running, robot.model, wanted.interpolation)
        except TrajectoryError as error:
            rejected.append(str(error))
            continue
        running = starts[i], curve
        times = _times(curve, wanted.rate or RATE)
        found = messages[i]
        jets = sampled_jets(curve, times, robot)
        require_radians(origin_of(found), robot.model, jets[:, 0])
        results = evaluate_samples(robot, times, jets, wanted.order, wanted.effort_format)
        followed.append(
            FollowedTrajectory(found.message, found.log_time, starts[i], results, curve.continuity)
        )
    texts = [f'left out: {text}' for text in rejected[:_MOST_WARNINGS]]
    if len(rejected) > _MOST_WARNINGS:
        texts.append(f'and {len(rejected) - _MOST_WARNINGS} more')
    for text in texts:
        warnings.warn(text, RecordingWarning, stacklevel=3)
    if not followed:
        raise BagError(f'no trajectory can be followed: {rejected[0]}')
    return followed


def _curve(
    found: BagMessage,
    start: int,
    running: tuple[int, PiecewisePolynomial] | None,
    model: RobotModel,
    interpolation: str,
) -> PiecewisePolynomial:
    waypoints = message_waypoints(found, model)
    state = None
    if running is not None:
        before, curve = running
        instant = (start - before) / SECOND
        if instant < curve.breaks[-1] or waypoints.times[0] > 0.0:
            state = curve.jets([instant])[0]
    return curve_through(waypoints, interpolation, state)


def _times(curve: PiecewisePolynomial, rate: float) -> Array:
    """Return evenly spaced sample times and the times of the points, rounded to nanoseconds."""
    even = sample_times(float(curve.breaks[0]), float(curve.breaks[-1]), rate)
    whole = np.round(SECOND * np.concatenate((even, curve.breaks)))
    times: Array = np.unique(np.maximum(whole, 0.0)) / SECOND
    return times


def until_replaced(
    followed: Sequence[FollowedTrajectory],
) -> list[tuple[FollowedTrajectory, NDArray[np.bool_]]]:
    """Return the trajectories, ordered by start, with masks (T,) of samples before the next."""
    ends = [*(later.start for later in followed[1:]), np.iinfo(np.int64).max]
    return [(this, origin(this).stamps < end) for this, end in zip(followed, ends, strict=True)]


def origin(this: FollowedTrajectory) -> Origin:
    """Return the stamps and the source of the samples of a trajectory."""
    from_start = np.round(SECOND * this.results.times).astype(np.int64)
    return Origin(this.start + from_start, from_start, this.continuity, Source.TRAJECTORY)


def trajectory_with_efforts(this: FollowedTrajectory, types: MessageTypes) -> Any:
    """Return the densely sampled trajectory with efforts, under the header of its message."""
    header = this.message.header
    points = effort_points(
        origin(this).from_start.tolist(),
        this.results.joint_jet,
        this.results.effort_jet[:, 0],
        types['trajectory_msgs/msg/JointTrajectoryPoint'],
        types['builtin_interfaces/msg/Duration'],
        values=np.ascontiguousarray,
    )
    return types[TRAJECTORY](
        header=types['std_msgs/msg/Header'](
            stamp=types['builtin_interfaces/msg/Time'](
                sec=header.stamp.sec, nanosec=header.stamp.nanosec
            ),
            frame_id=header.frame_id,
        ),
        joint_names=list(this.results.joint_names),
        points=points,
    )

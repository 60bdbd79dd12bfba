# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Trajectories of messages and files, for the joints of a robot."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from screw_dynamics.common.arrays import Array
from screw_dynamics.errors import BagError, TrajectoryError
from screw_dynamics.model import RobotModel
from screw_dynamics.recordings.messages.joints import trajectory_points
from screw_dynamics.recordings.results.results_from_bag import TRAJECTORY, is_bag, one_topic
from screw_dynamics.trajectory import (
    PiecewisePolynomial,
    TrajectoryPoint,
    Waypoints,
    read_trajectory,
    waypoints_from_points,
)
from screw_dynamics.trajectory.reference.interpolation import INTERPOLATIONS, shifted

if TYPE_CHECKING:
    from screw_dynamics.recordings.bags import BagMessage


def read_waypoints(path: Path, model: RobotModel, topic: str | None, message: int) -> Waypoints:
    """Return the points of a file, or of one message in a bag, in model order."""
    if not is_bag(path):
        found = read_trajectory(str(path))
        return in_model_order(str(path), found.joint_names, found.points, model)
    # reading bags needs a package that files do not need
    from screw_dynamics.recordings.bags import Bag

    with Bag(path) as bag:
        topic = one_topic(bag, (TRAJECTORY,), topic)
        for count, sent in enumerate(bag.messages([topic])):
            if count == message:
                return message_waypoints(sent, model)
    raise BagError(
        f'{path}: topic {topic!r}: --message {message}: expected one of its {count + 1} messages, '
        'counted from 0'
    )


def message_waypoints(found: BagMessage, model: RobotModel) -> Waypoints:
    """Return the points of a JointTrajectory in model order; errors name topic and message."""
    points = trajectory_points(found.message)
    return in_model_order(origin_of(found), found.message.joint_names, points, model)


def origin_of(found: BagMessage) -> str:
    """Return topic and time of a message, as errors begin."""
    return f'{found.topic}, message received at {found.log_time} ns'


def in_model_order(
    where: str, joint_names: Sequence[str], points: Sequence[TrajectoryPoint], model: RobotModel
) -> Waypoints:
    """Check points and reorder them to the joints of the model; errors begin with `where`."""
    try:
        return waypoints_from_points(joint_names, points, model.joint_names)
    except TrajectoryError as error:
        others = set(joint_names) != set(model.joint_names)
        hint = '; choose those of the robot by --joints, --tip-link or --locked' if others else ''
        tree: Any = getattr(model, 'rigid', model)  # of a robot with soft segments
        masters = [tree.joint_names[j] for j in tree.coordinates]
        for follower, master in zip(tree.tree_joint_names, masters, strict=True):
            if follower in joint_names and follower not in model.joint_names:
                hint = f'; {follower} follows {master} (mimic): leave it out'
        if others and list(joint_names[:3]) == ['x', 'y', 'z']:
            hint = '; if these are poses, choose the link that follows them by --frame'
        raise TrajectoryError(f'{where}: {error}{hint}') from None


def curve_through(
    waypoints: Waypoints, interpolation: str, start_jet: Array | None = None
) -> PiecewisePolynomial:
    """Return the curve from the first point, or the state `start_jet` (5, n) at time 0, on."""
    begin = 0.0 if start_jet is not None else float(waypoints.times[0])
    points = shifted(waypoints, slice(None), begin)
    curve = INTERPOLATIONS[interpolation].curve(points, start_jet)
    return replace(curve, breaks=curve.breaks + begin)

# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Trajectory sources: a CSV or YAML file, or a message in a bag."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from screw_dynamics.errors import BagError, InputError, TrajectoryError
from screw_dynamics.model import ScrewModel
from screw_dynamics.paths import expanded
from screw_dynamics.results.bag_topics import TRAJECTORY, is_bag, one_topic
from screw_dynamics.trajectory import TrajectoryPoint, Waypoints, waypoints_from_points
from screw_dynamics.trajectory.trajectory_files import read_trajectory


def add_trajectory_argument(parser: argparse.ArgumentParser) -> None:
    """Add the positional argument TRAJECTORY, --topic and --message."""
    parser.add_argument(
        'trajectory',
        metavar='TRAJECTORY',
        help='CSV or YAML file of points, or a bag (a folder, or an .mcap file) that holds a '
        'JointTrajectory',
    )
    group = parser.add_argument_group('trajectory from a bag')
    group.add_argument('--topic', help='its topic (default: the only one)')
    group.add_argument(
        '--message', type=int, metavar='N', help='which of its messages (default: 0)'
    )


def read_waypoints(options: argparse.Namespace, model: ScrewModel) -> Waypoints:
    """Return the points of the trajectory in the options, in the joint order of the model."""
    path = expanded(options.trajectory)
    if is_bag(path):
        return _from_bag(path, options, model)
    if options.topic is not None or options.message is not None:
        raise InputError(f'{path}: --topic and --message choose from a bag, this is a file')
    found = read_trajectory(str(path))
    return in_model_order(str(path), found.joint_names, found.points, model)


def in_model_order(
    where: str,
    joint_names: Sequence[str],
    points: Sequence[TrajectoryPoint],
    model: ScrewModel,
) -> Waypoints:
    """Check points and reorder them to the joints of the model; errors begin with `where`."""
    try:
        return waypoints_from_points(joint_names, points, model.joint_names)
    except TrajectoryError as error:
        others = set(joint_names) != set(model.joint_names)
        hint = '; choose those of the robot by --joints, --tip-link or --locked' if others else ''
        raise TrajectoryError(f'{where}: {error}{hint}') from None


def _from_bag(path: Path, options: argparse.Namespace, model: ScrewModel) -> Waypoints:
    # reading bags needs a package that files do not need
    from screw_dynamics.bags import Bag
    from screw_dynamics.command_line.bag_messages import message_waypoints

    wanted = options.message or 0
    with Bag(path) as bag:
        topic = one_topic(bag, (TRAJECTORY,), options.topic)
        for number, found in enumerate(bag.messages([topic])):
            if number == wanted:
                return message_waypoints(found, model)
    raise BagError(
        f'{path}: topic {topic!r}: --message {wanted}: expected one of its '
        f'{number + 1} messages, counted from 0'
    )

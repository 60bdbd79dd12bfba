# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Conversion of one topic of a bag to efforts, and to a new bag if requested."""

import argparse
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from screw_dynamics.command_line import motions
from screw_dynamics.command_line.bag_joint_states import measured_results
from screw_dynamics.command_line.bag_trajectories import (
    FollowedTrajectory,
    evaluate_trajectories,
    origin,
    trajectory_with_efforts,
    until_replaced,
)
from screw_dynamics.command_line.recorded_bag import selected_messages
from screw_dynamics.command_line.robots import effort_format
from screw_dynamics.common.paths import new_folder
from screw_dynamics.common.progress import progress
from screw_dynamics.common.times import SECOND
from screw_dynamics.drives.robot import Robot
from screw_dynamics.errors import BagError
from screw_dynamics.recordings.bags import Bag
from screw_dynamics.recordings.bags.definitions import MessageTypes
from screw_dynamics.recordings.bags.writer import BagWriter
from screw_dynamics.recordings.results.results import Results, joined, part_of
from screw_dynamics.recordings.results.results_bag import DESCRIPTION_TOPIC, Origin, ResultsWriter
from screw_dynamics.recordings.results.results_from_bag import TRAJECTORY


def convert(bag: Bag, topic: str, robot: Robot, urdf: str, options: argparse.Namespace) -> Results:
    """Compute the efforts of a topic, timed from the first sample; write the requested new bag."""
    names = _new_topics(bag, options)
    where = f'{bag.path}: topic {topic!r}'
    messages = selected_messages(bag, topic, options)
    followed: list[FollowedTrajectory] = []
    parts: list[tuple[Results, Origin]] = []
    if bag.topics[topic].type == TRAJECTORY:
        rate = motions.DEFAULT_RATE if options.rate is None else options.rate
        taken = effort_format(options, robot)
        followed = evaluate_trajectories(
            list(messages), robot, options.interpolation, rate, options.order, taken
        )
        parts = [
            (part_of(this.results, before), _part_of(origin(this), before))
            for this, before in until_replaced(followed)
            if before.any()
        ]
    else:
        parts.append(measured_results(messages, robot, where, bag.start_time, options))
    first = int(parts[0][1].stamps[0])
    if options.output is not None:
        with (
            new_folder(options.output) as place,
            BagWriter(place) as writer,
        ):
            if options.copy:
                _copy(bag, writer)
            output = ResultsWriter(writer, names[0], names[1])
            if not (options.copy and DESCRIPTION_TOPIC in bag.topics):
                output.write_description(urdf, first)
            several = len(parts) > 1  # one progress bar for all parts
            for results, source in progress(parts, 'writing', unit='part') if several else parts:
                output.write(results, source)
            _write_trajectories(followed, writer, names[2])
    return joined(
        [replace(results, times=(source.stamps - first) / SECOND) for results, source in parts]
    )


def _new_topics(bag: Bag, options: argparse.Namespace) -> list[str]:
    endings = ('feedforward', 'motor_feedforward', 'joint_trajectory_effort')
    names = [f'{options.namespace}/{ending}' for ending in endings]
    for name in names:
        if options.copy and name in bag.topics:
            raise BagError(
                f'{bag.path}: it has a topic {name} already: choose another --namespace'
            )
    return names


def _part_of(source: Origin, chosen: np.typing.NDArray[np.bool_]) -> Origin:
    return source._replace(stamps=source.stamps[chosen], from_start=source.from_start[chosen])


def _copy(bag: Bag, writer: BagWriter) -> None:
    for topic, about in bag.topics.items():
        writer.add_topic(topic, about.type, about.definition, about.qos, about.type_hash)
    total = sum(about.count for about in bag.topics.values())
    for raw in progress(bag.raw_messages(), 'copying', total, 'message'):
        writer.write(raw.topic, raw.log_time, raw.data)


def _write_trajectories(
    followed: Sequence[FollowedTrajectory], writer: BagWriter, topic: str
) -> None:
    if not followed:
        return
    types = MessageTypes()
    writer.add_topic(topic, TRAJECTORY, types.definition(TRAJECTORY))
    for this in followed:
        message = trajectory_with_efforts(this, types)
        writer.write(topic, this.log_time, types.serialize(message))

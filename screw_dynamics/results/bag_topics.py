# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Selection of a topic in a bag."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from screw_dynamics.errors import BagError

if TYPE_CHECKING:
    from screw_dynamics.bags import Bag

TRAJECTORY = 'trajectory_msgs/msg/JointTrajectory'
JOINT_STATE = 'sensor_msgs/msg/JointState'
ROBOT_DESCRIPTION = 'std_msgs/msg/String'
FEEDFORWARD = 'screw_dynamics_interfaces/msg/FeedforwardTorque'
MOTOR_FEEDFORWARD = 'screw_dynamics_interfaces/msg/MotorFeedforward'


BAG_ENDINGS = ('.mcap', '.db3')


def is_bag(path: Path) -> bool:
    """Return whether a path denotes a bag: a folder, or a file with a bag extension."""
    return path.is_dir() or path.suffix.lower() in BAG_ENDINGS


def one_topic(bag: Bag, types: Sequence[str], name: str | None) -> str:
    """
    Return the topic `name`, or without one the only topic of the first type that has messages.

    Raises `BagError`, which lists the topics, if there is none or more than one.
    """
    topics = {topic: about for topic, about in bag.topics.items() if about.count}
    wanted = ' or '.join(type_name.rpartition('/')[2] for type_name in types)
    listed = ', '.join(f'{t} ({about.type})' for t, about in topics.items()) or 'no message at all'
    if name is not None:
        if name not in topics:
            raise BagError(f'{bag.path}: no messages on --topic {name}; it holds {listed}')
        if topics[name].type not in types:
            raise BagError(
                f'{bag.path}: --topic {name}: expected a {wanted}, got {topics[name].type}'
            )
        return name
    for type_name in types:
        found = [topic for topic, about in topics.items() if about.type == type_name]
        if len(found) > 1:
            raise BagError(
                f'{bag.path}: choose by --topic one of the topics of type {type_name}: '
                f'{", ".join(found)}'
            )
        if found:
            return found[0]
    raise BagError(f'{bag.path}: expected a topic of type {wanted}, it holds {listed}')

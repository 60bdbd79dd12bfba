# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Bags with results: selection of a topic, reader of efforts and motor commands."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from screw_dynamics.common.arrays import Array
from screw_dynamics.common.quantities import MOTORS
from screw_dynamics.errors import BagError, InputError
from screw_dynamics.recordings.messages.feedforward import (
    AnySample,
    Course,
    MotorSample,
    feedforward_sample,
    motor_sample,
)
from screw_dynamics.recordings.results.results import MotorResults, Results

if TYPE_CHECKING:
    from screw_dynamics.recordings.bags import Bag

_Sample = TypeVar('_Sample', bound=AnySample)
TRAJECTORY = 'trajectory_msgs/msg/JointTrajectory'
JOINT_STATE = 'sensor_msgs/msg/JointState'
ROBOT_DESCRIPTION = 'std_msgs/msg/String'
FEEDFORWARD = 'screw_dynamics_interfaces/msg/FeedforwardTorque'
MOTOR_FEEDFORWARD = 'screw_dynamics_interfaces/msg/MotorFeedforward'
DEVIATION_ENDING = '_deviation'  # of topics with standard deviations

BAG_ENDINGS = ('.mcap', '.db3')


def is_bag(path: Path) -> bool:
    """Return whether a path denotes a bag: a folder, or a file with a bag extension."""
    return path.is_dir() or path.suffix.lower() in BAG_ENDINGS


def one_topic(bag: Bag, types: Sequence[str], name: str | None, option: str = '--topic') -> str:
    """
    Return topic `name`, or the only one of the first type with messages; raise `BagError`.

    Topics of standard deviations are chosen by name alone, which the `option` of commands has.
    """
    topics = {topic: about for topic, about in bag.topics.items() if about.count}
    wanted = ' or '.join(type_name.rpartition('/')[2] for type_name in types)
    listed = ', '.join(f'{t} ({about.type})' for t, about in topics.items()) or 'no message at all'
    if name is not None:
        if name not in topics:
            raise BagError(f'{bag.path}: no messages on {option} {name}; it holds {listed}')
        if topics[name].type not in types:
            raise BagError(
                f'{bag.path}: {option} {name}: expected a {wanted}, got {topics[name].type}'
            )
        return name
    for type_name in types:
        found = [
            topic
            for topic, about in topics.items()
            if about.type == type_name and not topic.endswith(DEVIATION_ENDING)
        ]
        if len(found) > 1:
            raise BagError(
                f'{bag.path}: choose by {option} one of the topics of type {type_name}: '
                f'{", ".join(found)}'
            )
        if found:
            return found[0]
    raise BagError(f'{bag.path}: expected a topic of type {wanted}, it holds {listed}')


class EffortSamples(NamedTuple):
    """Messages of one FeedforwardTorque topic."""

    joint_names: tuple[str, ...]
    stamps: NDArray[np.int64]  # (T,) [ns]
    from_start: NDArray[np.int64]  # (T,), since the start of the trajectory [ns]
    joint_jet: Array  # (T, r, n), r >= 2 [rad or m, per s^d]
    effort_jet: Array  # (T, k + 1, n) [N m or N, per s^d]
    sources: NDArray[np.uint8]  # (T,), of the references: constants of FeedforwardTorque


def read_efforts(bag: Bag, topic: str) -> EffortSamples:
    """Read the samples on a topic; raise `BagError` if there are none, or joints change."""
    names, samples = _samples(bag, topic, 'joint_names', feedforward_sample)
    if not samples:
        raise BagError(f'{bag.path}: topic {topic!r}: expected samples of a motion, got none')
    return EffortSamples(
        names,
        np.array([sample.instant for sample in samples]),
        np.array([sample.time_from_start for sample in samples]),
        _known_rows([sample.jet for sample in samples]),
        _known_rows([sample.efforts for sample in samples]),
        np.array([sample.source for sample in samples]),
    )


def _samples(
    bag: Bag, topic: str, field: str, read: Callable[[Any], _Sample]
) -> tuple[tuple[str, ...], list[_Sample]]:
    """Return the messages of a topic but those that tell of an end, and the names in a field."""
    where = f'{bag.path}: topic {topic!r}'
    every = (found.message for found in bag.messages([topic]))
    messages = [message for message in every if message.state == Course.FOLLOWS]
    names = {tuple(getattr(message, field)) for message in messages}
    if len(names) > 1:
        raise BagError(f'{where}: expected the same {field} in all messages')
    try:
        return names.pop() if names else (), [read(message) for message in messages]
    except InputError as error:
        raise BagError(f'{where}: {error}') from None


def _known_rows(jets: Sequence[Array]) -> Array:
    """Return the rows that are known in all samples (T, r, n)."""
    known = min(map(len, jets))
    return np.stack([jet[:known] for jet in jets])


def read_bag(path: Path, topic: str | None) -> Results:
    """
    Read the messages of one FeedforwardTorque topic; None selects the only one.

    Standard deviations and motor commands are those with the same stamps, from the topic with
    `DEVIATION_ENDING` and from the only MotorFeedforward topic. Times count from the first stamp.
    """
    from screw_dynamics.recordings.bags import Bag  # other functions need no rosbags

    with Bag(path) as bag:
        topic = one_topic(bag, (FEEDFORWARD,), topic)
        efforts = read_efforts(bag, topic)
        way = 'joint_names', feedforward_sample
        _, spread = _samples_at(efforts.stamps, bag, topic + DEVIATION_ENDING, *way)
        motors = _motors(bag, efforts.stamps)
    return Results(
        joint_names=efforts.joint_names,
        times=(efforts.stamps - efforts.stamps[0]) * 1e-9,
        joint_jet=efforts.joint_jet,
        effort_jet=efforts.effort_jet,
        joint_deviations=_known_rows([sample.jet for sample in spread]) if spread else None,
        effort_deviations=_known_rows([sample.efforts for sample in spread]) if spread else None,
        motors=motors,
    )


def _samples_at(
    stamps: NDArray[np.int64], bag: Bag, topic: str, *way: Any
) -> tuple[tuple[str, ...], list[Any]]:
    """Return `_samples` of another topic, none unless their stamps are the same."""
    names, samples = _samples(bag, topic, *way) if topic in bag.topics else ((), [])
    same = [sample.instant for sample in samples] == stamps.tolist()
    return (names, samples) if same else ((), [])


def _motors(bag: Bag, stamps: NDArray[np.int64]) -> MotorResults | None:
    """Return the messages of the only MotorFeedforward topic, if their stamps are the same."""
    topics = [
        name
        for name, about in bag.topics.items()
        if about.type == MOTOR_FEEDFORWARD and not name.endswith(DEVIATION_ENDING)
    ]
    if len(topics) != 1:
        return None
    way = 'motor_names', motor_sample
    names, samples = _samples_at(stamps, bag, topics[0], *way)
    if not samples:
        return None
    _, spread = _samples_at(stamps, bag, topics[0] + DEVIATION_ENDING, *way)
    ratios = samples[0].ratios
    return MotorResults(
        names,
        np.full(len(names), np.nan) if ratios is None else ratios,
        _motor_values(samples),
        _motor_values(spread) if spread else None,
    )


def _motor_values(samples: Sequence[MotorSample]) -> Array:
    """Return the quantities of `MOTORS` (T, 5, m), NaN where a message has none."""
    values = np.full((len(samples), len(MOTORS), samples[0].jet.shape[1]), np.nan)
    for row, sample in zip(values, samples, strict=True):
        row[: len(sample.jet)], row[3] = sample.jet, sample.efforts[0]
        if sample.deflection is not None:
            row[4] = sample.deflection
    return values

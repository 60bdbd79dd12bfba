# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Bags with results: selection of a topic, reader of efforts and motor commands."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from screw_dynamics.common.arrays import Array
from screw_dynamics.common.quantities import EFFORTS, MOTORS
from screw_dynamics.errors import BagError
from screw_dynamics.recordings.messages.feedforward import REFERENCE, Course
from screw_dynamics.recordings.results.results import MotorResults, Results

if TYPE_CHECKING:
    from screw_dynamics.recordings.bags import Bag

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

    @property
    def start(self) -> int:
        """Instant at which the trajectory of the first sample starts [ns]."""
        return int(self.stamps[0] - self.from_start[0])

    def of_last_trajectory(self) -> EffortSamples:
        """Return the samples from the start of the last trajectory."""
        # the time since the start decreases only where another trajectory starts
        starts = np.flatnonzero(np.diff(self.from_start) < 0) + 1
        own = slice(starts[-1] if len(starts) else 0, None)
        return self._replace(
            stamps=self.stamps[own],
            from_start=self.from_start[own],
            joint_jet=self.joint_jet[own],
            effort_jet=self.effort_jet[own],
            sources=self.sources[own],
        )


def read_efforts(bag: Bag, topic: str) -> EffortSamples:
    """Read the messages of a topic; raise `BagError` if joints or sizes change."""
    return _samples(f'{bag.path}: topic {topic!r}', _columns(bag, topic))


def _columns(bag: Bag, topic: str) -> dict[str, Any]:
    """Return the messages of a topic by field, but those that tell of an end."""
    columns = bag.arrays(topic)
    follows = np.asarray(columns.get('state', ())) == Course.FOLLOWS
    if follows.all():  # also for bags of versions without ends
        return columns
    kept = np.flatnonzero(follows).tolist()
    return {name: _of_messages(values, kept) for name, values in columns.items()}


def _of_messages(values: Any, kept: list[int]) -> Any:
    """Return the values of some messages: an array, a list if sizes differ, or a constant."""
    if isinstance(values, np.ndarray):
        return values[kept]
    if not isinstance(values, list):
        return values
    some = [values[i] for i in kept]
    if some and isinstance(some[0], np.ndarray) and len({row.shape for row in some}) == 1:
        return np.stack(some)
    names = set(some) if all(isinstance(one, tuple) for one in some) else set()
    return some[0] if len(names) == 1 else some


def _samples(where: str, columns: dict[str, Any]) -> EffortSamples:
    names = _constant(where, 'joints', columns['joint_names'])
    return EffortSamples(
        names,
        columns['header.stamp'],
        columns['reference.time_from_start'],
        _jet(where, columns, REFERENCE, len(names)),
        _jet(where, columns, [quantity.name for quantity in EFFORTS], len(names)),
        columns['source'],
    )


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
        columns = _companion(bag, topic + DEVIATION_ENDING, efforts.stamps)
        spread = None if columns is None else _samples(f'{path}: topic {topic!r}', columns)
        motors = _motors(bag, efforts.stamps)
    return Results(
        joint_names=efforts.joint_names,
        times=(efforts.stamps - efforts.stamps[0]) * 1e-9,
        joint_jet=efforts.joint_jet,
        effort_jet=efforts.effort_jet,
        joint_deviations=None if spread is None else spread.joint_jet,
        effort_deviations=None if spread is None else spread.effort_jet,
        motors=motors,
    )


def _motors(bag: Bag, stamps: NDArray[np.int64]) -> MotorResults | None:
    """Return the messages of the only MotorFeedforward topic, if their stamps are the same."""
    topics = [
        name
        for name, about in bag.topics.items()
        if about.type == MOTOR_FEEDFORWARD and not name.endswith(DEVIATION_ENDING)
    ]
    columns = _companion(bag, topics[0], stamps) if len(topics) == 1 else None
    if columns is None:
        return None
    names = _constant(f'{bag.path}: topic {topics[0]!r}', 'motors', columns['motor_names'])
    spread = _companion(bag, topics[0] + DEVIATION_ENDING, stamps)
    return MotorResults(
        names,
        columns['gear_ratio'][0],
        _motor_values(columns),
        None if spread is None else _motor_values(spread),
    )


def _constant(where: str, what: str, names: Any) -> tuple[str, ...]:
    """Return the names in a column; raise `BagError` if they differ between messages."""
    if not isinstance(names, tuple):
        raise BagError(f'{where}: expected the same {what} in all messages')
    return names


def _companion(bag: Bag, topic: str, stamps: NDArray[np.int64]) -> dict[str, Any] | None:
    """Return the messages of another topic, None unless their stamps are the same."""
    if topic not in bag.topics:
        return None
    found = _columns(bag, topic)
    same = 'header.stamp' in found and np.array_equal(found['header.stamp'], stamps)
    return found if same else None


def _motor_values(arrays: dict[str, Any]) -> Array:
    return np.stack([arrays[quantity.name] for quantity in MOTORS], axis=1)


def _jet(where: str, arrays: dict[str, Any], names: Any, width: int) -> Array:
    """Return the jet (T, r, width) up to the first derivative missing in the messages."""
    rows = []
    for name in names:
        values = arrays[name]
        if isinstance(values, list) or values.shape[1] not in (0, width):
            raise BagError(f'{where}: {name}: expected {width} values in every message')
        if values.shape[1] == 0:
            break
        rows.append(values)
    if len(rows) < (2 if names is REFERENCE else 1):
        raise BagError(f'{where}: expected values in {names[len(rows)]}, got none')
    return np.stack(rows, axis=1)

# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Records of a demo run, read from its bag: efforts, reference, times of the node's ticks."""

import warnings
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from screw_dynamics.common.arrays import Array
from screw_dynamics.common.times import SECOND, nanoseconds
from screw_dynamics.errors import BagError, BagWarning
from screw_dynamics.recordings.bags import Bag
from screw_dynamics.recordings.results.results_from_bag import read_efforts

TRAJECTORY_TOPIC = '/feedforward/joint_trajectory'
TORQUE_TOPIC = '/feedforward/feedforward'


@dataclass(frozen=True, eq=False)
class Recording:
    """
    One trajectory and the feedforward efforts published from its start, at `time` (T,) [s].

    `joint_jet` (T, 5, n) is the reference [rad or m, per s^d], `effort_jet` (T, k + 1, n) the
    published efforts with derivatives [N m or N, per s^d]. Waypoints have times (P,) [s] and
    positions (P, n) [rad or m]. All times count from the start of the trajectory.
    """

    joint_names: tuple[str, ...]
    time: Array
    joint_jet: Array
    effort_jet: Array
    waypoint_times: Array
    waypoint_positions: Array


def read_recording(path: Path, torque_topic: str, trajectory_topic: str) -> Recording:
    """
    Read the last trajectory of a bag and the efforts published from its start.

    Raises `BagError` if one of the topics has no messages, the joints change, or the efforts end
    before the trajectory.
    """
    with Bag(path) as bag:
        require_messages(bag, path, torque_topic, trajectory_topic)
        efforts = read_efforts(bag, torque_topic)
        *_, last = bag.messages([trajectory_topic])
    names, trajectory = efforts.joint_names, last.message
    order = [trajectory.joint_names.index(name) for name in names]
    times = [nanoseconds(point.time_from_start) for point in trajectory.points]
    # the time since the start decreases only where another trajectory starts
    since = efforts.from_start
    begin = np.flatnonzero(np.diff(since, prepend=since[0] + 1) < 0)[-1]
    if since[-1] < times[-1]:
        raise BagError(
            f'{path}: expected {torque_topic} until the end of the trajectory, '
            f'{times[-1] / SECOND:g} s from its start, got it until '
            f'{since[-1] / SECOND:g} s'
        )
    return Recording(
        joint_names=names,
        time=(since[begin] + efforts.stamps[begin:] - efforts.stamps[begin]) * 1e-9,
        joint_jet=efforts.joint_jet[begin:],
        effort_jet=efforts.effort_jet[begin:],
        waypoint_times=np.array(times) / SECOND,
        waypoint_positions=np.array([point.positions for point in trajectory.points])[:, order],
    )


def is_recorded(path: Path, topic: str) -> bool:
    """Return whether a bag, which may still be written, holds messages of a topic."""
    with suppress(BagError), warnings.catch_warnings():
        warnings.simplefilter('ignore', BagWarning)  # as long as it is written
        with Bag(path) as bag:
            require_messages(bag, path, topic)
            return True
    return False


def require_messages(bag: Bag, path: Path, *topics: str) -> None:
    """Raise `BagError` if one of the topics has no messages."""
    for topic in topics:
        if topic not in bag.topics or not bag.topics[topic].count:
            raise BagError(f'{path}: expected messages on {topic}, found none')


DIAGNOSTICS_TOPIC = '/diagnostics'
STATUS = 'feedforward: rate'
MEAN_KEY, LONGEST_KEY = 'mean compute time [us]', 'longest compute time [us]'


class TickTimes(NamedTuple):
    """
    Mean and longest duration of a tick in the node [s].

    A tick lasts from sampling the reference to publishing.
    """

    mean: float
    longest: float


def read_tick_times(path: Path, torque_topic: str) -> TickTimes | None:
    """
    Read the time per tick while efforts were published on `torque_topic`.

    Returns None if no report covers only times of publication.
    """
    with Bag(path) as bag:
        published = bag.arrays(torque_topic)['log_time']
        if DIAGNOSTICS_TOPIC not in bag.topics:
            return None
        reports = [
            (item.log_time, {pair.key: pair.value for pair in status.values})
            for item in bag.messages([DIAGNOSTICS_TOPIC])
            for status in item.message.status
            if status.name == STATUS
        ]
    # A report covers the time since the previous one.
    covered = [
        values
        for (begin, _), (end, values) in zip(reports, reports[1:], strict=False)
        if published[0] <= begin and end <= published[-1]
    ]
    if not covered:
        return None
    return TickTimes(
        mean=1e-6 * sum(float(values[MEAN_KEY]) for values in covered) / len(covered),
        longest=1e-6 * max(float(values[LONGEST_KEY]) for values in covered),
    )

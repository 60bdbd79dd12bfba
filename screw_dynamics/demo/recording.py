# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`Recording`: reference, efforts and waypoints of a recorded trajectory as arrays."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from screw_dynamics.arrays import Array
from screw_dynamics.bags import Bag
from screw_dynamics.errors import BagError

TRAJECTORY_TOPIC = '/feedforward/joint_trajectory'
TORQUE_TOPIC = '/feedforward/feedforward'


@dataclass(frozen=True, eq=False)
class Recording:
    """
    One trajectory and the feedforward efforts published for it, at `time` (T,) [s].

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
    Read the first trajectory of a bag and the published efforts.

    Raises `BagError` if one of the topics has no messages.
    """
    with Bag(path) as bag:
        require_messages(bag, path, torque_topic, trajectory_topic)
        torque = bag.arrays(torque_topic)
        trajectory = next(bag.messages([trajectory_topic])).message
    # stamp minus time from start is the start of the trajectory
    stamps = torque['header.stamp']
    start = stamps[0] - torque['reference.time_from_start'][0]
    names = torque['joint_names']
    order = [trajectory.joint_names.index(name) for name in names]
    rows = ('positions', 'velocities', 'accelerations')
    jet = [torque[f'reference.{row}'] for row in rows]
    jet += [torque['reference_jerk'], torque['reference_snap']]
    efforts = [torque[row] for row in ('effort', 'effort_dot', 'effort_ddot')]
    instants = [point.time_from_start for point in trajectory.points]
    return Recording(
        joint_names=names,
        time=(stamps - start) * 1e-9,
        joint_jet=np.stack(jet, axis=1),
        effort_jet=np.stack([row for row in efforts if row.shape[1]], axis=1),
        waypoint_times=np.array([instant.sec + 1e-9 * instant.nanosec for instant in instants]),
        waypoint_positions=np.array([point.positions for point in trajectory.points])[:, order],
    )


def require_messages(bag: Bag, path: Path, *topics: str) -> None:
    """Raise `BagError` if one of the topics has no messages."""
    for topic in topics:
        if topic not in bag.topics or not bag.topics[topic].count:
            raise BagError(f'{path}: expected messages on {topic}, found none')

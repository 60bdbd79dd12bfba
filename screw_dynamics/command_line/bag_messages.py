# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Recorded messages as plain data: trajectory points and joint state samples."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from screw_dynamics.arrays import Array
from screw_dynamics.bags import BagMessage
from screw_dynamics.bags.records import SECOND, nanoseconds
from screw_dynamics.command_line.arguments.trajectory import in_model_order
from screw_dynamics.errors import BagError
from screw_dynamics.model import ScrewModel
from screw_dynamics.trajectory import TrajectoryPoint, Waypoints


def message_waypoints(found: BagMessage, model: ScrewModel) -> Waypoints:
    """
    Return the points of a JointTrajectory in the joint order of the model.

    The text of a `TrajectoryError` names the topic and the message.
    """
    message = found.message
    points = [
        TrajectoryPoint(
            nanoseconds(point.time_from_start) / SECOND,
            point.positions,
            point.velocities,
            point.accelerations,
        )
        for point in message.points
    ]
    where = f'{found.topic}, message received at {found.log_time} ns'
    return in_model_order(where, message.joint_names, points, model)


class JointSamples(NamedTuple):
    """
    Measured positions of all joints of a model.

    Header `stamps` and reception times `log_times`, both (N,) [ns], and `positions` (N, n) in
    model order, in the order of reception. `left_out` counts messages without finite positions of
    all joints, and messages without a stamp if others have one.
    """

    stamps: np.typing.NDArray[np.int64]
    log_times: np.typing.NDArray[np.int64]
    positions: Array
    left_out: int


def joint_samples(messages: Iterable[BagMessage], model: ScrewModel, where: str) -> JointSamples:
    """
    Return the positions of the model's joints from JointState messages.

    Stamps are header stamps, or reception times if all header stamps are zero. The two are never
    mixed because their clocks may differ. Raises `BagError` if no message has all joints.
    """
    stamps, log_times, rows = [], [], []
    left_out = 0
    seen: set[str] = set()
    for found in messages:
        message = found.message
        place = {name: i for i, name in enumerate(message.name)}
        seen |= place.keys()
        values = message.position
        if len(values) != len(message.name) or not all(j in place for j in model.joint_names):
            left_out += 1
            continue
        row = [float(values[place[joint]]) for joint in model.joint_names]
        if not all(map(math.isfinite, row)):  # drivers send NaN before the first measurement
            left_out += 1
            continue
        rows.append(row)
        stamps.append(nanoseconds(message.header.stamp))
        log_times.append(found.log_time)
    if not rows:
        missing = [joint for joint in model.joint_names if joint not in seen]
        reason = (
            f'{", ".join(missing)} are not among {", ".join(sorted(seen)) or "any"}'
            if missing
            else 'the joints never come in one message with their positions'
        )
        raise BagError(
            f'{where}: expected messages with the positions of all joints, yet {reason}; '
            f'choose others by --joints, --tip-link or --locked'
        )
    headers, received = np.array(stamps, dtype=np.int64), np.array(log_times, dtype=np.int64)
    if not headers.any():
        return JointSamples(received, received, np.array(rows), left_out)
    stamped = headers != 0
    left_out += int((~stamped).sum())
    return JointSamples(headers[stamped], received[stamped], np.array(rows)[stamped], left_out)

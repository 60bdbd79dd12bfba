# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Motions of bags as they are shown: computed efforts, or joint states, with loads."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from screw_dynamics.common.arrays import Array
from screw_dynamics.common.times import SECOND, nanoseconds
from screw_dynamics.drives.robot import Robot
from screw_dynamics.dynamics import frame_pose
from screw_dynamics.estimation.observers.recorded_loads import RecordedLoads
from screw_dynamics.lie import inertia_parameters
from screw_dynamics.recordings.motions.joint_states import JointSamples, state_rows
from screw_dynamics.recordings.results.results_from_bag import (
    FEEDFORWARD,
    JOINT_STATE,
    TRAJECTORY,
    one_topic,
    read_bag,
)
from screw_dynamics.viewer.motion import Motion, motion_of_results

if TYPE_CHECKING:
    from screw_dynamics.recordings.bags import BagMessage

_WRENCH = 'geometry_msgs/msg/WrenchStamped'


def recorded_motion(path: Path, robot: Robot, topic: str | None = None) -> Motion | None:
    """Return the efforts or joint states of a bag; None of a trajectory."""
    from screw_dynamics.recordings.bags import Bag

    with Bag(path) as bag:
        topic = one_topic(bag, (FEEDFORWARD, JOINT_STATE, TRAJECTORY), topic)
        kind = bag.topics[topic].type
        if kind == TRAJECTORY:
            return None
        if kind == FEEDFORWARD:
            return motion_of_results(read_bag(path, topic), robot)
        where = f'{path}: topic {topic!r}'
        messages = bag.messages([topic])
        states = state_rows(messages, robot.joint_names, ('position',), where)
        topics = [name for name, about in bag.topics.items() if about.type == _WRENCH]
        wrenches = _wrenches(bag.messages(topics), states.stamps) if topics else {}
    times = (states.stamps - states.stamps[0]) / SECOND
    positions, _, efforts = states.values.transpose(1, 0, 2)
    known = efforts[:, np.newaxis] if np.isfinite(efforts).all() else None
    return Motion(times, positions, known, None, wrenches)


def observed_motion(samples: JointSamples, loads: RecordedLoads, robot: Robot) -> Motion:
    """Return joint states with the wrenches of the contacts, at the links that are touched."""
    model, wrenches = robot.tree, dict[str, Array]()
    for contact, end in loads.contacts:
        rows = wrenches.setdefault(contact.link, np.zeros((len(samples.times), 6)))
        touched = (samples.times >= contact.begin) & (samples.times < end)
        turns = frame_pose(model, samples.positions[touched], contact.link)[:, :3, :3]
        torque, force = (part @ turns for part in (contact.torque, contact.force))
        mass, moment, _ = inertia_parameters(model.inertias[model.frames[contact.link].body])
        # the wrench is about the centre of mass of the body
        rows[touched] = np.hstack([torque + np.cross(moment / mass, force), force])
    efforts = samples.efforts[:, np.newaxis]
    return Motion(samples.times, samples.positions, efforts, None, wrenches)


def _wrenches(messages: Iterable[BagMessage], at: NDArray[np.int64]) -> dict[str, Array]:
    """Return wrenches (T, 6) at instants by frames: the last until then, before the first zero."""
    received: dict[str, list[tuple[int, list[float]]]] = {}
    for found in messages:
        header, wrench = found.message.header, found.message.wrench
        row = [getattr(part, axis) for part in (wrench.torque, wrench.force) for axis in 'xyz']
        received.setdefault(header.frame_id, []).append((nanoseconds(header.stamp), row))
    wrenches = {}
    for frame, samples in received.items():
        stamps, rows = (np.array(column) for column in zip(*samples, strict=True))
        last = np.searchsorted(stamps, at, 'right') - 1
        wrenches[frame] = np.where((last >= 0)[:, np.newaxis], rows[last], 0.0)
    return wrenches

# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Recordings of bags and tables, and the robot that a bag describes."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import numpy as np

from screw_dynamics.common.paths import expanded
from screw_dynamics.errors import BagError, InputError
from screw_dynamics.estimation.identification import Recording
from screw_dynamics.estimation.identification.recording_files import TABLES
from screw_dynamics.model import ScrewModel
from screw_dynamics.recordings.motions.joint_states import (
    joint_samples,
    messages_between,
    with_motor_states,
)
from screw_dynamics.recordings.motions.lerobot import is_dataset, read_episode
from screw_dynamics.recordings.results.results_from_bag import (
    JOINT_STATE,
    ROBOT_DESCRIPTION,
    one_topic,
)

if TYPE_CHECKING:
    from screw_dynamics.recordings.bags import Bag


def recorded_robot(bag: Bag) -> tuple[str, str]:
    """Return the latest URDF in the bag and its origin; raise `BagError` if topics disagree."""
    texts = {}
    for topic, about in bag.topics.items():
        if about.type == ROBOT_DESCRIPTION and about.count and topic.endswith('robot_description'):
            *_, last = bag.messages([topic])
            texts[topic] = str(last.message.data)
    if not texts:
        raise BagError(f'{bag.path}: no robot_description was recorded: give the robot by --urdf')
    if len(set(texts.values())) > 1:
        raise BagError(
            f'{bag.path}: robots differ on {", ".join(texts)}: give the one meant by --urdf'
        )
    topic, text = texts.popitem()
    return text, f'{bag.path}: topic {topic!r}'


def is_table(path: str | os.PathLike[str]) -> bool:
    """Return whether a path is that of a table."""
    return expanded(path).suffix.lower() in TABLES or is_dataset(path)


def read_recording(
    path: str | os.PathLike[str],
    model: ScrewModel,
    *,
    topic: str | None = None,
    motor_states: str | None = None,
    of_motors: bool = False,
    start: float = -np.inf,
    end: float = np.inf,
) -> tuple[Recording, str]:
    """
    Read positions and efforts of joints, and of their motors, from a bag or a table.

    Parameters
    ----------
    path : str or path
        Folder of a bag, an MCAP or SQLite file, a table that `Recording.from_file` reads, or an
        episode of a LeRobot data set, as ``DATASET#0``.
    model : ScrewModel
        Its joints are read.
    topic : str, optional
        JointState messages of the links; by default the only ones. Of a data set the column with
        positions [rad or m], by default ``observation.state``.
    motor_states : str, optional
        JointState messages of motors behind springs, on the joint side of the gear; they are
        interpolated linearly.
    of_motors : bool
        Efforts are those of motors: of `motor_states`, and of the links for joints without.
    start, end : float
        Times of what is read, since the begin of the bag, or as in the table [s].

    Returns
    -------
    recording : Recording
        For `identify`, `identify_drives` and `check_recording`.
    report : str
        How many messages were used, repeated, and left out.

    Raises
    ------
    BagError
        If no message has what is needed of all joints, or a topic is not there.
    InputError
        If a table is none, has no samples between the times, or topics are given for it.

    Examples
    --------
    >>> import screw_dynamics as sd
    >>> from screw_dynamics.recordings.motions import read_recording
    >>> arm = sd.read_urdf('my_robot.urdf')  # doctest: +SKIP
    >>> recording, report = read_recording('my_bag', arm, start=1.0)  # doctest: +SKIP
    >>> print(sd.identify(arm, recording))  # doctest: +SKIP
    """
    if is_table(path):
        episode = is_dataset(path)
        if (topic and not episode) or motor_states:
            raise InputError(f'--topic, --motor-states: expected a bag, got the table {path}')
        names = model.joint_names
        if episode:
            recording = read_episode(os.fspath(path), names, topic)
        else:
            recording = Recording.from_file(expanded(path))
        recording = recording.between(start, end)
        if not len(recording.times):
            raise InputError(f'{path}: expected samples between --start and --end, got none')
        return recording, repr(recording)
    from screw_dynamics.recordings.bags import Bag  # tables need no rosbags

    with Bag(expanded(path)) as bag:
        topic = one_topic(bag, (JOINT_STATE,), topic)
        messages = messages_between(bag, topic, start, end)
        # of drives, motor states may have all efforts
        alone = of_motors and motor_states is not None
        needed = ('position',) if alone else ('position', 'effort')
        where = f'{bag.path}: topic {topic!r}'
        samples = joint_samples(messages, model, where, bag.start_time, needed)
        positions, efforts = None, samples.efforts
        if motor_states is not None:
            motors = one_topic(bag, (JOINT_STATE,), motor_states, '--motor-states')
            samples, positions, efforts = with_motor_states(
                samples,
                messages_between(bag, motors, start, end),
                model,
                f'{bag.path}: topic {motors!r}',
                ('position', 'effort') if of_motors else ('position',),
            )
    recording = Recording(
        model.joint_names,
        samples.times,
        samples.positions,
        None if of_motors else samples.efforts,
        positions,
        efforts if of_motors else None,
    )
    return recording, str(samples)

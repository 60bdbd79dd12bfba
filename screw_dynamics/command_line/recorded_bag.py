# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Arguments of commands that read a bag or a table: its robot, and the samples of a time."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from screw_dynamics.command_line.bag_loads import (
    load_samples,
    samples_report,
    with_motor_states,
)
from screw_dynamics.common.paths import expanded
from screw_dynamics.common.progress import progress
from screw_dynamics.common.scalars import finite
from screw_dynamics.common.times import SECOND
from screw_dynamics.errors import BagError, InputError
from screw_dynamics.estimation.identification import Recording
from screw_dynamics.estimation.identification.recording_files import TABLES
from screw_dynamics.model import ScrewModel
from screw_dynamics.recordings.results.results_from_bag import (
    JOINT_STATE,
    ROBOT_DESCRIPTION,
    one_topic,
)

if TYPE_CHECKING:
    from screw_dynamics.recordings.bags import Bag, BagMessage


def add_bag(parser: argparse.ArgumentParser) -> None:
    """Add BAG and --urdf."""
    parser.add_argument(
        'bag', metavar='BAG', type=Path, help='folder of a bag, or an .mcap or .db3 file'
    )
    parser.add_argument(
        '--urdf',
        metavar='URDF',
        help='robot description (default: the one that the bag has recorded)',
    )


def add_selection(parser: argparse.ArgumentParser, topic: str) -> argparse._ArgumentGroup:
    """Add --topic with its help, --start and --end; return their group."""
    group = parser.add_argument_group('what is read')
    group.add_argument('--topic', help=topic)
    group.add_argument(
        '--start', type=finite, metavar='S', help='leave out what was recorded before [s]'
    )
    group.add_argument(
        '--end', type=finite, metavar='S', help='leave out what was recorded after [s]'
    )
    return group


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


def selected_messages(bag: Bag, topic: str, options: argparse.Namespace) -> Iterator[BagMessage]:
    """Yield the messages between --start and --end."""
    start = -np.inf if options.start is None else options.start
    end = np.inf if options.end is None else options.end
    count = bag.topics[topic].count
    none = True
    for found in progress(bag.messages([topic]), 'reading', count, 'message'):
        if start <= (found.log_time - bag.start_time) / SECOND <= end:
            none = False
            yield found
    if none:
        raise BagError(
            f'{bag.path}: topic {topic!r}: no messages between --start and --end; the bag has '
            f'{bag.duration:g} s'
        )


def is_table(path: Path) -> bool:
    """Return whether a path is that of a table."""
    return path.suffix.lower() in TABLES


def measured(
    path: Path,
    model: ScrewModel,
    options: argparse.Namespace,
    motor_states: str | None = None,
    drives: bool = False,
) -> tuple[Recording, str]:
    """
    Return the samples of a bag or table between --start and --end, and their counts.

    Of a bag with motor positions from the topic `motor_states`; of `drives` the efforts are those
    of motors.
    """
    from screw_dynamics.recordings.bags import Bag

    if not is_table(path):
        with Bag(expanded(path)) as bag:
            return _of_bag(bag, model, options, motor_states, drives)
    if options.topic or motor_states:
        raise InputError(f'--topic, --motor-states: expected a bag, got the table {path}')
    whole = Recording.from_file(expanded(path))
    start = -np.inf if options.start is None else options.start
    end = np.inf if options.end is None else options.end
    recording = whole.between(start, end)
    if not len(recording.times):
        raise InputError(f'{path}: expected samples between --start and --end, got none')
    return recording, repr(recording)


def _of_bag(
    bag: Bag,
    model: ScrewModel,
    options: argparse.Namespace,
    motor_states: str | None,
    drives: bool,
) -> tuple[Recording, str]:
    """Return the samples of a bag, and their counts."""
    topic = one_topic(bag, (JOINT_STATE,), options.topic)
    messages = selected_messages(bag, topic, options)
    # of drives, motor states may have all efforts
    needed = ('position',) if drives and motor_states is not None else ('position', 'effort')
    where = f'{bag.path}: topic {topic!r}'
    samples = load_samples(messages, model, where, bag.start_time, needed)
    positions, efforts = None, samples.efforts
    if motor_states is not None:
        motors = one_topic(bag, (JOINT_STATE,), motor_states, '--motor-states')
        messages = selected_messages(bag, motors, options)
        where = f'{bag.path}: topic {motors!r}'
        needed = ('position', 'effort') if drives else ('position',)
        samples, positions, efforts = with_motor_states(samples, messages, model, where, needed)
    recording = Recording(
        model.joint_names,
        samples.times,
        samples.positions,
        None if drives else samples.efforts,
        positions,
        efforts if drives else None,
    )
    return recording, samples_report(samples)

# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Arguments of commands that read a bag: its robot, and the messages of a time."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from screw_dynamics.common.progress import progress
from screw_dynamics.common.scalars import finite
from screw_dynamics.common.times import SECOND
from screw_dynamics.errors import BagError
from screw_dynamics.recordings.results.results_from_bag import ROBOT_DESCRIPTION

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

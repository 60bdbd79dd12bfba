# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Many recordings as arguments: on all cores, in shards, into a folder."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from screw_dynamics.command_line.exit_codes import FAILED, FAULTY
from screw_dynamics.command_line.records import Options, UsageError, optional
from screw_dynamics.command_line.robots import RobotSource
from screw_dynamics.common.paths import expanded
from screw_dynamics.common.scalars import refuse
from screw_dynamics.drives.robot import Robot
from screw_dynamics.errors import BagError, InputError
from screw_dynamics.fleet import Record, recordings_in, run
from screw_dynamics.recordings.motions.recording import is_table, recorded_robot

_SHOWN = 6  # values of a recording


def _shard(text: str) -> tuple[int, int]:
    rank, slash, size = text.partition('/')
    if not slash or not rank.isdecimal() or not size.isdecimal() or int(rank) >= int(size):
        refuse('RANK/SIZE, with a rank from 0 to SIZE - 1', text)
    return int(rank), int(size)


@dataclass(frozen=True)
class Many(
    Options,
    heading='many recordings',
    text='One that fails is a row with its reason; the exit code is 1 then.',
):
    """How many recordings are done, and where what is found in them goes."""

    jobs: int | None = optional('processes (default: one per core)')
    shard: Any = optional(
        'every SIZE-th recording from number RANK on, counted from 0, as in a Slurm array',
        parse=_shard,
        metavar='RANK/SIZE',
    )
    output: Path | None = optional(
        'folder for a Parquet file per recording, and summary.parquet; those that are there, of '
        'the same content and options, are not done again',
        metavar='DIR',
    )

    def asked(self, paths: Sequence[object]) -> bool:
        """Return whether there are many recordings, or options of them."""
        return len(paths) > 1 or any((self.jobs, self.shard, self.output))

    @property
    def options(self) -> dict[str, Any]:
        """Of `fleet.run`."""
        return {'jobs': self.jobs, 'shard': self.shard or (0, 1), 'output': self.output}

    def run(
        self,
        function: Callable[..., Record],
        robot: Robot,
        paths: Iterable[str | Path],
        **options: Any,
    ) -> int:
        """Print what a function finds in each recording; return the exit code."""
        every = list(recordings_in(paths))
        if not every:
            raise InputError('recordings: expected one or more, got none')
        found = run(function, robot, every, **self.options, **options)
        code = max(map(_tell, found), default=0)
        if self.output is not None:
            print(f'written: {self.output / "summary.parquet"}')
        return code


def _tell(record: Record) -> int:
    """Print some values of a record, or why there are none; return the exit code."""
    if record.error:
        print(f'failed: {record.error}', file=sys.stderr)
        return FAILED
    shown = [
        f'{name} {value if isinstance(value, (str, bool)) else format(value, ".5g")}'
        for name, value in list(record.values.items())[:_SHOWN]
    ]
    print(f'{record.path}: {", ".join(shown)}')
    for text in record.warnings:
        print(f'  {text}')
    return FAULTY * (record.values.get('usable') is False)


def only_of_one(**given: object) -> None:
    """Raise UsageError for options that are of one recording."""
    for name, value in given.items():
        if value:
            text = name.replace('_', '-')
            raise UsageError(f'argument --{text}: expected one recording, and none of --output')


def robot_of(source: RobotSource, paths: Sequence[str | Path]) -> Robot:
    """Return the robot given, or that of the first bag that can be read."""
    if source.urdf:
        return source.robot()
    from screw_dynamics.recordings.bags import Bag  # tables need no rosbags

    reason: BagError | None = None
    for path in paths:
        if is_table(path):
            raise InputError(f'{os.fspath(path)}: expected the robot of a table: --urdf')
        try:
            with Bag(expanded(path)) as bag:
                recorded = recorded_robot(bag)
        except BagError as error:
            reason = reason or error
        else:
            return source.robot(recorded)
    assert reason is not None
    raise reason

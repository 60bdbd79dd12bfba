# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Processes that are measured: their priority, motion, end, memory and processor time."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from helpers.node_processes import NodeProcess, trajectory
from helpers.ros_fixture import RosFixture

from screw_dynamics import share_path
from screw_dynamics.common.progress import progress

URDF = share_path('urdf/iiwa14.urdf')
PRIORITY = 50
_TICKS_PER_SECOND = os.sysconf('SC_CLK_TCK')


def may_be_real_time() -> bool:
    """Return whether this process may have a real-time priority."""
    try:
        with priority(True):
            return True
    except (AttributeError, OSError):
        return False


@contextmanager
def priority(real_time: bool) -> Iterator[None]:
    """Give the threads and processes that begin in a block a real-time priority if wanted."""
    if real_time:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(PRIORITY))
    try:
        yield
    finally:
        if real_time:
            os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))


def start_subject(
    ros: RosFixture, subject: str, samples: int, output: str | Path, **arguments: Any
) -> NodeProcess:
    """Start a process of `subject_process` for so many samples."""
    module = 'benchmarks.node.subject_process'
    command = [sys.executable, '-W', 'ignore', '-m', module, subject, str(samples), str(output)]
    return ros.start_command(command, **arguments)


def interrupt(*processes: NodeProcess) -> None:
    """End processes; one that fails is an error."""
    for process in processes:
        if process.interrupt():
            raise RuntimeError(f'a node ended badly: {process.log[-2000:]}')


def random_motion(names: Sequence[str], seconds: float, scale: Any = 0.5) -> Any:
    """Return a trajectory of a point every two seconds, by default slow enough for the iiwa."""
    times = np.linspace(0.0, seconds, 2 + round(0.5 * seconds))
    points = np.random.default_rng(1).uniform(-1.0, 1.0, (len(times), len(names))) * scale
    return trajectory(names, *points, times=times)


def paced(ros: RosFixture, count: int, period: float, text: str) -> Iterator[int]:
    """Yield the numbers of periods [s], and spin until each has passed."""
    begun = time.monotonic()
    for i in progress(range(count), text):
        yield i
        ros.spin(max(0.0, begun + (i + 1) * period - time.monotonic()))


class Usage(NamedTuple):
    """Memory, threads and files of a process [KiB, counts], processor time of all threads [s]."""

    resident: int
    private: int
    threads: int
    files: int
    processor: float
    main_thread: float


def usage(pid: int) -> Usage:
    """Read the figures of a process."""
    folder = Path(f'/proc/{pid}')
    status = dict(
        line.split(':', 1) for line in (folder / 'status').read_text().splitlines() if ':' in line
    )
    return Usage(
        resident=int(status['VmRSS'].split()[0]),
        private=int(status['RssAnon'].split()[0]),
        threads=int(status['Threads']),
        files=len(list((folder / 'fd').iterdir())),
        processor=_processor(folder),
        main_thread=_processor(folder / 'task' / str(pid)),
    )


def proportional(pid: int) -> int:
    """Return the memory of a process [KiB], in which a page of two processes counts half."""
    rows = Path(f'/proc/{pid}/smaps_rollup').read_text().splitlines()
    return next(int(row.split()[1]) for row in rows if row.startswith('Pss:'))


def _processor(folder: Path) -> float:
    """Return the processor time of a process or a thread [s]."""
    # the name of the command, in brackets, may contain blanks
    fields = (folder / 'stat').read_text().rpartition(')')[2].split()
    return (int(fields[11]) + int(fields[12])) / _TICKS_PER_SECOND

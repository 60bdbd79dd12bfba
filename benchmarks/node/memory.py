# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Memory and processor time of a running process, as Linux counts them."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

_TICKS_PER_SECOND = os.sysconf('SC_CLK_TCK')


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

# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Processes that others have started, and their states, read from /proc."""

from __future__ import annotations

import threading
from pathlib import Path


def state(pid: int) -> str:
    """Return the letter of the state of a process: T if it is stopped, Z if it has ended."""
    try:
        # the name of the command, in brackets, may contain blanks
        return Path(f'/proc/{pid}/stat').read_text().rpartition(')')[2].split()[0]
    except OSError:
        return 'Z'


def children(pid: int) -> list[int]:
    """Return the processes that the threads of a process have started and that still run."""
    found = []
    for path in Path(f'/proc/{pid}/task').glob('*/children'):
        try:
            found += map(int, path.read_text().split())
        except OSError:  # the thread has ended
            continue
    return [child for child in found if state(child) != 'Z']


def endless(task: object) -> None:
    """Take for ever, in place of what a process does with a task."""
    threading.Event().wait()

# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Threads of the DDS, and those that a `main` leaves behind."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

_PREFIX = 'after main: '
_SCRIPT = f"""
import importlib, sys
from pathlib import Path
code = importlib.import_module(sys.argv[1]).main(sys.argv[1:])
for path in Path('/proc/self/task').glob('*/comm'):
    print({_PREFIX!r} + path.read_text(), end='')
sys.exit(code)
"""


def watched_command(module: str, *arguments: str) -> list[str]:
    """Return the command line that runs the `main` of a module and then prints what is left."""
    return [sys.executable, '-W', 'ignore', '-c', _SCRIPT, module, *arguments]


def participant_threads(pid: int) -> list[str]:
    """Return the threads of the DDS participants of a running process."""
    tasks = Path(f'/proc/{pid}/task').glob('*/comm')
    return list(_participants(path.read_text().strip() for path in tasks))


def threads_left(log: str) -> list[str]:
    """Return those that the log of a watched command lists; the main one must be among them."""
    lines = [line.partition(_PREFIX)[2] for line in log.splitlines() if _PREFIX in line]
    assert lines, log
    return list(_participants(lines))


def _participants(names: list[str] | Iterator[str]) -> Iterator[str]:
    # the watchdog of the library stays
    return (name for name in names if name.startswith('dds.') and name != 'dds.shm.wdog')

# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Threads of the DDS, those that a `main` leaves behind, and nodes that it does not destroy."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

_PREFIX = 'after main: '
_SCRIPT = f"""
import contextlib, importlib, sys, time
from pathlib import Path

def names():
    for path in Path('/proc/self/task').glob('*/comm'):
        with contextlib.suppress(OSError):  # it has just ended
            yield path.read_text().strip()

code = importlib.import_module(sys.argv[1]).main(sys.argv[1:])
end = time.monotonic() + 10.0
# one that has ended is listed for a moment more; a participant that is left does not end
while time.monotonic() < end and any(
    name.startswith('dds.') and name != 'dds.shm.wdog' for name in names()
):
    time.sleep(0.01)
for name in names():
    print({_PREFIX!r} + name)
sys.exit(code)
"""

# a node that Fast DDS does not destroy, which keeps the interpreter lock meanwhile
NEVER_DESTROYED = """
import ctypes
from rclpy.node import Node
from screw_dynamics.common import stop_signals
stop_signals.SHUTDOWN_DEADLINE = 0.5
Node.destroy_node = lambda self: ctypes.PyDLL(None).pause()
sys.stdout = open(1, 'w', closefd=False)  # with a buffer
print('a report')
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

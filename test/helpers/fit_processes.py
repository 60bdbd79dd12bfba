# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The process in which a node `feedforward` fits trajectories."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from helpers.node_processes import NodeProcess


def children(pid: int) -> list[int]:
    """Return the processes that a process has started."""
    found = []
    for path in Path('/proc').glob('[0-9]*/stat'):
        try:
            fields = path.read_text().rpartition(')')[2].split()
        except OSError:  # it has ended meanwhile
            continue
        if int(fields[1]) == pid and fields[0] != 'Z':
            found.append(int(path.parent.name))
    return found


@contextmanager
def without_fits(node: NodeProcess) -> Iterator[None]:
    """Let no fit of a node end within the ``with`` block."""
    (child,) = children(node.pid)
    os.kill(child, signal.SIGSTOP)
    try:
        yield
    finally:
        with suppress(ProcessLookupError):  # the node may have ended it
            os.kill(child, signal.SIGCONT)

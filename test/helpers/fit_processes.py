# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The process in which a node `feedforward` fits trajectories."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from helpers.child_processes import children
from helpers.node_processes import NodeProcess


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

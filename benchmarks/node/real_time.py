# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Real-time priority of the processes that a benchmark starts."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

PRIORITY = 50


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

# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Work on the samples of a batch, in slices and by several threads."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from functools import cache

import numpy as np

from screw_dynamics.errors import InputError, shown

# Work of a slice [ns], roughly, after which Ctrl-C is noticed.
_SLICE = 4_000_000
# Work of a thread [ns]: with less, waking it up costs more than it saves.
_LEAST = 100_000


def require_threads(threads: object) -> int:
    """Return a number of threads; raise InputError if it is no positive integer."""
    if isinstance(threads, bool) or not isinstance(threads, (int, np.integer)) or threads < 1:
        raise InputError(f'threads: expected a positive integer, got {shown(threads)}')
    return int(threads)


def over_samples(run: Callable[[slice], int], samples: int, work: int, threads: int = 1) -> int:
    """
    Return the largest status of `run`, called with slices that cover a batch.

    `work` is that of a sample [ns], roughly. The caller is one of the threads.
    """
    work = max(1, work)  # a robot without coordinates has none
    threads = min(threads, max(1, samples * work // _LEAST))
    step = max(1, _SLICE // work)
    if threads == 1 and samples <= step:
        return run(slice(samples))
    step = min(step, -(-samples // (2 * threads)))  # so that a late thread has less to do
    slices = deque(slice(start, start + step) for start in range(0, samples, step))
    others = [_pool().submit(_work, run, slices) for _ in range(threads - 1)]
    try:
        status = _work(run, slices)
    finally:  # interrupted: the other threads end after their slice, and the arrays rest
        slices.clear()
        wait(others)
    return max(status, *(other.result() for other in others), 0)


def _work(run: Callable[[slice], int], slices: deque[slice]) -> int:
    """Run slices until none is left; return the largest status."""
    status = 0
    while True:
        try:
            part = slices.popleft()
        except IndexError:
            return status
        status = max(status, run(part))


@cache
def _pool() -> ThreadPoolExecutor:
    """Return the threads, which are kept: to start one takes as long as 1000 samples."""
    return ThreadPoolExecutor(os.cpu_count(), 'samples')


# a process that was forked has none of the threads
os.register_at_fork(after_in_child=_pool.cache_clear)

# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Processes for recordings: they end with their parent, and one that is killed is replaced."""

from __future__ import annotations

import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import connection, get_context

from screw_dynamics.errors import ScrewDynamicsError
from screw_dynamics.fleet.record import Record

_WHY = "killed, out of memory, or the script lacks `if __name__ == '__main__':`"
_AHEAD = 4  # recordings per process that are given out before the first is yielded
_MOST_LOST = 5  # recordings one after the other whose processes end: no file does that


def in_processes(
    task: Callable[[str], Record], paths: Sequence[str], jobs: int
) -> Iterator[Record]:
    """
    Yield the records of paths in their order.

    When a process ends, all that was given out is repeated, one by one: what ends its process
    alone is a record with an error.
    """
    todo, given = deque(paths), deque[tuple[str, Future[Record]]]()
    alone, lost = 0, 0  # how many are repeated one by one, and were lost one after the other
    pool = _Pool(jobs)
    try:
        while todo or given:
            try:
                while todo and len(given) < (1 if alone else _AHEAD * jobs):
                    given.append((todo[0], pool.submit(task, todo[0])))
                    todo.popleft()
                record = given[0][1].result()
                lost = 0
            except BrokenProcessPool:
                pool.close()
                pool = _Pool(jobs)
                if not alone or not given:
                    todo.extendleft(path for path, _ in reversed(given))
                    alone = max(len(given), 1)
                    given.clear()
                    continue
                lost += 1
                if lost == _MOST_LOST:
                    raise ScrewDynamicsError(
                        f'processes ended with {lost} recordings one after the other: {_WHY}'
                    ) from None
                record = Record(
                    given[0][0],
                    error=f'{given[0][0]}: its process ended twice: {_WHY}',
                )
            given.popleft()
            alone = max(alone - 1, 0)
            yield record
        pool.close(wait=True)
    finally:
        pool.close()


class _Pool:
    """Processes that end when the other end of their pipe is closed, or its process dies."""

    def __init__(self, jobs: int) -> None:
        # not forked: threads and their locks are not copied
        context = get_context('forkserver')
        context.set_forkserver_preload(['screw_dynamics.fleet.functions'])
        ours, self._end = context.Pipe(duplex=False)
        self._ours = ours
        self._pool = ProcessPoolExecutor(jobs, context, _begin, (ours,))

    def submit(self, task: Callable[[str], Record], path: str) -> Future[Record]:
        return self._pool.submit(task, path)

    def close(self, wait: bool = False) -> None:
        """End the processes, also in the middle of a recording unless they may `wait`."""
        self._pool.shutdown(wait, cancel_futures=True)
        self._end.close()
        self._ours.close()


def _begin(end: connection.Connection) -> None:
    """Leave Ctrl-C to the parent, and exit with it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_exit_at_end, args=(end,), daemon=True).start()


def _exit_at_end(end: connection.Connection) -> None:
    connection.wait([end])
    os._exit(0)

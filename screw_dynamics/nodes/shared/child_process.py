# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`ChildProcess`: a process beside a node, whose callbacks have precedence."""

import os
import signal
import threading
from collections.abc import Callable
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from multiprocessing import get_context, parent_process
from typing import Any

from screw_dynamics.errors import ScrewDynamicsError, bounded

_NICE = 5
_SIGNALS = {signal.SIGINT, signal.SIGTERM}


class ChildProcess:
    """
    A process that executes functions one by one; one that has died is replaced at the next.

    It does not share the interpreter lock with the callbacks of the node, as a thread would.
    """

    def __init__(self) -> None:
        self._pool: ProcessPoolExecutor | None = None
        self._lock = threading.Lock()
        self.closed = False

    def submit(self, function: Callable[..., Any], *arguments: Any) -> Future[Any]:
        """Let a function of a module be executed; raise RuntimeError if the process is closed."""
        with self._lock:
            if self.closed:
                raise RuntimeError('closed')
            try:
                return self._started().submit(function, *arguments)
            except BrokenProcessPool:  # it has died while it was idle
                self._pool = None
                return self._started().submit(function, *arguments)

    def _started(self) -> ProcessPoolExecutor:
        if self._pool is None:
            # Ctrl-C is for this process: the other one inherits the mask until it ignores it
            before = signal.pthread_sigmask(signal.SIG_BLOCK, _SIGNALS)
            try:
                self._pool = ProcessPoolExecutor(1, get_context('spawn'), initializer=_begin)
            finally:
                signal.pthread_sigmask(signal.SIG_SETMASK, before)
        return self._pool

    def close(self) -> None:
        """End the process, also in the middle of a function."""
        with self._lock:
            pool, self._pool, self.closed = self._pool, None, True
        if pool is None:
            return
        for process in pool._processes.values():
            process.kill()
        # its threads end soon then, and its semaphores with them
        pool.shutdown(cancel_futures=True)


def reason(error: BaseException) -> str:
    """Return why something has failed, in one line."""
    if isinstance(error, ScrewDynamicsError):
        return str(error)
    return bounded(f'{type(error).__name__}: {error}')


def _begin() -> None:
    """Leave signals to the parent, give way to its callbacks, and exit with it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, _SIGNALS)
    if hasattr(os, 'sched_setscheduler'):  # a real-time priority is inherited
        with suppress(OSError):
            os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))
    with suppress(OSError):
        os.nice(_NICE)
    threading.Thread(target=_exit_with_parent, daemon=True).start()


def _exit_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        parent.join()
    os._exit(0)

# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`BackgroundCompiler`: compilation in a thread while the kernels run uncompiled."""

import logging
import threading
from collections.abc import Callable, Iterable
from queue import SimpleQueue
from typing import NamedTuple

from screw_dynamics.jit.compile_turn import Event, watched
from screw_dynamics.jit.kernel import Kernel, jit_enabled, uncompiled

_log = logging.getLogger(__name__)


class BackgroundCompiler:
    """Compile kernels one after the other in a daemon thread, each only once."""

    def __init__(self) -> None:
        self._asked: set[Kernel] = set()
        self._queue: SimpleQueue[Kernel] = SimpleQueue()
        self._thread: threading.Thread | None = None

    def compile(self, kernels: Iterable[Kernel]) -> None:
        """Queue kernels for compilation and return immediately."""
        for kernel in kernels:
            if kernel not in self._asked:
                self._asked.add(kernel)
                self._queue.put(kernel)
                if self._thread is None:
                    # daemon: Ctrl-C does not wait for a compilation
                    self._thread = threading.Thread(
                        target=self._work, name='compile_kernels', daemon=True
                    )
                    self._thread.start()

    def _work(self) -> None:
        while True:
            kernel = self._queue.get()
            try:
                kernel.compile()
            except Exception:  # the kernel stays uncompiled
                _log.exception('a kernel could not be compiled')


class CompileProgress(NamedTuple):
    """Compiled kernels, and the next one; `waits` is True if another process compiles it."""

    done: int
    total: int
    kernel: str = ''
    waits: bool = False


def compile_kernels(
    work: Callable[[], object], report: Callable[[CompileProgress], object]
) -> None:
    """
    Call a function after compiling all kernels that it calls, or loading them from the cache.

    It is first called on NumPy, to find them. `report` is called for kernels not in the cache.
    """
    if not jit_enabled():
        work()
        return
    with uncompiled() as called:
        work()
    missing = [kernel for kernel in called.kernels if not kernel.load()]
    for done, kernel in enumerate(missing):

        def on_event(event: Event, name: str, done: int = done) -> None:
            report(CompileProgress(done, len(missing), name, event is Event.WAITS))

        with watched(on_event):
            kernel.compile()
    if missing:
        report(CompileProgress(len(missing), len(missing)))
    work()

# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`BackgroundCompiler`: compilation in a thread while the kernels run uncompiled."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterable
from queue import SimpleQueue

from screw_dynamics.jit.kernel import Kernel

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

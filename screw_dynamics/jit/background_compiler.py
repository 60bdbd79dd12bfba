# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`BackgroundCompiler`: kernels compiled in a thread while their work goes on uncompiled."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterable
from queue import SimpleQueue

from screw_dynamics.jit.kernel import Kernel

_log = logging.getLogger(__name__)


class BackgroundCompiler:
    """Compiles one kernel after the other, each asked for once."""

    def __init__(self) -> None:
        self._asked: set[Kernel] = set()
        self._queue: SimpleQueue[Kernel] = SimpleQueue()
        self._thread: threading.Thread | None = None

    def compile(self, kernels: Iterable[Kernel]) -> None:
        """Add kernels to those to compile; return at once."""
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
            except Exception:  # it goes on uncompiled
                _log.exception('a kernel could not be compiled')

# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`CompileReport`: log lines about the compilation of kernels."""

from __future__ import annotations

import time
from typing import Any

from screw_dynamics.jit import CompileProgress

_CHANGE_PERIOD = 5.0  # s between lines if kernels were finished
_ALIVE_PERIOD = 10.0  # s between lines if none was


class CompileReport:
    """Logs the progress of a compilation at a rate that suits a log file."""

    def __init__(self, logger: Any) -> None:
        self._logger = logger
        self._shown: CompileProgress | None = None
        self._waited = False
        self._begun = self._last = 0.0

    def show(self, progress: CompileProgress | None) -> None:
        """Log new progress; None means that nothing has been compiled yet."""
        if progress is None:
            return
        text = self._news(progress, time.monotonic())
        if text:
            self._logger.info(text)
            self._shown, self._last = progress, time.monotonic()

    def _news(self, progress: CompileProgress, now: float) -> str:
        """Return the line to log now; empty if there is none."""
        shown, count = self._shown, f'{progress.total} kernels'
        if shown is None:
            self._begun = now
            return f'Compiling {count} (once, about a minute; later starts load them from disk)...'
        if shown.done == shown.total:
            return ''
        after = f'after {now - self._begun:.0f} s'
        if progress.done == progress.total:
            return f'Compiled {count} {after}'
        if progress.waits and not self._waited:
            self._waited = True
            return f'Another process compiles kernel {progress.kernel!r}: waiting for it'
        if now - self._last >= (_ALIVE_PERIOD if progress == shown else _CHANGE_PERIOD):
            return f'Compiling: {progress.done} of {count} done {after}'
        return ''

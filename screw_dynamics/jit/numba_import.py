# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`import_numba`: numba imported once, by one door, beyond the reach of Ctrl-C."""

from __future__ import annotations

import threading

_lock = threading.Lock()
_importer: _Importer | None = None


class _Importer(threading.Thread):
    """Imports numba and what it imports itself at the first compilation."""

    def __init__(self) -> None:
        super().__init__(name='import_numba')
        # Ctrl-C in join() makes some versions of Python take a running thread for a stopped one
        self.done = threading.Event()
        self.error: BaseException | None = None

    def run(self) -> None:
        try:
            import numba  # noqa: F401
            from numba.core.registry import cpu_target

            cpu_target.typing_context.refresh()
            cpu_target.target_context.refresh()
        except BaseException as error:
            self.error = error
        finally:
            self.done.set()


def import_numba() -> None:
    """
    Import numba, before anything else of it is imported.

    Two threads that enter a package by different modules of it are handed half of it by Python's
    import system, and Ctrl-C leaves half of it in place; both break numba for the whole process.
    So a thread of its own imports it, which is waited for and never interrupted.
    """
    global _importer
    with _lock:
        if _importer is None:
            importer = _Importer()
            try:
                importer.start()
            except RuntimeError:  # the interpreter is ending and starts no thread any more
                importer.run()
            _importer = importer
        importer = _importer
    importer.done.wait()
    if importer.error is not None:
        with _lock:
            if _importer is importer:
                _importer = None
        raise ImportError(f'numba cannot be imported: {importer.error}') from importer.error

# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`import_numba`: import of numba in a thread of its own, safe against Ctrl-C."""

from __future__ import annotations

import threading

_lock = threading.Lock()
_importer: _Importer | None = None


class _Importer(threading.Thread):
    """Import numba and the modules that it would import at the first compilation."""

    def __init__(self) -> None:
        super().__init__(name='import_numba')
        # after Ctrl-C in join(), some versions of Python treat a running thread as stopped
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
    Import numba; call this before importing any module of it.

    If two threads import different modules of a package, each may see it half imported, and
    Ctrl-C leaves it half imported; both break numba for the whole process. Therefore a separate
    thread, which is never interrupted, imports it and the callers wait. Raises ImportError if
    that fails; the next call tries again.
    """
    global _importer
    with _lock:
        if _importer is None:
            importer = _Importer()
            try:
                importer.start()
            except RuntimeError:  # the interpreter is exiting and starts no more threads
                importer.run()
            _importer = importer
        importer = _importer
    importer.done.wait()
    if importer.error is not None:
        with _lock:
            if _importer is importer:
                _importer = None
        raise ImportError(f'numba cannot be imported: {importer.error}') from importer.error

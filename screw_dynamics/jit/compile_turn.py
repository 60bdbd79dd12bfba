# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Lock for the first compilation of a kernel; import of numba."""

from __future__ import annotations

import importlib.util
import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from contextvars import ContextVar
from enum import Enum
from pathlib import Path
from typing import TypeAlias

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

    Threads that import parts of it, and Ctrl-C, may leave it half imported for the whole process.
    Therefore a thread of its own, which is never interrupted, imports it and the callers wait.
    Raises ImportError if that fails; the next call tries again.
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


class Event(Enum):
    """The reason why a kernel is not ready yet."""

    COMPILES = 'compiles'
    WAITS = 'waits'  # for another process that compiles it


Listener: TypeAlias = Callable[[Event, str], object]

_listener: ContextVar[Listener | None] = ContextVar('listener', default=None)


@contextmanager
def watched(listener: Listener) -> Iterator[None]:
    """Call `listener` for every kernel that this thread compiles or waits for in a block."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


def announce(event: Event, name: str) -> None:
    """Call the listener of this thread."""
    listener = _listener.get()
    if listener is not None:
        listener(event, name)


_HAS_LOCKS = importlib.util.find_spec('fcntl') is not None  # without, each process compiles
_LOOK_PERIOD = 0.05  # s
_PATIENCE = 600.0  # s; the process that holds the lock may be suspended


@contextmanager
def compile_turn(path: Path, on_wait: Callable[[], object]) -> Iterator[None]:
    """
    Hold the lock file of a kernel in a ``with`` block, if possible; remove it afterwards.

    `on_wait` is called once if another process holds it; it is waited for 10 minutes at most.
    """
    handle = _acquire(path, on_wait)
    try:
        yield
    finally:
        if handle is not None:
            # removed while locked: waiting processes notice and open a new file
            with suppress(OSError):
                path.unlink()
            os.close(handle)


def _acquire(path: Path, on_wait: Callable[[], object]) -> int | None:
    """Return the handle of the locked file, or None if it cannot be locked."""
    deadline = time.monotonic() + _PATIENCE
    waited = False
    while (handle := _open(path)) is not None:
        with ExitStack() as stack:
            stack.callback(os.close, handle)
            try:
                locked = _locked(handle)
                if locked and _is_at(path, handle):
                    stack.pop_all()
                    return handle
            except OSError:
                break
        if locked:  # a file that is no longer there
            continue
        if not waited:
            waited = True
            on_wait()
        if time.monotonic() > deadline:
            break
        time.sleep(_LOOK_PERIOD)
    return None


def _open(path: Path) -> int | None:
    if not _HAS_LOCKS:
        return None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
    except OSError:
        return None


def _locked(handle: int) -> bool:
    import fcntl

    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _is_at(path: Path, handle: int) -> bool:
    """Return whether the open file is still the one at this path."""
    try:
        return os.path.samestat(os.fstat(handle), os.stat(path))
    except FileNotFoundError:
        return False

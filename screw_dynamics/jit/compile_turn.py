# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`watched`: notification of a listener about kernels that are not compiled yet."""

import importlib.util
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from enum import Enum
from pathlib import Path
from typing import TypeAlias


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
    Hold the lock file of a kernel in a ``with`` block; remove it afterwards.

    `on_wait` is called once if another process holds the lock. A lock ends with its process. The
    block also runs if no lock is possible (read-only folder, network file system without locks)
    or if another process does not release it within 10 minutes.
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
    while True:
        handle = _open(path)
        if handle is None:
            return None
        try:
            if _locked(handle):
                if _is_at(path, handle):
                    return handle
                os.close(handle)
                continue
        except OSError:
            os.close(handle)
            return None
        except BaseException:  # Ctrl-C
            os.close(handle)
            raise
        os.close(handle)
        if not waited:
            waited = True
            on_wait()
        if time.monotonic() > deadline:
            return None
        time.sleep(_LOOK_PERIOD)


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

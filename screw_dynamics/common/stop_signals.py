# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The end of work: the first SIGINT or SIGTERM stops it, a later one its orderly end."""

import faulthandler
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import PurePath
from types import FrameType
from typing import Any

STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM)
# s that the destruction of a node may take: some builds of Fast DDS 2.14 never end it if they
# discover something meanwhile (eProsima/Fast-DDS#6513)
SHUTDOWN_DEADLINE = 30.0
# s after a signal, for which a shell, a launcher and a supervisor may repeat it, also on a busy
# machine; a launch file sends SIGTERM 5 s after Ctrl-C
_ECHO = 2.0


class SignalGuard:
    """
    A signal handler that raises KeyboardInterrupt once, while `armed` is True.

    `requested` is True after a signal, raised or not, and `urgent` after a further one.
    """

    def __init__(self) -> None:
        self.armed = True
        self.requested = self.urgent = False
        self._since = 0.0  # time of the first signal [s]

    def __call__(self, number: int, frame: FrameType | None) -> None:
        """Handle a signal; while rclpy constructs a future, leave it to rclpy, which stops too."""
        if not self.requested:
            self._since = time.monotonic()
        self.urgent = time.monotonic() - self._since > _ECHO
        self.requested = True
        if self.armed and not _constructs_future(frame):
            self.armed = False
            raise KeyboardInterrupt


_blocks: list[SignalGuard] = []  # in which the main thread is


def _constructs_future(frame: FrameType | None) -> bool:
    # the destructor of a future without attributes prints a traceback
    code = None if frame is None else frame.f_code
    return (
        code is not None
        and code.co_name == '__init__'
        and PurePath(code.co_filename).parts[-2:] == ('rclpy', 'task.py')
    )


@contextmanager
def stop_once(
    *, to_the_end: bool, numbers: Sequence[signal.Signals] = STOP_SIGNALS
) -> Iterator[SignalGuard]:
    """
    Raise KeyboardInterrupt in a ``with`` block at the first signal, and not at later ones.

    With `to_the_end`, signals stay ignored after the block, else the handlers are restored.
    """
    stop = SignalGuard()
    if threading.current_thread() is not threading.main_thread():
        yield stop  # only the main thread can set signal handlers
        return
    _blocks.append(stop)
    before = replace_handlers(numbers, stop)
    try:
        yield stop
    finally:
        _blocks.remove(stop)
        stop.armed = False
        if to_the_end:
            ignore_stop_signals()
        else:
            restore_handlers(before)


def replace_handlers(
    numbers: Sequence[signal.Signals], handler: Callable[[int, FrameType | None], object]
) -> dict[signal.Signals, Any]:
    """Replace handlers, but of signals that are ignored (nohup); return the former ones."""
    return {
        number: signal.signal(number, handler)
        for number in numbers
        if signal.getsignal(number) is not signal.SIG_IGN
    }


def restore_handlers(before: dict[signal.Signals, Any]) -> None:
    """Undo `replace_handlers`."""
    for number, handler in before.items():
        signal.signal(number, handler)


def stop_is_urgent() -> bool:
    """Return True after a further signal in a `stop_once` block."""
    return any(stop.urgent for stop in _blocks)


def ignore_stop_signals() -> None:
    """Ignore SIGINT and SIGTERM from now on, also during interpreter shutdown."""
    if threading.current_thread() is threading.main_thread():
        for number in STOP_SIGNALS:
            signal.signal(number, signal.SIG_IGN)


@contextmanager
def shutdown_deadline() -> Iterator[None]:
    """
    End the process with exit code 1 if the ``with`` block takes longer than `SHUTDOWN_DEADLINE`.

    The thread of faulthandler does so, and writes to stderr where the others are: no other runs
    while C++ code keeps the interpreter lock.
    """
    with suppress(OSError, ValueError):  # reported where the process ends
        flush()
    with suppress(OSError, RuntimeError, ValueError):  # no file or thread is left
        faulthandler.dump_traceback_later(SHUTDOWN_DEADLINE, exit=True, file=_stderr())
    try:
        yield
    finally:
        faulthandler.cancel_dump_traceback_later()


def _stderr() -> int:
    """Return the file descriptor of stderr, or of a file that nobody reads if it is closed."""
    try:
        return sys.stderr.fileno()
    except (AttributeError, OSError, ValueError):
        return os.open(os.devnull, os.O_WRONLY)


def flush() -> None:
    """Write what is buffered, or raise OSError."""
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:  # closed at the start
            stream.flush()

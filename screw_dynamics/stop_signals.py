# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Handling of SIGINT and SIGTERM: the first one stops the work, later ones are ignored."""

import signal
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import PurePath
from types import FrameType

STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM)


class StopOnce:
    """
    A signal handler that raises KeyboardInterrupt once, while `armed` is True.

    `requested` is True after a signal, raised or not.
    """

    def __init__(self) -> None:
        self.armed = True
        self.requested = False

    def __call__(self, number: int, frame: FrameType | None) -> None:
        """Handle a signal; while rclpy constructs a future, leave it to rclpy, which stops too."""
        self.requested = True
        if self.armed and not _constructs_future(frame):
            self.armed = False
            raise KeyboardInterrupt


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
) -> Iterator[StopOnce]:
    """
    Raise KeyboardInterrupt in a ``with`` block at the first signal and ignore later ones.

    With `to_the_end`, signals stay ignored after the block, else the handlers are restored.
    """
    stop = StopOnce()
    if threading.current_thread() is not threading.main_thread():
        yield stop  # only the main thread can set signal handlers
        return
    before = {
        number: signal.signal(number, stop)
        for number in numbers
        # ignored signals (nohup, background of a script) stay ignored
        if signal.getsignal(number) is not signal.SIG_IGN
    }
    try:
        yield stop
    finally:
        stop.armed = False
        if to_the_end:
            ignore_stop_signals()
        else:
            for number, handler in before.items():
                signal.signal(number, handler)


def ignore_stop_signals() -> None:
    """Ignore SIGINT and SIGTERM from now on, also during interpreter shutdown."""
    if threading.current_thread() is threading.main_thread():
        for number in STOP_SIGNALS:
            signal.signal(number, signal.SIG_IGN)

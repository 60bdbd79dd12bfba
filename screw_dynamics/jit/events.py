# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`watched`: notification of a listener about kernels that are not compiled yet."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from enum import Enum
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

# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`watched`: who wants to hear of kernels that are not there yet."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from enum import Enum
from typing import TypeAlias


class Event(Enum):
    """Why a kernel is not there yet."""

    COMPILES = 'compiles'
    WAITS = 'waits'  # for another process that compiles it


Listener: TypeAlias = Callable[[Event, str], object]

_listener: ContextVar[Listener | None] = ContextVar('listener', default=None)


@contextmanager
def watched(listener: Listener) -> Iterator[None]:
    """Call a function for every kernel that this thread compiles in a ``with`` block."""
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

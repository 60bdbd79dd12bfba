# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`uncompiled`: run now on NumPy what would have to be compiled first."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from screw_dynamics.jit.kernel import Kernel


class Postponed:
    """Kernels that ran uncompiled in a block."""

    def __init__(self, load: bool) -> None:
        self._load = load
        self._kernels: dict[Kernel, None] = {}

    @property
    def kernels(self) -> tuple[Kernel, ...]:
        """Each once, in the order of their first call."""
        return tuple(self._kernels)

    def add(self, kernel: Kernel) -> bool:
        """Take a kernel that is not compiled in this process yet."""
        if kernel not in self._kernels:
            if self._load and kernel.load():
                return False
            self._kernels[kernel] = None
        return True


_postponed: ContextVar[Postponed | None] = ContextVar('postponed', default=None)


@contextmanager
def uncompiled(*, load: bool = False) -> Iterator[Postponed]:
    """
    Compile nothing in a ``with`` block: kernels that are not compiled yet run on NumPy.

    It holds for the calling thread.
    """
    postponed = Postponed(load)
    token = _postponed.set(postponed)
    try:
        yield postponed
    finally:
        _postponed.reset(token)


@contextmanager
def compiled_again() -> Iterator[None]:
    """Compile as usual in a ``with`` block, inside one of `uncompiled`."""
    token = _postponed.set(None)
    try:
        yield
    finally:
        _postponed.reset(token)


def postponed(kernel: Kernel) -> bool:
    """Return whether a kernel that is not compiled is to run uncompiled now."""
    block = _postponed.get()
    return block is not None and block.add(kernel)

# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`uncompiled`: execution on NumPy of kernels that are not compiled yet."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from screw_dynamics.jit.kernel import Kernel


class Postponed:
    """Kernels that ran uncompiled in a block; with `load`, cached ones are loaded instead."""

    def __init__(self, load: bool) -> None:
        self._load = load
        self._kernels: dict[Kernel, None] = {}

    @property
    def kernels(self) -> tuple[Kernel, ...]:
        """The kernels without duplicates, in the order of their first call."""
        return tuple(self._kernels)

    def add(self, kernel: Kernel) -> bool:
        """Add a kernel that is not compiled; return False if it was loaded instead."""
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

    Applies to the calling thread only. With `load`, kernels are still loaded from the cache on
    disk. The block yields a `Postponed`, whose `kernels` are those that ran uncompiled.
    """
    postponed = Postponed(load)
    token = _postponed.set(postponed)
    try:
        yield postponed
    finally:
        _postponed.reset(token)


@contextmanager
def compiled_again() -> Iterator[None]:
    """Compile as usual in a ``with`` block inside a block of `uncompiled`."""
    token = _postponed.set(None)
    try:
        yield
    finally:
        _postponed.reset(token)


def postponed(kernel: Kernel) -> bool:
    """Return whether a kernel that is not compiled must run uncompiled now; record it if so."""
    block = _postponed.get()
    return block is not None and block.add(kernel)

# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`compile_kernels`: compilation of all kernels that a function calls, with progress reports."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from screw_dynamics.jit.events import Event, watched
from screw_dynamics.jit.kernel import jit_enabled
from screw_dynamics.jit.uncompiled import uncompiled


class CompileProgress(NamedTuple):
    """
    Progress of a compilation: `done` of `total` kernels are compiled.

    `kernel` is the name of the next one, empty at the end; `waits` is True if another process
    compiles it.
    """

    done: int
    total: int
    kernel: str = ''
    waits: bool = False


def compile_kernels(
    work: Callable[[], object], report: Callable[[CompileProgress], object]
) -> None:
    """
    Call a function after compiling all kernels that it calls, or loading them from the cache.

    The function is called on NumPy first, to find these kernels. `report` is called only if at
    least one of them is not in the cache.
    """
    if not jit_enabled():
        work()
        return
    with uncompiled() as called:
        work()
    missing = [kernel for kernel in called.kernels if not kernel.load()]
    for done, kernel in enumerate(missing):

        def on_event(event: Event, name: str, done: int = done) -> None:
            report(CompileProgress(done, len(missing), name, event is Event.WAITS))

        with watched(on_event):
            kernel.compile()
    if missing:
        report(CompileProgress(len(missing), len(missing)))
    work()

# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`compile_kernels`: compile all that a piece of work calls, and say how far that is."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from screw_dynamics.jit.events import Event, watched
from screw_dynamics.jit.kernel import jit_enabled
from screw_dynamics.jit.uncompiled import uncompiled


class CompileProgress(NamedTuple):
    """How far the compilation is."""

    done: int
    total: int
    kernel: str = ''
    waits: bool = False


def compile_kernels(
    work: Callable[[], object], report: Callable[[CompileProgress], object]
) -> None:
    """Call a function with all that it calls compiled, or loaded from the cache."""
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

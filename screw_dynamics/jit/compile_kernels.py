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
    """
    How far the compilation is.

    Parameters
    ----------
    done, total : int
        Kernels that are compiled, and that were to be.
    kernel : str
        Name of the one that is next; empty at the end.
    waits : bool
        Whether another process compiles that one.

    """

    done: int
    total: int
    kernel: str = ''
    waits: bool = False


def compile_kernels(
    work: Callable[[], object], report: Callable[[CompileProgress], object]
) -> None:
    """
    Call a function with all that it calls compiled, or loaded from the cache.

    Parameters
    ----------
    work : callable
        Called on NumPy first, to see which kernels it takes.
    report : callable
        Takes a CompileProgress, from the first kernel that is in no cache to the last one.

    Examples
    --------
    >>> import numpy as np
    >>> import screw_dynamics as sd
    >>> model = sd.read_urdf(sd.share_path('urdf/planar_2r.urdf'))
    >>> compile_kernels(lambda: sd.mass_matrix(model, np.zeros(2)), lambda progress: None)

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

# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Choice between NumPy and compiled kernels: small work is done before a compiler has begun."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from screw_dynamics.command_line.process_end import print_error
from screw_dynamics.jit import compiled_again, uncompiled, watched

_FEW = 20_000  # samples, which take NumPy seconds where compilation takes a minute


@contextmanager
def kernels_of_a_command() -> Iterator[None]:
    """
    Use compiled kernels that are on disk, in a ``with`` block, and compile none for small work.

    Where one is compiled after all, a line on stderr says so.
    """
    said = False

    def say(*_: object) -> None:
        nonlocal said
        if not said:
            said = True
            print_error('compiling kernels (once, about a minute)...')

    with uncompiled(load=True), watched(say):
        yield


@contextmanager
def kernels_for(samples: int) -> Iterator[None]:
    """Compile in a ``with`` block where the work is worth it."""
    if samples < _FEW:
        yield
    else:
        with compiled_again():
            yield

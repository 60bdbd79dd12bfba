# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Choice between NumPy and compiled kernels: compilation does not pay for small work."""

from collections.abc import Iterator
from contextlib import contextmanager

from screw_dynamics.command_line.process_end import print_error
from screw_dynamics.jit import compiled_again, uncompiled, watched

_FEW = 20_000  # samples: NumPy needs seconds for them, compilation takes a minute


@contextmanager
def kernels_of_a_command() -> Iterator[None]:
    """
    Use compiled kernels from the disk cache in a ``with`` block, and compile no others.

    If `kernels_for` allows compilation inside the block, the first one is reported on stderr.
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
    """Allow compilation in a ``with`` block if so many samples are worth it."""
    if samples < _FEW:
        yield
    else:
        with compiled_again():
            yield

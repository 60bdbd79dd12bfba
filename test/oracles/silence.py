# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Suppression of output that a C++ library prints on the terminal."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def silenced() -> Iterator[None]:
    """
    Drop what is written to standard output and standard error inside the block.

    It works on the file descriptors, which C++ writes to past `sys.stdout` and `sys.stderr`.
    """
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    saved = {number: os.dup(number) for number in (1, 2)}
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        for number in saved:
            os.dup2(nowhere, number)
        yield
    finally:
        for number, copy in saved.items():
            os.dup2(copy, number)
            os.close(copy)
        os.close(nowhere)

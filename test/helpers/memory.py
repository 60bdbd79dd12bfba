# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Memory that repeated calls keep."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable


def bytes_kept(run: Callable[[int], None], count: int) -> int:
    """
    Return the bytes that `count` calls keep, the least of five measurements.

    Other threads of the test process allocate now and then; what the calls keep shows every time.
    """
    tracemalloc.start()
    try:
        run(500)
        kept = []
        for _ in range(5):
            before = tracemalloc.get_traced_memory()[0]
            run(count)
            kept.append(tracemalloc.get_traced_memory()[0] - before)
    finally:
        tracemalloc.stop()
    return min(kept)

# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Evenly spaced sample times."""

import numpy as np

from screw_dynamics.arrays import Array

_ROUNDING = 1e-6  # of a period: a remainder below the rounding of the times gets no sample


def sample_count(start: float, end: float, rate: float) -> int:
    """Return how many samples `even_times` returns; raise OverflowError if they are infinite."""
    return max(int(np.ceil((end - start) * rate - _ROUNDING)), int(end > start)) + 1


def even_times(start: float, end: float, rate: float) -> Array:
    """Return evenly spaced times (T,) [s] from `start` to `end`, with both, at a `rate` [1/s]."""
    times: Array = start + np.arange(sample_count(start, end, rate)) / rate
    times[-1] = end
    return times

# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Conversions between arrays and the number fields of messages."""

from __future__ import annotations

from array import array
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from screw_dynamics.arrays import Array


def double_array(values: ArrayLike) -> array[float]:
    """Return values (row-major) as the array type that messages accept without element checks."""
    return array('d', np.ascontiguousarray(values, dtype=np.float64).tobytes())


def field_view(message: Any, field: str, size: int) -> Array:
    """
    Set a float64[] field of a message to its final size and return a (size,) view of its memory.

    Writing to the view changes the message, so publishing allocates nothing.
    """
    setattr(message, field, array('d', bytes(8 * size)))
    # read back: the setter may copy
    return np.frombuffer(getattr(message, field), dtype=np.float64)

# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`ValueEquality`: records of arrays that compare by their values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from functools import cached_property
from typing import Any

import numpy as np


class ValueEquality:
    """
    Base of frozen dataclasses (``eq=False``) whose fields are arrays, names, numbers, mappings.

    Two records are equal if they are of the same class and every field holds equal values: arrays
    of the same shape, entry by entry without tolerance, -0.0 equal to 0.0; the order of a mapping
    does not count. Equal records have equal hashes.
    """

    def __eq__(self, other: object) -> bool:
        """Return whether both hold the same values."""
        if self is other:
            return True
        if type(other) is not type(self):
            return NotImplemented
        names = [entry.name for entry in fields(self)]  # type: ignore[arg-type]
        return all(_equal(getattr(self, name), getattr(other, name)) for name in names)

    def __hash__(self) -> int:
        """Return a hash of all values, computed once."""
        return self._hash

    @cached_property
    def _hash(self) -> int:
        names = [entry.name for entry in fields(self)]  # type: ignore[arg-type]
        return hash((type(self), *(_hashable(getattr(self, name)) for name in names)))


def _equal(one: Any, other: Any) -> bool:
    if isinstance(one, np.ndarray):
        return np.array_equal(one, other)
    return bool(one == other)


def _hashable(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        # adding zero turns -0.0 into the 0.0 that it equals
        return value.shape, (value + 0).tobytes()
    if isinstance(value, Mapping):
        return frozenset((name, _hashable(entry)) for name, entry in value.items())
    return value

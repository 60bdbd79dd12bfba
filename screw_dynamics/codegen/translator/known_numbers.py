# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Numbers that are known when C is written for one robot: those of tables, and their counts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray


class Size(int):
    """A known number of bodies or coordinates: loops over it stay loops."""

    def __add__(self, other: int) -> Size:
        """Return a size."""
        return Size(int(self) + other)

    def __sub__(self, other: int) -> Size:
        """Return a size."""
        return Size(int(self) - other)

    def __mul__(self, other: int) -> Size:
        """Return a size."""
        return Size(int(self) * other)

    __radd__, __rmul__ = __add__, __mul__


@dataclass(frozen=True)
class Places:
    """Where a pointer into a table of numbers, objects of Python, can point to."""

    numbers: tuple[Any, ...]
    starts: frozenset[int]

    def moved(self, rows: Iterable[int]) -> Places | None:
        """Return the places some rows further on; those outside of the table are never used."""
        starts = {start + row for start in self.starts for row in rows}
        inside = frozenset(start for start in starts if 0 <= start < len(self.numbers))
        return Places(self.numbers, inside) if inside else None

    def choices(self, row: int) -> set[Any]:
        """Return what is in a row."""
        places = (start + row for start in self.starts)
        return {self.numbers[k] for k in places if k < len(self.numbers)}


class Contents:
    """
    What is in an array.

    `numbers` are objects of Python, with the axes of the array behind one for every index that is
    not known: along these axes lies what an item can be.
    """

    def __init__(self, numbers: NDArray[Any]) -> None:
        self.numbers = np.array(numbers, dtype=object)
        self._key = self.numbers.shape, tuple(self.numbers.ravel().tolist())

    def __eq__(self, other: object) -> bool:
        """Return whether numbers and axes are equal."""
        return isinstance(other, Contents) and self._key == other._key

    def __hash__(self) -> int:
        """Return the hash of the numbers."""
        return hash(self._key)

    def part(self, ndim: int, indices: Sequence[int | slice | None]) -> Contents:
        """Return a part of an array with `ndim` axes; None is an index that is not known."""
        numbers = self.numbers
        axis = numbers.ndim - ndim
        for index in indices:
            if isinstance(index, slice):
                numbers = numbers[(slice(None),) * axis + (index,)]
                axis += 1
            elif index is None:
                numbers = np.moveaxis(numbers, axis, 0)
                axis += 1
            else:
                numbers = numbers.take(index, axis=axis)
        return Contents(numbers)

    def reshaped(self, ndim: int, shape: Sequence[int]) -> Contents:
        """Return the numbers of an array with `ndim` axes in another shape."""
        lead = self.numbers.shape[: self.numbers.ndim - ndim]
        return Contents(self.numbers.reshape((*lead, *shape)))

    def choices(self) -> set[Any]:
        """Return what an item can be."""
        return set(self.numbers.ravel().tolist())

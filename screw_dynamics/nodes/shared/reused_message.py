# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`ReusedMessage`: a message made once, into which numbers are written at every publication."""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from screw_dynamics.arrays import Array
from screw_dynamics.messages.times import set_stamp

STAMP = ('header.stamp',)


class ReusedMessage:
    """
    A message of which only numbers change.

    `rows` are arrays (f, size) by their f fields, float64[] of this size or, with size 1, float64;
    `times` and `numbers` are fields of Time or Duration and of integers. The names of fields have
    dots: ``header.stamp``.
    """

    def __init__(
        self,
        message: Any,
        rows: Mapping[tuple[str, ...], Array],
        times: Sequence[str] = (),
        numbers: Sequence[str] = (),
    ) -> None:
        self._message = message
        self._arrays: list[tuple[Array, Array]] = []  # the memory of a field, and its row
        self._singles: list[tuple[Any, str, Array]] = []
        for fields, values in rows.items():
            for field, row in zip(fields, values, strict=False):
                owner, name = _owner(message, field)
                if isinstance(getattr(owner, name), float):
                    self._singles.append((owner, name, row))
                    continue
                setattr(owner, name, array('d', bytes(row.nbytes)))
                self._arrays.append((np.frombuffer(getattr(owner, name)), row))
        self._times = [getattr(*_owner(message, field)) for field in times]
        self._numbers = [_owner(message, field) for field in numbers]

    def written(self, times: Sequence[int] = (), numbers: Sequence[int] = ()) -> Any:
        """Return what to publish, with the present rows, with times [ns] and numbers."""
        for memory, row in self._arrays:
            memory[:] = row
        for owner, name, row in self._singles:
            setattr(owner, name, float(row[0]))
        for stamp, time in zip(self._times, times, strict=True):
            set_stamp(stamp, time)
        for (owner, name), number in zip(self._numbers, numbers, strict=True):
            setattr(owner, name, int(number))
        return self._message


def _owner(message: Any, field: str) -> tuple[Any, str]:
    """Return the (part of the) message that has a field, and its name there."""
    *parts, name = field.split('.')
    for part in parts:
        message = getattr(message, part)
    return message, name

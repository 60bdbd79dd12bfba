# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`SerializedMessage`: a message serialised once, into whose bytes numbers are written."""

from __future__ import annotations

import struct
from array import array
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from rclpy.serialization import serialize_message
from rclpy.utilities import get_rmw_implementation_identifier

from screw_dynamics.arrays import Array
from screw_dynamics.errors import InputError
from screw_dynamics.messages.times import SECOND

STAMP = ('header.stamp',)
_TIME = struct.Struct('=iI')  # seconds and nanoseconds of a Time or a Duration
_MARKED_TIME = (0x2B1C3D4E, 0x1A2B3C4D)
_MARKED_NUMBERS = (255, 1, 170, 85, 51, 204, 15, 0)
_FLOAT = 8  # bytes


class SerializedMessage:
    """
    The bytes of a message whose length does not change.

    rclpy reads a message object field by field and serialises it, at every publication: that takes
    ten times as long as to publish bytes. `rows` are arrays (f, size) by their f fields, float64[]
    of this size or, with size 1, float64; `times` and `numbers` are fields of Time or Duration and
    of uint8. The names of fields have dots: ``header.stamp``. Where each field is in the bytes is
    found by marks, whatever the serialisation.
    """

    def __init__(
        self,
        message: Any,
        rows: Mapping[tuple[str, ...], Array],
        times: Sequence[str] = (),
        numbers: Sequence[str] = (),
    ) -> None:
        for fields, values in rows.items():
            for field in fields:
                _set(message, field, _floats(np.zeros(values.shape[1])))
        self._data = bytearray(serialize_message(message))
        self._copies = [
            (view, part)
            for fields, values in rows.items()
            for view, part in self._views(message, fields, values)
        ]
        self._times = [_time_place(message, field) for field in times]
        self._numbers = [_number_place(message, field) for field in numbers]

    def _views(
        self, message: Any, fields: tuple[str, ...], rows: Array
    ) -> list[tuple[Array, Array]]:
        """Return views of the bytes with the rows that belong there: one if evenly spaced."""
        size = rows.shape[1]
        if not fields:
            return []
        places = [_floats_place(message, field, size) for field in fields]
        steps = set(np.diff(places).tolist())
        parts = [slice(None)] if len(steps) <= 1 else [slice(i, i + 1) for i in range(len(places))]
        step = max(steps, default=_FLOAT)
        views = []
        for part in parts:
            shape, offset = rows[part].shape, places[part][0]
            view: Array = np.ndarray(shape, np.float64, self._data, offset, strides=(step, _FLOAT))
            views.append((view, rows[part]))
        return views

    def written(self, times: Sequence[int] = (), numbers: Sequence[int] = ()) -> bytes:
        """Return the bytes with the present rows, with times [ns] and numbers."""
        data = self._data
        for view, rows in self._copies:
            view[...] = rows
        for place, time in zip(self._times, times, strict=True):
            _TIME.pack_into(data, place, *divmod(time, SECOND))
        for place, number in zip(self._numbers, numbers, strict=True):
            data[place] = number
        return bytes(data)


def _owner(message: Any, field: str) -> tuple[Any, str]:
    """Return the (part of the) message that has a field, and its name there."""
    *parts, name = field.split('.')
    for part in parts:
        message = getattr(message, part)
    return message, name


def _set(message: Any, field: str, values: Any) -> None:
    owner, name = _owner(message, field)
    setattr(owner, name, values[0] if isinstance(getattr(owner, name), float) else values)


def _floats(values: Array) -> array[float]:
    return array('d', values.tobytes())


def _floats_place(message: Any, field: str, size: int) -> int:
    """Return where the values of a field begin."""
    mark = np.random.default_rng(0).random(size)
    _set(message, field, _floats(mark))
    place = _place(message, field, mark.tobytes())
    _set(message, field, _floats(np.zeros(size)))
    return place


def _time_place(message: Any, field: str) -> int:
    owner, name = _owner(message, field)
    stamp = getattr(owner, name)
    stamp.sec, stamp.nanosec = _MARKED_TIME
    place = _place(message, field, _TIME.pack(*_MARKED_TIME))
    stamp.sec, stamp.nanosec = 0, 0
    return place


def _number_place(message: Any, field: str) -> int:
    owner, name = _owner(message, field)
    follows = np.ones(len(serialize_message(message)), dtype=np.bool_)
    for value in _MARKED_NUMBERS:
        setattr(owner, name, value)
        # bytes between fields are left over from other uses of the memory: they may change, too
        follows &= np.frombuffer(serialize_message(message), np.uint8) == value
    (places,) = np.nonzero(follows)
    if len(places) != 1:
        raise _unknown(field)
    return int(places[0])


def _place(message: Any, field: str, mark: bytes) -> int:
    """Return where the mark in a field is in the bytes, once."""
    data = serialize_message(message)
    if data.count(mark) != 1:
        raise _unknown(field)
    place: int = data.index(mark)
    return place


def _unknown(field: str) -> InputError:
    return InputError(
        f'{field}: expected a middleware that serialises numbers as they are in memory, got '
        f'{get_rmw_implementation_identifier()} (RMW_IMPLEMENTATION)'
    )

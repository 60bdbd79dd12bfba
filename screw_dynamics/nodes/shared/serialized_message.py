# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`SerializedMessage`: a message serialised once, into whose bytes numbers are written."""

from __future__ import annotations

import struct
from array import array
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from rclpy.serialization import deserialize_message, serialize_message

from screw_dynamics.arrays import Array
from screw_dynamics.messages.times import SECOND, set_stamp

STAMP = ('header.stamp',)
_TIME = struct.Struct('=iI')  # seconds and nanoseconds of a Time or a Duration
_MARKED_TIME = (0x2B1C3D4E, 0x1A2B3C4D)
_MARKED_LONG = 0x1B2A3D4C5F6E7081
_MARKED_NUMBERS = (255, 1, 170, 85, 51, 204, 15, 0)


class SerializedMessage:
    """
    The bytes of a message whose length does not change.

    rclpy reads a message object field by field and serialises it, at every publication: that takes
    ten times as long as to publish bytes. `rows` are arrays (f, size) by their f fields, float64[]
    of this size or, with size 1, float64; `times` and `numbers` are fields of Time or Duration and
    of uint8 or uint64. The names of fields have dots: ``header.stamp``. Where each field is in the
    bytes is found by marks. The message itself is filled if a middleware serialises numbers in
    another way than memory holds them, or if the last field of the message is none of these.
    """

    def __init__(
        self,
        message: Any,
        rows: Mapping[tuple[str, ...], Array],
        times: Sequence[str] = (),
        numbers: Sequence[str] = (),
    ) -> None:
        self._message, self._rows = message, rows
        self._fields = times, numbers
        for fields, values in rows.items():
            for field in fields:
                _set(message, field, _floats(np.zeros(values.shape[1])))
        self._data: bytearray | None = None
        self._parts: list[memoryview] = []  # of the message, in order
        try:
            self._times = [_time_place(message, field) for field in times]
            self._numbers = [_number_place(message, field) for field in numbers]
            places = self._floats_places()
            self._data = _data(message, self._end(places))
            self._parts = _divided(self._data, places)
        except _NotFoundError:
            self._data = None

    def _floats_places(self) -> list[tuple[int, memoryview]]:
        """Return where the floating-point fields begin in the bytes, in order, and their rows."""
        places = sorted(
            (_floats_place(self._message, field, len(row)), field, _bytes(row))
            for fields, values in self._rows.items()
            for field, row in zip(fields, values, strict=False)
        )
        return [(place, row) for place, _, row in places]

    def _end(self, floats: Sequence[tuple[int, memoryview]]) -> int:
        """Return where the last field ends that is written."""
        end: int = max(
            0,
            *(place + len(row) for place, row in floats),
            *(place + _TIME.size for place in self._times),
            *(part.stop for part in self._numbers),
        )
        return end

    def written(self, times: Sequence[int] = (), numbers: Sequence[int] = ()) -> Any:
        """Return what to publish, with the present rows, with times [ns] and numbers."""
        data = self._data
        if data is None:
            return self._filled(times, numbers)
        for place, time in zip(self._times, times, strict=True):
            _TIME.pack_into(data, place, *divmod(time, SECOND))
        for part, number in zip(self._numbers, numbers, strict=True):
            data[part] = number.to_bytes(part.stop - part.start, 'little')
        return b''.join(self._parts)

    def _filled(self, times: Sequence[int], numbers: Sequence[int]) -> Any:
        """Return the message with all fields set."""
        message = self._message
        for fields, values in self._rows.items():
            for field, row in zip(fields, values, strict=False):
                _set(message, field, _floats(row))
        names_of_times, names_of_numbers = self._fields
        for field, time in zip(names_of_times, times, strict=True):
            owner, name = _owner(message, field)
            set_stamp(getattr(owner, name), time)
        for field, number in zip(names_of_numbers, numbers, strict=True):
            owner, name = _owner(message, field)
            setattr(owner, name, int(number))
        return message


class _NotFoundError(Exception):
    """The bytes are not the message, or a mark in a field is not in them once."""


def _data(message: Any, end: int) -> bytearray:
    """
    Return the bytes of a message, which end with a field that is written.

    Behind the end there may be room that serialisation has not used and not cleared: readers that
    count would reject it.
    """
    data = serialize_message(message)[:end]
    try:
        whole = deserialize_message(data, type(message)) == message
    except Exception:  # what a middleware raises is not documented
        whole = False
    if not whole:
        raise _NotFoundError
    return bytearray(data)


def _divided(data: bytearray, floats: Sequence[tuple[int, memoryview]]) -> list[memoryview]:
    """Return the bytes before, between and behind the floating-point fields, and the rows."""
    parts, end = [], 0
    for place, row in floats:
        parts += [memoryview(data)[end:place], row]
        end = place + len(row)
    return [*parts, memoryview(data)[end:]]


def _owner(message: Any, field: str) -> tuple[Any, str]:
    """Return the (part of the) message that has a field, and its name there."""
    *parts, name = field.split('.')
    for part in parts:
        message = getattr(message, part)
    return message, name


def _set(message: Any, field: str, values: Any) -> None:
    owner, name = _owner(message, field)
    setattr(owner, name, values[0] if isinstance(getattr(owner, name), float) else values)


def _bytes(row: Array) -> memoryview:
    """Return the memory of a contiguous array."""
    return row.data.cast('B')


def _floats(values: Array) -> array[float]:
    return array('d', values.tobytes())


def _floats_place(message: Any, field: str, size: int) -> int:
    """Return where the values of a field begin."""
    mark = np.random.default_rng(0).random(size)
    _set(message, field, _floats(mark))
    try:
        return _place(message, mark.tobytes())
    finally:
        _set(message, field, _floats(np.zeros(size)))


def _time_place(message: Any, field: str) -> int:
    owner, name = _owner(message, field)
    stamp = getattr(owner, name)
    stamp.sec, stamp.nanosec = _MARKED_TIME
    try:
        return _place(message, _TIME.pack(*_MARKED_TIME))
    finally:
        stamp.sec, stamp.nanosec = 0, 0


def _number_place(message: Any, field: str) -> slice:
    """Return where a number is in the bytes."""
    owner, name = _owner(message, field)
    if owner.get_fields_and_field_types()[name] == 'uint64':
        setattr(owner, name, _MARKED_LONG)
        begin = _place(message, _MARKED_LONG.to_bytes(8, 'little'))
        setattr(owner, name, 0)
        return slice(begin, begin + 8)
    follows = np.ones(len(serialize_message(message)), dtype=np.bool_)
    for value in _MARKED_NUMBERS:
        setattr(owner, name, value)
        data = np.frombuffer(serialize_message(message), np.uint8)
        if len(data) != len(follows):
            raise _NotFoundError
        # bytes between fields are left over from other uses of the memory: they may change, too
        follows &= data == value
    (places,) = np.nonzero(follows)
    if len(places) != 1:
        raise _NotFoundError
    return slice(int(places[0]), int(places[0]) + 1)


def _place(message: Any, mark: bytes) -> int:
    """Return where the mark in a field is in the bytes, once."""
    data = serialize_message(message)
    if data.count(mark) != 1:
        raise _NotFoundError
    place: int = data.index(mark)
    return place

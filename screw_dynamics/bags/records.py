# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Contents of a bag: decoded or serialized messages, their stamps, and topics."""

import struct
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from rosbags.interfaces import Qos

from screw_dynamics.errors import BagError
from screw_dynamics.messages.times import SECOND, nanoseconds

TIME_TYPES = ('builtin_interfaces/msg/Time', 'builtin_interfaces/msg/Duration')
# CDR begins with two bytes that name the encoding and two of options (RTPS 2.2, section 10.2).
_ENCODINGS = {b'\x00\x00': '>iI', b'\x00\x01': '<iI', b'\x00\x06': '>iI', b'\x00\x07': '<iI'}
_STAMP_AT = 4


@dataclass(frozen=True)
class BagMessage:
    """One recorded message.

    Parameters
    ----------
    topic : str
        Name of the topic.
    type : str
        Message type, e.g. ``'sensor_msgs/msg/JointState'``.
    log_time : int
        Time of reception [ns since the epoch].
    message : object
        A dataclass with the fields of the message; number arrays are ndarrays.
    """

    topic: str
    type: str
    log_time: int
    message: Any


@dataclass(frozen=True)
class RawMessage:
    """One recorded message in CDR; `log_time` is the time of reception [ns since the epoch]."""

    topic: str
    log_time: int
    data: bytes


@dataclass(frozen=True)
class BagTopic:
    """One recorded topic.

    Parameters
    ----------
    type : str
        Message type.
    count : int
        Number of messages.
    type_hash : str
        RIHS01 hash of the type, computed from the definition if the bag contains none; empty if
        the definition is empty.
    definition : str
        The embedded definition, or that of a common type; empty if the type is unknown.
    qos : tuple of Qos
        The profiles that the publishers offered.
    """

    type: str
    count: int
    type_hash: str
    definition: str
    qos: tuple[Qos, ...]


def columns(messages: Iterable[Any]) -> dict[str, Any]:
    """
    Return messages of one type as one column per field.

    Parameters
    ----------
    messages : iterable of message
        T messages, as `Bag.messages` returns them.

    Returns
    -------
    dict of str to column
        Keys are field paths such as ``'effort'`` or ``'reference.positions'``; empty if T is 0.
        Numbers: ``(T,)`` arrays. Arrays of numbers: ``(T, n)``, or a list of T arrays if
        their lengths differ. Time and Duration: ``(T,)`` int64 [ns]. Lists of names: one tuple
        if all messages agree (joint_names), else a list of T tuples. Anything else
        (strings, lists of sub-messages): a list of T.
    """
    rows = [dict(_leaves(message, '')) for message in messages]
    return {path: _column([row[path] for row in rows]) for path in (rows[0] if rows else ())}


def _leaves(message: Any, prefix: str) -> Iterator[tuple[str, Any]]:
    for item in fields(message):
        # the library's dataclasses also declare constants and __msgtype__ as fields
        if str(item.type).startswith('ClassVar['):
            continue
        path, value = prefix + item.name, getattr(message, item.name)
        kind = getattr(value, '__msgtype__', None)
        if kind in TIME_TYPES:
            yield path, nanoseconds(value)
        elif kind is not None:
            yield from _leaves(value, f'{path}.')
        elif item.type == 'list[str]':  # not by value: an empty list could be sub-messages
            yield path, tuple(value)
        else:
            yield path, value


def _column(values: list[Any]) -> Any:
    first = values[0]
    if isinstance(first, np.ndarray):
        same_length = len({len(value) for value in values}) == 1
        return np.stack(values) if same_length else values
    if isinstance(first, (bool, int, float)):
        return np.array(values)
    if isinstance(first, tuple) and len(set(values)) == 1:
        return first
    return values


def shift_stamp(data: bytes, offset: int) -> bytes:
    """Return a CDR message with the stamp of its header shifted by `offset` [ns]; 0 stays 0."""
    layout = _ENCODINGS.get(data[:2])
    if layout is None or len(data) < _STAMP_AT + struct.calcsize(layout):
        raise BagError(
            f'expected a message in plain CDR, got {len(data)} bytes: {data[:12].hex()}'
        )
    sec, nanosec = struct.unpack_from(layout, data, _STAMP_AT)
    if sec == nanosec == 0:
        return data
    moved = sec * SECOND + nanosec + offset
    seconds, rest = divmod(moved, SECOND)
    if not 0 <= seconds < 2**31:
        raise BagError(
            f'stamp {sec + 1e-9 * nanosec:.3f} s, moved by {1e-9 * offset:.3f} s, does not fit '
            f'into a message; the stamps and the time of reception are on different clocks'
        )
    changed = bytearray(data)
    struct.pack_into(layout, changed, _STAMP_AT, seconds, rest)
    return bytes(changed)

# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Contents of a bag: decoded or serialized messages, and topics."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from rosbags.interfaces import Qos

from screw_dynamics.common.times import nanoseconds

TIME_TYPES = ('builtin_interfaces/msg/Time', 'builtin_interfaces/msg/Duration')


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

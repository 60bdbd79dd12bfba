# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Messages of one type as columns: one array per field."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import fields
from typing import Any

import numpy as np

TIME_TYPES = ('builtin_interfaces/msg/Time', 'builtin_interfaces/msg/Duration')


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
        Keys are field paths such as ``'effort'`` or ``'reference.positions'``.
        Numbers: ``(T,)`` arrays. Arrays of numbers: ``(T, n)``, or a list of T arrays if
        their lengths differ. Time and Duration: ``(T,)`` int64 [ns]. Lists of names: one tuple
        if all messages agree (joint_names), else a list of T tuples. Anything else
        (strings, lists of sub-messages): a list of T.

    Notes
    -----
    Empty if there are no messages.

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
            yield path, int(value.sec) * 1_000_000_000 + int(value.nanosec)
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

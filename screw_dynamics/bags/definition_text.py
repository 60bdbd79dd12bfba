# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Definition of a message type with its nested types, in the format that bags embed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from rosbags.interfaces import Nodetype
from rosbags.typesys import TypesysError, get_types_from_msg

from screw_dynamics.errors import BagError

SEPARATOR = '=' * 80


def definition_text(type_name: str, msg_text: Callable[[str], str]) -> str:
    """
    Return the .msg text of a type, followed by the texts of all nested types.

    Each nested text has a header of a line of ``=`` and ``MSG: package/Name``. `msg_text` returns
    the text of one type. Raises `BagError`, which names the type, if a text cannot be read.
    """
    texts: dict[str, str] = {}
    waiting = [type_name]
    while waiting:
        name = waiting.pop(0)
        if name not in texts:
            texts[name] = msg_text(name)
            waiting += _nested_types(name, texts[name])
    first, *others = texts.items()
    parts = [first[1]]
    parts += [f'{SEPARATOR}\nMSG: {name.replace("/msg/", "/")}\n{text}' for name, text in others]
    return '\n'.join(parts)


def _nested_types(type_name: str, text: str) -> list[str]:
    """Return the message types of the fields in a .msg text."""
    try:
        _, fields = get_types_from_msg(text, type_name)[type_name]
    except TypesysError as error:
        raise BagError(f'type {type_name!r}: definition cannot be read: {error}') from None
    nested = []
    for _, field in fields:
        is_array = field[0] in (Nodetype.ARRAY, Nodetype.SEQUENCE)
        kind, detail = cast('tuple[Nodetype, Any]', field[1][0] if is_array else field)
        if kind == Nodetype.NAME:
            nested.append(str(detail))
    return nested

# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Definition of a message type with its nested types, in the format that bags embed."""

import re
from collections.abc import Callable
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from rosbags.typesys import Stores, TypesysError, get_types_from_msg, get_typestore

from screw_dynamics.common.paths import share_path
from screw_dynamics.errors import BagError

_SEPARATOR = '=' * 80
_OWN = 'screw_dynamics_interfaces'
# a field of a message type, whose name is in camel case, with its package if that is another one
_NESTED = re.compile(r'^\s*(?:(\w+)/(?:msg/)?)?([A-Z]\w*)(?:\[[^]\n]*\])?\s+\w', re.MULTILINE)


def definition_text(type_name: str, msg_text: Callable[[str], str]) -> str:
    """Return the text of a type, as `msg_text` returns it, followed by those of nested types."""
    texts: dict[str, str] = {}
    waiting = [type_name]
    while waiting:
        name = waiting.pop(0)
        if name not in texts:
            texts[name] = msg_text(name)
            package = name.partition('/')[0]
            for other, nested in _NESTED.findall(texts[name]):
                waiting.append(f'{other or package}/msg/{nested}')
    first, *others = texts.items()
    parts = [first[1]]
    parts += [f'{_SEPARATOR}\nMSG: {name.replace("/msg/", "/")}\n{text}' for name, text in others]
    return '\n'.join(parts)


def definition_hash(type_name: str, definition: str) -> str:
    """Return the RIHS01 hash of a type; raise `BagError` if its definition cannot be read."""
    types = get_typestore(Stores.EMPTY)
    try:
        types.register(get_types_from_msg(definition, type_name))
        return types.hash_rihs01(type_name)
    except Exception as error:  # the parser raises many types
        raise BagError(f'definition of {type_name} cannot be read: {error}') from error


def message_type(type_name: str) -> Any:
    """Return the Python class of a message type; raise `BagError` if it cannot be imported."""
    try:
        package, folder, name = type_name.split('/')
        return getattr(import_module(f'{package}.{folder}'), name)
    except (ImportError, AttributeError, ValueError) as error:
        raise BagError(f'type {type_name!r}: cannot be imported: {error}') from None


def message_definition(type_name: str) -> str:
    """Return the text of an installed type and its nested types; raise `BagError` if not found."""
    return definition_text(type_name, _installed_text)


def _installed_text(type_name: str) -> str:
    # imported here: bags are read and written without ROS
    from ament_index_python.packages import get_package_share_directory

    try:
        package, folder, name = type_name.split('/')
        path = Path(get_package_share_directory(package)) / folder / f'{name}.msg'
        return path.read_text(encoding='utf-8')
    except (LookupError, OSError, ValueError) as error:
        raise BagError(f'type {type_name!r}: definition not found: {error}') from None


@cache
def _own_text(name: str) -> str:
    try:
        return share_path(f'{_OWN}/msg/{name}.msg').read_text(encoding='utf-8')
    except OSError as error:
        raise BagError(f'type {_OWN}/msg/{name}: definition not found: {error}') from None


class MessageTypes:
    """Common types of ROS 2 Jazzy, unchanged in later ones, and of screw_dynamics_interfaces."""

    def __init__(self) -> None:
        self._store = get_typestore(Stores.ROS2_JAZZY)

    def __getitem__(self, type_name: str) -> Any:
        """Return the dataclass of a type; its constructor requires every field."""
        if type_name not in self._store.types:
            types = get_types_from_msg(self.definition(type_name), type_name)
            known = self._store.fielddefs
            self._store.register({k: v for k, v in types.items() if k not in known})
        return self._store.types[type_name]

    def definition(self, type_name: str) -> str:
        """Return the definition for `BagWriter.add_topic`; raise `BagError` if unknown."""
        return definition_text(type_name, self._msg_text)

    def serialize(self, message: Any) -> bytes:
        """Return a message, made with one of the dataclasses, in CDR."""
        name = message.__msgtype__
        return bytes(self._store.serialize_cdr(message, name, little_endian=True))

    def _msg_text(self, type_name: str) -> str:
        package, _, name = type_name.rpartition('/msg/')
        if package == _OWN:
            return _own_text(name)
        try:
            text, _ = self._store.generate_msgdef(type_name, ros_version=2)
        except (TypesysError, KeyError):
            raise BagError(f'type {type_name!r}: not among the known types') from None
        return text.partition(_SEPARATOR)[0]

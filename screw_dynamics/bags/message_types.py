# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`MessageTypes`: classes, serialization and definitions of messages without ROS."""

from __future__ import annotations

from functools import cache
from typing import Any

from rosbags.typesys import Stores, TypesysError, get_types_from_msg, get_typestore

from screw_dynamics.bags.definition_text import SEPARATOR, definition_text
from screw_dynamics.errors import BagError
from screw_dynamics.share import share_path

_OWN = 'screw_dynamics_interfaces'


class MessageTypes:
    """
    The types of the common packages of ROS 2 Jazzy, and those of screw_dynamics_interfaces.

    Wire format and type hashes of the common types are unchanged in all later distributions.
    """

    def __init__(self) -> None:
        self._store = get_typestore(Stores.ROS2_JAZZY)

    def __getitem__(self, type_name: str) -> Any:
        """Return the dataclass of a type; its constructor requires every field."""
        if type_name not in self._store.types:
            if not type_name.startswith(f'{_OWN}/'):
                raise BagError(f'type {type_name!r}: not among the types that are known here')
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
            raise BagError(
                f'type {type_name!r}: not among the types that are known here'
            ) from None
        return text.partition(SEPARATOR)[0]


@cache
def _own_text(name: str) -> str:
    try:
        return share_path(f'{_OWN}/msg/{name}.msg').read_text(encoding='utf-8')
    except OSError as error:
        raise BagError(f'type {_OWN}/msg/{name}: definition not found: {error}') from None

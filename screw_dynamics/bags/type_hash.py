# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""RIHS01 hashes of message types, computed from their definitions."""

from __future__ import annotations

from rosbags.typesys import Stores, get_types_from_msg, get_typestore

from screw_dynamics.errors import BagError


def definition_hash(type_name: str, definition: str) -> str:
    """
    Return the RIHS01 hash of a type, equal for types with the same wire format.

    `definition` is the .msg text followed by those of all nested types. Raises `BagError` if it
    cannot be read.
    """
    types = get_typestore(Stores.EMPTY)
    try:
        types.register(get_types_from_msg(definition, type_name))
        return types.hash_rihs01(type_name)
    except Exception as error:  # the parser raises many types
        raise BagError(f'definition of {type_name} cannot be read: {error}') from error

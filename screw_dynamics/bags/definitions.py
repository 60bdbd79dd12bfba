# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Definitions of message types from installed ROS packages, in the format that bags embed."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

from ament_index_python.packages import PackageNotFoundError, get_package_share_directory

from screw_dynamics.bags.definition_text import definition_text
from screw_dynamics.errors import BagError


def message_definition(type_name: str) -> str:
    """
    Return the .msg text of a type, followed by the texts of all nested types.

    Raises `BagError`, which names the type, if a package or a .msg file is missing or unreadable.
    """
    return definition_text(type_name, _msg_text)


def message_type(type_name: str) -> Any:
    """Return the Python class of a message type; raise `BagError` if it cannot be imported."""
    try:
        package, folder, name = type_name.split('/')
        return getattr(import_module(f'{package}.{folder}'), name)
    except (ImportError, AttributeError, ValueError) as error:
        raise BagError(f'type {type_name!r}: cannot be imported: {error}') from None


def _msg_text(type_name: str) -> str:
    try:
        package, folder, name = type_name.split('/')
    except ValueError:
        raise BagError(f'type {type_name!r}: expected the form package/msg/Name') from None
    try:
        share = Path(get_package_share_directory(package))
    except (PackageNotFoundError, LookupError, OSError) as error:
        raise BagError(f'type {type_name!r}: package {package!r} not found: {error}') from None
    path = share / folder / f'{name}.msg'
    try:
        return path.read_text(encoding='utf-8')
    except OSError as error:
        raise BagError(f'type {type_name!r}: definition not found: {error}') from None

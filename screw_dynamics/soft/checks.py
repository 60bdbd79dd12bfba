# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Checks of arguments that soft-rigid robots share."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

from screw_dynamics.errors import InputError, shown

T = TypeVar('T')


def as_tuple(name: str, values: Iterable[T], what: str) -> tuple[T, ...]:
    """Return the entries of a sequence; raise InputError for what has none."""
    try:
        return tuple(values)
    except TypeError:
        raise InputError(f'{name}: expected a sequence of {what}, got {shown(values)}') from None


def require_mapping(name: str, value: object, what: str) -> Mapping[Any, Any]:
    """Return the argument; raise InputError if it is not a mapping."""
    if not isinstance(value, Mapping):
        raise InputError(f'{name}: expected a mapping of {what}, got {shown(value)}')
    return value


def require_function(name: str, value: object) -> None:
    """Raise InputError if the argument cannot be called."""
    if not callable(value):
        raise InputError(f'{name}: expected a function, got {shown(value)}')


def require_kind(name: str, value: object, kind: type) -> None:
    """Raise InputError if the argument is neither None nor an instance of a class."""
    if value is not None and not isinstance(value, kind):
        raise InputError(f'{name}: expected a {kind.__name__} or None, got {shown(value)}')

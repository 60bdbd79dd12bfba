# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Scalars of YAML documents: null, truth values, decimal numbers and text."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from typing import Any

from screw_dynamics.error_texts import shown
from screw_dynamics.errors import InputError

TAG = 'tag:yaml.org,2002:'

_TRUE = ('yes', 'true', 'on')
_INTEGER = re.compile(r'[-+]?(?:0|[1-9][0-9]*|0x[0-9a-fA-F]+|0b[01]+)')
_LARGEST = sys.float_info.max
_MOST_DIGITS = 400  # more than _LARGEST has


def scalar_value(loader: Any, event: Any) -> Any:
    """
    Return the value of a scalar: None, bool, int, float or str.

    Raises InputError for a number that is not decimal, or that does not match its tag.
    """
    tag, text = event.tag, event.value
    if (tag is None and not event.implicit[0]) or tag in ('!', TAG + 'str'):
        return text
    kind = _kind(loader, text)
    value = _READERS[kind](text) if kind in _READERS else text
    if tag is None or tag == TAG + kind:
        return value
    if (tag, kind) == (TAG + 'float', 'int'):
        return float(value)
    raise InputError(f'expected a tag that fits the value, got {shown(tag)} of {shown(text)}')


def _kind(loader: Any, text: str) -> str:
    """Return the type of plain text in YAML 1.1: 'int', 'float', 'bool', 'null', 'str', ..."""
    import yaml

    return str(loader.resolve(yaml.ScalarNode, text, (True, False))).removeprefix(TAG)


def _integer(text: str) -> int:
    if not _INTEGER.fullmatch(text):
        raise _ambiguous(text)
    if len(text) <= _MOST_DIGITS:
        value = int(text, 0)
        if abs(value) <= _LARGEST:
            return value
    raise InputError(f'expected a number of at most {_LARGEST:.3g} in size, got {shown(text)}')


def _float(text: str) -> float:
    if ':' in text or '_' in text:
        raise _ambiguous(text)
    # .inf and .nan, or digits
    return float(text if any(map(str.isdigit, text)) else text.replace('.', ''))


def _ambiguous(text: str) -> InputError:
    why = 'to base 60' if ':' in text else 'with underscores' if '_' in text else 'in octal'
    return InputError(
        f'expected a decimal number, or text between quotes, got {shown(text)[1:-1]}, which YAML '
        f'reads as a number {why}'
    )


_READERS: dict[str, Callable[[str], Any]] = {
    'int': _integer,
    'float': _float,
    'bool': lambda text: text.lower() in _TRUE,
    'null': lambda text: None,
}

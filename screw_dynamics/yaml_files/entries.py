# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Entries of a loaded YAML document, with their paths for error texts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from screw_dynamics.arrays import Array
from screw_dynamics.error_texts import listed, shown
from screw_dynamics.errors import ModelError
from screw_dynamics.scalars import number_from_text


class Node:
    """
    One entry of a document and its path, e.g. ``'model.bodies[2].screw'``.

    All methods raise ModelError with the path if the entry is not of the requested kind.
    """

    def __init__(self, value: Any, path: str) -> None:
        self.value = value
        self.path = path

    def __getitem__(self, key: str) -> Node:
        """Return the entry of a mapping."""
        if not isinstance(self.value, dict):
            raise self._unexpected('a mapping')
        if key not in self.value:
            raise ModelError(f'{self.path}: expected an entry {key!r}, got none')
        return Node(self.value[key], f'{self.path}.{key}')

    def items(self) -> list[Node]:
        """Return the entries of a sequence."""
        if not isinstance(self.value, list):
            raise self._unexpected('a sequence')
        return [Node(item, f'{self.path}[{i}]') for i, item in enumerate(self.value)]

    def entries(self) -> list[tuple[str, Node]]:
        """Return the keys and entries of a mapping."""
        if not isinstance(self.value, dict):
            raise self._unexpected('a mapping')
        for key in self.value:
            if not isinstance(key, str):
                raise ModelError(
                    f'{self.path}: expected text as the name of an entry, got {shown(key)}: put '
                    'what YAML reads as something else between quotes'
                )
        return [(key, Node(item, f'{self.path}.{key}')) for key, item in self.value.items()]

    def text(self) -> str:
        """Return a text entry."""
        if not isinstance(self.value, str):
            raise self._unexpected('text')
        return self.value

    def number(self) -> float:
        """Return a number, also from text such as ``1e-3``, which is not a YAML 1.1 number."""
        if isinstance(self.value, str):
            try:
                return number_from_text(self.value)
            except ValueError:
                pass
        elif isinstance(self.value, (int, float)) and not isinstance(self.value, bool):
            return float(self.value)
        raise self._unexpected('a number')

    def array(self, *shape: int) -> Array:
        """Return nested sequences of numbers as an array of this shape."""
        items = self.items()
        if len(items) != shape[0]:
            raise ModelError(f'{self.path}: expected {shape[0]} entries, got {len(items)}')
        if len(shape) == 1:
            return np.array([item.number() for item in items])
        return np.array([item.array(*shape[1:]) for item in items])

    def index(self, names: Sequence[str], base: int | None = None) -> int:
        """Return the index of the name in `names`; `base` for null, if given."""
        if self.value is None and base is not None:
            return base
        if self.value not in names:
            raise self._unexpected(f'one of {listed(names)}')
        return names.index(self.value)

    def _unexpected(self, expected: str) -> ModelError:
        return ModelError(f'{self.path}: expected {expected}, got {shown(self.value)}')

# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""YAML documents with exact floats: reading, entries with their paths, writing."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path
from typing import Any, TypeGuard

import numpy as np

from screw_dynamics.common.arrays import Array
from screw_dynamics.common.paths import file_path
from screw_dynamics.common.scalars import number_from_text
from screw_dynamics.common.yaml_files.loading import load_yaml
from screw_dynamics.errors import InputError, ModelError, among, shown


def write_document(document: Any, path: str | os.PathLike[str] | None = None) -> str:
    """Return a document as YAML text (or ModelError); write it to a file if a path is given."""
    import yaml

    # default_flow_style=None: rows of numbers in one line, everything else in block style
    # allow_unicode=False: YAML would fold the line breaks U+0085 and U+2028
    try:
        text: str = yaml.dump(
            document,
            Dumper=getattr(yaml, 'CSafeDumper', yaml.SafeDumper),
            sort_keys=False,
            default_flow_style=None,
            width=1000,
            allow_unicode=False,
        )
    except UnicodeEncodeError as error:
        raise ModelError(f'expected names of Unicode text, got {shown(error.object)}') from None
    if path is not None:
        file_path(path).write_text(text, encoding='utf-8')
    return text


def is_document(source: object) -> TypeGuard[str | bytes]:
    """Return True for bytes and for text with a line break: a document itself, not a path."""
    return isinstance(source, bytes) or (isinstance(source, str) and '\n' in source)


def read_document(source: str | bytes | os.PathLike[str], what: str) -> Any:
    """Load a YAML document, from a path or itself; `what` names it in the text of a ModelError."""
    content: str | bytes
    if is_document(source):
        content, origin = source, f'{what} text'
    else:
        origin = str(source)
        if not isinstance(source, (str, os.PathLike)):
            raise ModelError(
                f'{what} source: expected a path, YAML text or bytes, got {type(source).__name__}'
            )
        try:
            content = Path(source).read_bytes()
        except (OSError, ValueError) as error:
            reason = getattr(error, 'strerror', None) or error
            raise ModelError(f'{origin}: expected a readable {what} file: {reason}') from error
    try:
        return load_yaml(content)
    except InputError as error:
        raise ModelError(f'{origin}: {error}') from None


class YamlEntry:
    """One entry of a document; methods raise ModelError with its path if it is of another kind."""

    def __init__(self, value: Any, path: str) -> None:
        self.value = value
        self.path = path

    def __getitem__(self, key: str) -> YamlEntry:
        """Return the entry of a mapping."""
        if not isinstance(self.value, dict):
            raise self._unexpected('a mapping')
        if key not in self.value:
            raise ModelError(f'{self.path}: expected an entry {key!r}, got none')
        return YamlEntry(self.value[key], f'{self.path}.{key}')

    def items(self) -> list[YamlEntry]:
        """Return the entries of a sequence."""
        if not isinstance(self.value, list):
            raise self._unexpected('a sequence')
        return [YamlEntry(item, f'{self.path}[{i}]') for i, item in enumerate(self.value)]

    def entries(self) -> list[tuple[str, YamlEntry]]:
        """Return the keys and entries of a mapping."""
        if not isinstance(self.value, dict):
            raise self._unexpected('a mapping')
        for key in self.value:
            if not isinstance(key, str):
                raise ModelError(
                    f'{self.path}: expected text as the name of an entry, got {shown(key)}; '
                    'quote names that YAML reads as another type'
                )
        return [(key, YamlEntry(item, f'{self.path}.{key}')) for key, item in self.value.items()]

    def require_keys(self, allowed: Collection[str], needed: Iterable[str] = ()) -> None:
        """Raise ModelError unless the keys of a mapping are allowed ones, with all needed ones."""
        for key, _ in self.entries():
            if key not in allowed:
                raise ModelError(f'{self.path}: expected entries {among(allowed, key)}')
        for key in needed:
            self[key]

    def text(self) -> str:
        """Return a text entry."""
        if not isinstance(self.value, str):
            raise self._unexpected('text')
        return self.value

    def truth(self) -> bool:
        """Return a truth value."""
        if not isinstance(self.value, bool):
            raise self._unexpected('true or false')
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

    def finite_array(self, *shape: int) -> Array:
        """Return nested sequences of finite numbers as an array of this shape."""
        values = self.array(*shape)
        if not np.isfinite(values).all():
            raise self._unexpected('finite numbers')
        return values

    def index(self, names: Sequence[str], base: int | None = None) -> int:
        """Return the index of the name in `names`; `base` for null, if given."""
        if self.value is None and base is not None:
            return base
        if self.value not in names:
            raise ModelError(f'{self.path}: expected one of {among(names, self.value)}')
        return names.index(self.value)

    def _unexpected(self, expected: str) -> ModelError:
        return ModelError(f'{self.path}: expected {expected}, got {shown(self.value)}')

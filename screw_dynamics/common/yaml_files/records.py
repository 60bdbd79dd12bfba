# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Frozen records from the mappings of a YAML document, and back."""

from collections.abc import Callable, Mapping
from dataclasses import MISSING, field, fields
from functools import cache
from types import MappingProxyType
from typing import Any, TypeVar, get_args, get_type_hints

from screw_dynamics.common.scalars import number_from_text
from screw_dynamics.common.yaml_files.document import YamlEntry
from screw_dynamics.errors import InputError, ModelError, among

R = TypeVar('R')
_hints = cache(get_type_hints)


def value(entry: YamlEntry) -> Any:
    """Return a number, a tuple of numbers, a truth value or text; the record checks which."""
    if isinstance(entry.value, list):
        return tuple(item.number() for item in entry.items())
    if isinstance(entry.value, str):
        try:
            return number_from_text(entry.value)  # 1e-3 without a dot is text in YAML 1.1
        except ValueError:
            return entry.value
    return entry.value


def as_written(entry: YamlEntry) -> Any:
    """Return what YAML reads, also text that looks like a number."""
    return entry.value


def entry_field(text: str, read: Callable[[YamlEntry], Any], default: Any = MISSING) -> Any:
    """Return a field of a record with the text of its entry for tables, and how it is read."""
    return field(default=default, metadata={'text': text, 'read': read})


def read_record(node: YamlEntry, kind: Callable[..., R], extra: tuple[str, ...] = ()) -> R:
    """
    Return a record with the entries of a mapping, but `extra` ones, as its fields.

    Each is read by the `read` of its field (see `entry_field`), else text as it is written, and
    other types by `value`.
    """
    known = {part.name: part for part in fields(kind) if part.init}  # type: ignore[arg-type]
    node.require_keys((*extra, *known))
    for name, part in known.items():
        if part.default is MISSING:
            node[name]
    hints, values = _hints(kind), {}
    for key, entry in node.entries():
        if key not in extra:
            usual = as_written if str in (hints[key], *get_args(hints[key])) else value
            values[key] = known[key].metadata.get('read', usual)(entry)
    return built(node, kind, values)


def built(
    node: YamlEntry,
    build: Callable[..., R],
    values: Mapping[str, Any],
    entries: Mapping[str, str] = MappingProxyType({}),
) -> R:
    """Return what is built of values; errors name their entries, `entries` those of arguments."""
    try:
        return build(**values)
    except (ModelError, InputError) as error:
        text = str(error)
        for argument, entry in entries.items():
            if text.startswith(argument):
                text = entry + text[len(argument) :]
        raise ModelError(f'{node.path}.{text}') from None


def kind_of(node: YamlEntry, kinds: Mapping[str, R]) -> R:
    """Return the one of several kinds that the entry `type` names."""
    name = node['type'].value
    if not isinstance(name, str) or name not in kinds:
        raise ModelError(f'{node.path}.type: expected one of {among(kinds, name)}')
    return kinds[name]


def record_entries(record: Any) -> dict[str, Any]:
    """Return the fields of a record whose values are not the default ones, by name."""
    return {
        part.name: list(given) if isinstance(given, tuple) else given
        for part in fields(record)
        if part.init
        and (given := getattr(record, part.name)) is not None
        and given != part.default
    }

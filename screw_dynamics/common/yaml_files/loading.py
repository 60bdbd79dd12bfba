# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`load_yaml`: loading of YAML, which rejects duplicate keys and ambiguous numbers."""

import math
import re
import sys
from collections.abc import Callable
from typing import Any

from screw_dynamics.errors import InputError, short, shown

TAG = 'tag:yaml.org,2002:'

_TRUE = ('yes', 'true', 'on')
_INTEGER = re.compile(r'[-+]?(?:0|[1-9][0-9]*|0x[0-9a-fA-F]+|0b[01]+)')
_LARGEST = sys.float_info.max
_MOST_DIGITS = 400  # more than _LARGEST has
_DEEPEST = 100  # levels of nesting
_TOO_DEEP = f'expected at most {_DEEPEST} levels of nesting, got more'
_MOST_REPEATED = 100_000  # entries that aliases expand to
_MERGE = '<<'
_ANGLES = {'!radians': 1.0, '!degrees': math.pi / 180.0}  # of MoveIt and xacro


def scalar_value(loader: Any, event: Any) -> Any:
    """Return the value of a scalar; raise InputError for a number that its tag does not fit."""
    tag, text = event.tag, event.value
    if (tag is None and not event.implicit[0]) or tag in ('!', TAG + 'str'):
        return text
    kind = _kind(loader, text)
    value = _READERS[kind](text) if kind in _READERS else text
    if tag is None or tag == TAG + kind:
        return value
    if (tag, kind) == (TAG + 'float', 'int'):
        return float(value)
    if tag in _ANGLES and kind in ('int', 'float'):
        return _ANGLES[tag] * value
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


def load_yaml(content: str | bytes) -> Any:
    """
    Return the content of a YAML document.

    Depth and aliases are bounded; dates are text. Raises InputError, with line and entry, for
    malformed YAML, duplicate keys, and numbers that YAML 1.1 does not read as decimals, such as
    ``50:1`` (3001, to base 60), ``010`` (8) and ``1_000``.
    """
    import yaml  # only here: importing the package must be fast

    # libyaml's parser, if PyYAML was built with it, is about ten times as fast
    try:
        loader = getattr(yaml, 'CSafeLoader', yaml.SafeLoader)(content)
        try:
            return _Document(loader).load()
        finally:
            loader.dispose()
    except (yaml.YAMLError, UnicodeError) as error:
        text = ' '.join(str(error).split())
        mark = getattr(error, 'problem_mark', None)
        if mark and 'maximum nesting depth' in text:  # libyaml, from 0.2.6 on
            raise InputError(f'line {mark.line + 1}: {_TOO_DEEP}') from None
        raise InputError(f'expected YAML: {text}') from None


class _Sequence:
    """A sequence that is not complete yet."""

    tag = TAG + 'seq'
    at_key = False

    def __init__(self, anchor: str | None, entries_before: int) -> None:
        self.anchor, self.entries_before = anchor, entries_before
        self.value: list[Any] = []

    def add(self, value: Any, line: int) -> None:
        self.value.append(value)

    def place(self) -> str:
        """Return the path of the next value, for error texts."""
        return f'[{len(self.value)}]'


class _Mapping:
    """A mapping that is not complete yet."""

    tag = TAG + 'map'

    def __init__(self, anchor: str | None, entries_before: int) -> None:
        self.anchor, self.entries_before = anchor, entries_before
        self._entries: dict[Any, Any] = {}
        self._merged: dict[Any, Any] = {}
        self._lines: dict[Any, int] = {}
        self._key: Any = None
        self._merging = False
        self._merge_line = 0  # of the key `<<`, 0 if there is none
        self.at_key = True

    def add(self, value: Any, line: int) -> None:
        """Add a key, or the value of the last key, alternately."""
        if self.at_key:
            if value in self._lines:
                raise _repeated(value, self._lines[value])
            self._key, self._lines[value] = value, line
        elif self._merging:
            self._merge(value)
            self._merging = False
        else:
            self._entries[self._key] = value
        self.at_key = not self.at_key

    def merge_next(self, line: int) -> None:
        """Add the key `<<`: other entries override those of its value."""
        if self._merge_line:
            raise _repeated(_MERGE, self._merge_line)
        self._merge_line, self._merging, self.at_key = line, True, False

    def _merge(self, value: Any) -> None:
        """Merge the entries of a mapping, or of several; the first definition of a key applies."""
        several = isinstance(value, list)
        for source in value if several else [value]:
            if not isinstance(source, dict):
                raise InputError(
                    f'expected a mapping or a sequence of mappings to merge, '
                    f'got {shown(source)}{" in it" if several else ""}'
                )
            for key, entry in source.items():
                self._merged.setdefault(key, entry)

    @property
    def value(self) -> dict[Any, Any]:
        """The entries added so far."""
        return self._merged | self._entries

    def place(self) -> str:
        """Return the path of the next value, for error texts."""
        return '' if self.at_key else f'.{_MERGE if self._merging else self._key}'


def _repeated(key: Any, line: int) -> InputError:
    return InputError(f'expected every entry once, got {shown(key)} again after line {line}')


class _Document:
    """Builder of the values of a document from its events."""

    def __init__(self, loader: Any) -> None:
        self._loader = loader
        self._open: list[_Sequence | _Mapping] = []
        self._anchors: dict[str, tuple[Any, int]] = {}
        self._entries = self._repeated = self._documents = 0
        self._value: Any = None

    def load(self) -> Any:
        """Return the value of the only document, None if there is none."""
        import yaml

        actions = {
            yaml.DocumentStartEvent: self._begin,
            yaml.ScalarEvent: self._scalar,
            yaml.SequenceStartEvent: lambda event: self._start(event, _Sequence),
            yaml.MappingStartEvent: lambda event: self._start(event, _Mapping),
            yaml.SequenceEndEvent: self._end,
            yaml.MappingEndEvent: self._end,
            yaml.AliasEvent: self._alias,
        }
        while (event := self._loader.get_event()) is not None:
            action = actions.get(type(event))
            if action is not None:
                try:
                    action(event)
                except InputError as error:
                    raise InputError(f'{self._place(event)}: {error}') from None
        return self._value

    def _begin(self, event: Any) -> None:
        self._documents += 1
        if self._documents > 1:
            raise InputError('expected one document, got another')

    def _scalar(self, event: Any) -> None:
        self._entries += 1
        parent = self._open[-1] if self._open else None
        plain = event.tag is None and event.implicit[0]
        if event.value == _MERGE and plain and isinstance(parent, _Mapping) and parent.at_key:
            parent.merge_next(event.start_mark.line + 1)
        else:
            self._add(event, scalar_value(self._loader, event), event.anchor, 1)

    def _start(self, event: Any, kind: type[_Sequence | _Mapping]) -> None:
        if event.tag not in (None, '!', kind.tag):
            raise InputError(
                f'expected a plain sequence or mapping, got one with the tag {shown(event.tag)}'
            )
        if len(self._open) >= _DEEPEST:
            raise InputError(_TOO_DEEP)
        if self._open and self._open[-1].at_key:
            raise InputError('expected text as the name of an entry, got a collection')
        self._open.append(kind(event.anchor, self._entries))

    def _end(self, event: Any) -> None:
        closed = self._open.pop()
        self._entries += 1
        self._add(event, closed.value, closed.anchor, self._entries - closed.entries_before)

    def _alias(self, event: Any) -> None:
        if event.anchor not in self._anchors:
            raise InputError(f'expected an alias of a value above, got *{event.anchor}')
        value, size = self._anchors[event.anchor]
        if isinstance(value, (list, dict)) and self._open and self._open[-1].at_key:
            raise InputError('expected text as the name of an entry, got a collection')
        self._entries += size
        self._repeated += size
        if self._repeated > _MOST_REPEATED:
            raise InputError(f'expected aliases of at most {_MOST_REPEATED} entries, got more')
        self._add(event, value, None, size)

    def _add(self, event: Any, value: Any, anchor: str | None, size: int) -> None:
        """Add a value at the current position of the document."""
        if self._open:
            self._open[-1].add(value, event.start_mark.line + 1)
        else:
            self._value = value
        if anchor is not None:
            self._anchors[anchor] = (value, size)

    def _place(self, event: Any) -> str:
        line = f'line {event.start_mark.line + 1}'
        path = ''.join(parent.place() for parent in self._open).removeprefix('.')
        return f'{line}, {short(path)}' if path else line

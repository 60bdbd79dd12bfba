# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Values and lists of names for error texts, with bounded length for any user input."""

import reprlib
from collections.abc import Iterable

_LONGEST_VALUE = 80
_LONGEST_LIST = 800
_LONGEST_TEXT = 2000
_MARK = ' ... '


def _value_writer() -> reprlib.Repr:
    """Return a writer that formats only the beginning of a long value."""
    writer = reprlib.Repr()
    writer.maxlevel = 3
    writer.maxtuple = writer.maxlist = writer.maxdict = writer.maxset = writer.maxarray = 20
    writer.maxstring = writer.maxlong = writer.maxother = _LONGEST_VALUE
    return writer


_writer = _value_writer()


def shown(value: object) -> str:
    """Return the `repr` of a value in one line of at most 80 characters."""
    try:
        text = _writer.repr(value)
    except Exception:
        # a number with too many digits, or a `__repr__` that fails
        text = f'<{type(value).__name__}>'
    return short(' '.join(text.split()))


def listed(names: Iterable[object]) -> str:
    """Return names separated by commas; for a long list only the first ones and the count."""
    every = iter(names)
    text, count = '', 0
    for name in every:
        word = short(str(name))
        longer = f'{text}, {word}' if count else word
        if len(longer) > _LONGEST_LIST:
            rest = 1 + sum(1 for _ in every)
            return f'{text}, ... ({count + rest} in all)'
        text, count = longer, count + 1
    return text or '(none)'


def short(text: str) -> str:
    """Return a text, without its middle if it exceeds 80 characters."""
    return _cut(text, _LONGEST_VALUE)


def bounded(text: str) -> str:
    """Return a text, without its middle if it exceeds 2000 characters."""
    return _cut(text, _LONGEST_TEXT)


def _cut(text: str, longest: int) -> str:
    if len(text) <= longest:
        return text
    tail = longest // 4
    return f'{text[: longest - tail - len(_MARK)]}{_MARK}{text[-tail:]}'

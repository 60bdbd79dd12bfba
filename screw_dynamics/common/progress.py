# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Progress bars and progress log lines."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sized
from contextlib import contextmanager
from typing import TypeVar

Item = TypeVar('Item')

# Whether a bar is shown now: nested calls then show none.
_busy = False
LOG_INTERVAL = 10.0  # s between lines if the output is not a terminal


def progress(
    items: Iterable[Item], text: str, total: int | None = None, unit: str = ''
) -> Iterator[Item]:
    """
    Yield the items while a bar on stderr shows how many of them are done.

    `text` names the work and `unit` one item; `total` defaults to the length of `items`.
    """
    if total is None and isinstance(items, Sized):
        total = len(items)
    with counting(text, total, unit) as count:
        for item in items:
            yield item
            count()


@contextmanager
def counting(text: str, total: int | None, unit: str = '') -> Iterator[Callable[[], object]]:
    """
    Show a bar on stderr inside a block; yield the function to call after every step.

    No bar is shown if an outer block already shows one.
    """
    global _busy
    if _busy:
        yield lambda: None
        return
    _busy = True
    try:
        if sys.stderr.isatty():
            with _bar(text, total, unit) as update:
                yield update
        else:
            yield _LogLines(text, total, unit).update
    finally:
        _busy = False


@contextmanager
def _bar(text: str, total: int | None, unit: str) -> Iterator[Callable[[], object]]:
    try:
        from tqdm import tqdm
    except ModuleNotFoundError:  # optional
        yield lambda: None
        return
    with tqdm(
        desc=text, total=total, unit=f' {unit}' if unit else 'it', mininterval=0.1, file=sys.stderr
    ) as bar:
        yield bar.update


class _LogLines:
    """Progress lines for a log: one every ten seconds, none for short work."""

    def __init__(self, text: str, total: int | None, unit: str) -> None:
        self._text, self._unit = text, f' {unit}s' if unit else ''
        self._of = '' if total is None else f' of {total}'
        self._count = 0
        self._begun = self._printed = time.monotonic()

    def update(self) -> None:
        """Count a step."""
        self._count += 1
        now = time.monotonic()
        if now - self._printed >= LOG_INTERVAL:
            self._printed = now
            print(
                f'{self._text}: {self._count}{self._of}{self._unit}, {now - self._begun:.0f} s',
                file=sys.stderr,
                flush=True,
            )

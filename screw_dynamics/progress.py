# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Progress bars and progress log lines."""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sized
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from tqdm import tqdm

Item = TypeVar('Item')

# Whether a bar is shown now: nested calls then show none.
_busy = False
LABEL_WIDTH = 44
_LONGEST_NOTE = 60  # characters
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


class Stage:
    """
    A line with the progress of a task inside a ``with`` block, a bar if `total` is set.

    If the output is not a terminal, the line is repeated every 10 s. `n` counts the steps done.
    """

    def __init__(self, text: str, total: int | None = None) -> None:
        self.n = 0
        self._text, self._total, self._note = text, total, ''
        self._begun = self._shown = time.monotonic()
        self._bar: tqdm | None = None
        if sys.stderr.isatty():
            from tqdm import tqdm

            bar = '' if total is None else '|{bar:24}| '
            self._bar = tqdm(
                desc=text.ljust(LABEL_WIDTH),
                total=total,
                bar_format='{desc}' + bar + '{elapsed_s:.1f} s{postfix}',
                miniters=0,  # update(0) shows that time passes
            )

    def __enter__(self) -> Stage:
        """Return the stage."""
        return self

    def __exit__(self, *_: object) -> None:
        """Write the last line."""
        self._note = ''
        if self._bar is None:
            self._write()
        else:
            self._bar.set_postfix_str('', refresh=False)
            self._bar.close()

    def update(self, steps: int = 1, note: str = '') -> None:
        """Count finished steps, 0 while waiting; `note` describes what is missing."""
        self.n += steps
        self._note = note
        if self._bar is not None:
            self._bar.set_postfix_str(note[:_LONGEST_NOTE], refresh=False)
            self._bar.update(steps)
        elif time.monotonic() - self._shown >= LOG_INTERVAL:
            self._write()

    def _write(self) -> None:
        self._shown = time.monotonic()
        count = '' if self._total is None else f'{self.n}/{self._total} '
        note = f', {self._note}' if self._note else ''
        text = self._text.ljust(LABEL_WIDTH)
        print(f'{text}{count}{self._shown - self._begun:.1f} s{note}', file=sys.stderr, flush=True)


def ticks(text: str, duration: float, step: float = 0.25) -> Iterator[float]:
    """
    Yield `step` [s] until the sum reaches `duration` [s], and show the progress.

    The caller waits for each step.
    """
    count = math.ceil(duration / step)
    with Stage(text, count) as bar:
        for _ in range(count):
            yield step
            bar.update()

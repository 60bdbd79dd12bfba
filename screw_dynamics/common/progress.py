# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Progress bars and progress log lines."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sized
from contextlib import contextmanager
from typing import TypeVar

Item = TypeVar('Item')

# Whether a bar is shown now: nested calls then show none.
_busy = False
_REDRAWN = 0.1  # s between two pictures of a bar
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
        # the shell of a notebook is a terminal that keeps every state of a bar
        if sys.stderr.isatty() and 'JPY_PARENT_PID' not in os.environ:
            with _bar(text, total, unit) as update:
                yield update
        else:
            yield _LogLines(text, total, unit).update
    finally:
        _busy = False


@contextmanager
def silent() -> Iterator[None]:
    """Show no progress inside a block."""
    global _busy
    before, _busy = _busy, True
    try:
        yield
    finally:
        _busy = before


def _rate(count: int, total: int | None, seconds: float, unit: str) -> str:
    """Return how many steps are done per second, and the time left."""
    if not unit or not count or not seconds:
        return ''
    left = '' if total is None else f', {(total - count) * seconds / count:.0f} s left'
    return f', {count / seconds:.3g} {unit}s/s{left}'


@contextmanager
def _bar(text: str, total: int | None, unit: str) -> Iterator[Callable[[], object]]:
    try:
        from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn
    except ModuleNotFoundError:  # optional
        yield lambda: None
        return
    from rich.console import Console

    count, drawn = 0, time.monotonic()
    columns = (
        TextColumn('{task.description}:', markup=False),
        BarColumn(),
        TaskProgressColumn(show_speed=False),
        TextColumn('{task.completed:.0f}' + (f' {unit}s' if unit else ''), markup=False),
        TextColumn('{task.elapsed:.0f} s{task.fields[rate]}', markup=False),
    )
    # drawn here, as an own thread of the bar would take time of the work
    with Progress(
        *columns, console=Console(stderr=True), auto_refresh=False, redirect_stdout=False
    ) as bar:
        task, begun = bar.add_task(text, total=total, rate=''), time.monotonic()

        def update() -> None:
            nonlocal count, drawn
            count += 1
            if time.monotonic() - drawn >= _REDRAWN:
                drawn = time.monotonic()
                rate = _rate(count, total, drawn - begun, unit)
                bar.update(task, completed=count, rate=rate, refresh=True)

        yield update
        bar.update(task, completed=count, refresh=True)


class _LogLines:
    """Progress lines for a log: one every ten seconds, none for short work."""

    def __init__(self, text: str, total: int | None, unit: str) -> None:
        self._text, self._total, self._unit = text, total, unit
        self._count = 0
        self._begun = self._printed = time.monotonic()

    def update(self) -> None:
        """Count a step."""
        self._count += 1
        now = time.monotonic()
        if now - self._printed >= LOG_INTERVAL:
            self._printed = now
            seconds = now - self._begun
            of = '' if self._total is None else f' of {self._total}'
            units = f' {self._unit}s' if self._unit else ''
            rate = _rate(self._count, self._total, seconds, self._unit)
            text = f'{self._text}: {self._count}{of}{units}, {seconds:.0f} s{rate}'
            print(text, file=sys.stderr, flush=True)

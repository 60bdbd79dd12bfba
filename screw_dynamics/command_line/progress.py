# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Progress of long work on the terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sized
from contextlib import contextmanager
from typing import TypeVar

Item = TypeVar('Item')

# Whether a bar is shown now: parts of its work show none of their own.
_busy = False
_LOG_INTERVAL = 10.0  # s between lines where the output is no terminal


def progress(
    items: Iterable[Item], text: str, total: int | None = None, unit: str = ''
) -> Iterator[Item]:
    """
    Return the items while a bar on stderr shows how many of them have been taken.

    Parameters
    ----------
    items : iterable
    text : str
        What is being done.
    total : int, optional
        Number of items; their length by default.
    unit : str
        What an item is.

    Returns
    -------
    iterator

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
    Show a bar on stderr inside a block; what the block gets is called after every step.

    Inside of a block that shows one, none is shown.

    Parameters
    ----------
    text : str
        What is being done.
    total : int or None
        Number of steps.
    unit : str
        What a step is.

    Returns
    -------
    context manager

    """
    global _busy
    try:
        from tqdm import tqdm
    except ModuleNotFoundError:  # the work can do without it
        tqdm = None
    if tqdm is None or _busy:
        yield lambda: None
        return
    interactive = sys.stderr.isatty()
    with tqdm(
        desc=text,
        total=total,
        unit=f' {unit}' if unit else 'it',
        delay=0.0 if interactive else _LOG_INTERVAL,
        mininterval=0.1 if interactive else _LOG_INTERVAL,
        file=sys.stderr,
    ) as bar:
        _busy = True
        try:
            yield bar.update
        finally:
            _busy = False

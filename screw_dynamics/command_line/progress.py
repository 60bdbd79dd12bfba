# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Progress of long work on the terminal."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sized
from typing import TypeVar

Item = TypeVar('Item')

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
    try:
        from tqdm import tqdm
    except ModuleNotFoundError:  # the work can do without it
        return iter(items)
    interactive = sys.stderr.isatty()
    return iter(
        tqdm(
            items,
            desc=text,
            total=total,
            unit=f' {unit}' if unit else 'it',
            delay=0.0 if interactive else _LOG_INTERVAL,
            mininterval=0.1 if interactive else _LOG_INTERVAL,
            file=sys.stderr,
        )
    )

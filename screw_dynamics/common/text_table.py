# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Aligned text tables that fit the terminal, in colours of rich while a command runs in one."""

import shutil
import sys
import textwrap
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from itertools import zip_longest

_GAP = 2  # spaces between columns
NO_BREAK = '\N{NO-BREAK SPACE}'  # printed as a space
MARK = '> '  # before the first cell of the row to look at

# Whether tables are for a terminal now.
_styled = False


@contextmanager
def styled_tables() -> Iterator[None]:
    """Let `text_table` draw by rich inside a block, if it is installed and stdout a terminal."""
    global _styled
    before, _styled = _styled, sys.stdout.isatty() and find_spec('rich') is not None
    try:
        yield
    finally:
        _styled = before


def text_table(rows: Sequence[Sequence[str]], width: int | None = None, keys: int = 1) -> str:
    """
    Return a table of at most `width` columns, by default those of the terminal.

    If it is wider, cells are wrapped; then it is split, repeating the first `keys` columns.
    """
    if width is None:
        width = shutil.get_terminal_size().columns
    columns = list(zip(*rows, strict=True))
    natural = _natural(rows)
    if _total(natural) <= width:
        return _laid_out(columns, natural)
    least = [max(map(_longest_word, column)) for column in columns]
    return '\n\n'.join(
        _laid_out([columns[i] for i in group], _widths(natural, least, group, width))
        for group in _groups(least, width, keys)
    )


def table_width(rows: Sequence[Sequence[str]]) -> int:
    """Return the width of a table that nothing wraps or splits."""
    return _total(_natural(rows))


def _natural(rows: Sequence[Sequence[str]]) -> list[int]:
    return [max(map(len, column)) for column in zip(*rows, strict=True)]


def _total(widths: Sequence[int]) -> int:
    return sum(widths) + _GAP * (len(widths) - 1)


def _longest_word(cell: str) -> int:
    return max(map(len, cell.split(' ')))


def _groups(least: Sequence[int], width: int, keys: int) -> list[list[int]]:
    """Return the columns of each table: the keys, and as many others as fit beside them."""
    groups = [list(range(keys))]
    for i in range(keys, len(least)):
        if len(groups[-1]) > keys and _total([least[j] for j in (*groups[-1], i)]) > width:
            groups.append(list(range(keys)))
        groups[-1].append(i)
    return groups


def _widths(
    natural: Sequence[int], least: Sequence[int], group: Sequence[int], width: int
) -> list[int]:
    """Return widths that fit: only the widest columns are narrowed."""

    def capped(cap: int) -> list[int]:
        return [max(least[i], min(natural[i], cap)) for i in group]

    cap = max(natural)
    while cap > 0 and _total(capped(cap)) > width:
        cap -= 1
    return capped(cap)


def _laid_out(columns: Sequence[Sequence[str]], widths: Sequence[int]) -> str:
    if _styled:
        return _drawn(columns, widths)
    lines = []
    for row in zip(*columns, strict=True):
        cells = [
            textwrap.wrap(cell, max(size, 1), break_long_words=False, break_on_hyphens=False)
            if len(cell) > size
            else [cell]
            for cell, size in zip(row, widths, strict=True)
        ]
        for parts in zip_longest(*cells, fillvalue=''):
            padded = (part.ljust(size) for part, size in zip(parts, widths, strict=True))
            lines.append((' ' * _GAP).join(padded).rstrip())
    return '\n'.join(lines).replace(NO_BREAK, ' ')


def _drawn(columns: Sequence[Sequence[str]], widths: Sequence[int]) -> str:
    """Return the table as rich draws it: a line below the header, the marked row in colour."""
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    # the line between two columns is a space
    table = Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, _GAP - 1, 0, 0))
    for (title, *_), width in zip(columns, widths, strict=True):
        table.add_column(Text(title), width=width)
    for row in list(zip(*columns, strict=True))[1:]:
        table.add_row(*map(Text, row), style='bold yellow' if row[0].startswith(MARK[0]) else None)
    console = Console(width=_total(widths) + _GAP)
    with console.capture() as text:
        console.print(table)
    return '\n'.join(line.rstrip() for line in text.get().splitlines()).replace(NO_BREAK, ' ')

# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Rows of cells as aligned text."""

from __future__ import annotations

from collections.abc import Sequence


def text_table(rows: Sequence[Sequence[str]]) -> str:
    """
    Return a table whose columns are as wide as they need.

    Parameters
    ----------
    rows : sequence of sequence of str
        Of equal lengths; the header is the first.

    Returns
    -------
    str

    Examples
    --------
    >>> print(text_table([('joint', 'effort'), ('a', '1.5')]))
    joint  effort
    a      1.5

    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return '\n'.join(
        '  '.join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    )

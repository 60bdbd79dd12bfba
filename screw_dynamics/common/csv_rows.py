# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Tables in CSV: a header, and rows of as many cells."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from io import StringIO
from pathlib import Path

import numpy as np

from screw_dynamics.common.arrays import Array
from screw_dynamics.errors import InputError, ScrewDynamicsError, short, shown

Rows = Iterator[tuple[int, list[str]]]


def csv_rows(
    text: str, error: type[ScrewDynamicsError], where: str = ''
) -> tuple[list[str], Rows]:
    """
    Return the header of a table, empty without any, and an iterator of its rows with numbers.

    `error`, whose text begins with `where`, is raised for a row of another number of cells.
    """
    reader = csv.reader(StringIO(text, newline=''))

    def lines() -> Rows:
        try:
            yield from ((reader.line_num, row) for row in reader if row)
        except csv.Error as problem:
            raise error(f'{where}row {reader.line_num}: {problem}') from None

    every = lines()
    header = next(every, (0, []))[1]

    def rows() -> Rows:
        for number, row in every:
            if len(row) != len(header):
                hint = ': write numbers with a point' if len(row) == 2 * len(header) else ''
                raise error(
                    f'{where}row {number}: expected {len(header)} cells, got {len(row)}{hint}'
                )
            yield number, row

    return header, rows()


def csv_numbers(path: Path) -> tuple[list[str], Array]:
    """Return the header of a file, and the numbers (T, N) below it; NaN for empty cells."""
    try:
        text = path.read_text(encoding='utf-8-sig')
    except UnicodeDecodeError as error:
        raise InputError(f'{path}: expected a table in CSV: {short(str(error))}') from None
    if not text.strip().partition('\n')[2]:
        raise InputError(f'{path}: expected rows of numbers below a header, got none')
    header, rows = csv_rows(text, InputError, f'{path}: ')
    if len(header) < 2:
        found = header_found(header)
        raise InputError(f'{path}: expected a header of two columns or more, got {found}')
    cells = [[cell or 'nan' for cell in row] for _, row in rows]
    try:
        return header, np.array(cells, dtype=np.float64)
    except ValueError as error:
        text = short(str(error))
        raise InputError(f'{path}: expected numbers below the header: {text}') from None


def header_found(row: Sequence[str]) -> str:
    """Return what the first row of a CSV file has that is not its header, and what to write."""
    line = ','.join(row)
    if not line:
        return 'an empty file'
    if ';' in line or '\t' in line:
        return f'{shown(line)}: separate columns by commas, and write numbers with a point'
    try:
        _ = [float(cell) for cell in row]
    except ValueError:
        return shown(line)
    return f'the numbers {shown(line)}: write the header above them'

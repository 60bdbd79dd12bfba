# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Recordings in files of tables: CSV, Parquet and NPZ with named columns."""

from __future__ import annotations

import re
import warnings
import zipfile
from pathlib import Path

import numpy as np

from screw_dynamics.common.arrays import Array
from screw_dynamics.common.csv_rows import csv_numbers
from screw_dynamics.common.results import optional_library
from screw_dynamics.errors import InputError, RecordingWarning, listed, short, shown

TABLES = '.csv', '.parquet', '.npz'
_FIELDS = 'position', 'effort', 'motor_position', 'motor_effort', 'deflection'
# what every recording has, and the columns of CSV that hold it
_NEEDED = {'times': 'time', 'positions': 'JOINT.position', 'joint_names': 'JOINT.position'}
_UNIT = re.compile(r' *\[[^\]]*\]$')


def fields_of_file(path: Path) -> dict[str, object]:
    """Return the fields of a recording in a file; see `Recording.from_file`."""
    suffix = path.suffix.lower()
    if suffix not in TABLES:
        hint = ': a table with commas is named .csv' if suffix in ('.txt', '.tsv', '.dat') else ''
        raise InputError(
            f'{path}: expected a file {", ".join(TABLES[:-1])} or {TABLES[-1]}, got '
            f'{shown(path.suffix)}{hint}'
        )
    try:
        columns, present = {'.csv': _csv, '.parquet': _parquet, '.npz': _npz}[suffix](path)
    except OSError as error:
        raise InputError(f'{path}: expected a recording: {error.strerror or error}') from None
    for name, column in _NEEDED.items():
        if name not in columns:
            wanted = f'an array {name}' if suffix == '.npz' else f'a column {column}'
            raise InputError(f'{path}: expected {wanted}, got {listed(present) or "none"}')
    return columns


def _npz(path: Path) -> tuple[dict[str, object], list[str]]:
    """Return the arrays of a recording, others are not read, and the names of all."""
    names = 'joint_names', 'times', *(f'{field}s' for field in _FIELDS)
    try:
        with zipfile.ZipFile(path), np.load(path, allow_pickle=False) as file:
            return {key: file[key] for key in file.files if key in names}, file.files
    except (ValueError, EOFError, zipfile.BadZipFile) as error:
        raise InputError(f'{path}: expected arrays in NPZ: {short(str(error))}') from None


def _parquet(path: Path) -> tuple[dict[str, object], list[str]]:
    """Return the columns of a recording, others are not read, and the names of all."""
    parquet = optional_library('pyarrow.parquet', 'fleet')
    if not path.is_file():
        raise FileNotFoundError(2, 'No such file or directory')
    try:
        titles = parquet.read_schema(path).names
        names = [_UNIT.sub('', title.strip()) for title in titles]
        read = [title for title, name in zip(titles, names, strict=True) if _is_read(name)]
        table = parquet.read_table(path, columns=read)
        columns = [table[title].to_numpy().astype(np.float64) for title in read]
    except ValueError as error:  # of pyarrow, and of texts
        raise InputError(
            f'{path}: expected a table of numbers in Parquet: {short(str(error))}'
        ) from None
    own = [_UNIT.sub('', title.strip()) for title in read]
    return _fields(path, own, np.column_stack(columns) if read else np.empty((0, 0))), names


def _csv(path: Path) -> tuple[dict[str, object], list[str]]:
    """Return the columns of a recording, others are not read, and the names of all."""
    header, table = csv_numbers(path)
    names = [_UNIT.sub('', cell.strip()) for cell in header]
    return _fields(path, names, table), names


def _fields(path: Path, names: list[str], table: Array) -> dict[str, object]:
    """Return the fields of a recording in named columns."""
    table = _whole_rows(path, names, table)
    found: dict[str, dict[str, Array]] = {}
    columns: dict[str, object] = {}
    for name, column in zip(names, table.T, strict=True):
        joint, _, field = name.rpartition('.')
        if name == 'time':
            columns['times'] = column
        elif field in _FIELDS:
            found.setdefault(field, {})[joint] = column
    joints = list(found.get('position', {}))
    if joints:
        columns['joint_names'] = joints
    absent = np.full(len(table), np.nan)
    for field, own in found.items():
        if unknown := [joint for joint in own if joint not in joints]:
            raise InputError(f'{path}: expected a column {unknown[0]}.position beside {field}')
        columns[f'{field}s'] = np.column_stack([own.get(joint, absent) for joint in joints])
    return columns


def _is_read(name: str) -> bool:
    return name == 'time' or name.rpartition('.')[2] in _FIELDS


def _whole_rows(path: Path, names: list[str], table: Array) -> Array:
    """Return the rows that lack no value of a column that was measured; warn of the others."""
    read = np.array([_is_read(name) for name in names], dtype=bool)
    absent = np.isnan(table)
    lacking = absent[:, read & ~absent.all(axis=0)].any(axis=1)
    if lacking.any():
        text = f'{path}: {lacking.sum()} of {len(table)} rows lack a value: left out'
        warnings.warn(text, RecordingWarning, stacklevel=6)
    return table[~lacking]

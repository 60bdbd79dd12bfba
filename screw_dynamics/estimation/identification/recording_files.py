# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Recordings in files of tables: CSV and NPZ with named columns."""

from __future__ import annotations

import csv
import re
import zipfile
from pathlib import Path

import numpy as np

from screw_dynamics.common.arrays import Array
from screw_dynamics.errors import InputError, listed, short, shown

TABLES = '.csv', '.npz'
_FIELDS = 'position', 'effort', 'motor_position', 'motor_effort', 'deflection'
_UNIT = re.compile(r' *\[[^\]]*\]$')


def fields_of_file(path: Path) -> dict[str, object]:
    """Return the fields of a recording in a file; see `Recording.from_file`."""
    suffix = path.suffix.lower()
    if suffix not in TABLES:
        raise InputError(
            f'{path}: expected a file {" or ".join(TABLES)}, got {shown(path.suffix)}'
        )
    try:
        columns = _csv(path) if suffix == '.csv' else _npz(path)
    except OSError as error:
        raise InputError(f'{path}: expected a recording: {error.strerror or error}') from None
    for name in ('joint_names', 'times', 'positions'):
        if name not in columns:
            raise InputError(
                f'{path}: expected {name}, got {listed(map(str, columns)) or "nothing"}'
            )
    return columns


def _npz(path: Path) -> dict[str, object]:
    """Return the arrays of a recording; others are not read."""
    names = 'joint_names', 'times', *(f'{field}s' for field in _FIELDS)
    try:
        with np.load(path, allow_pickle=False) as file:
            return {key: file[key] for key in file.files if key in names}
    except (ValueError, EOFError, zipfile.BadZipFile) as error:
        raise InputError(f'{path}: expected arrays in NPZ: {short(str(error))}') from None


def _csv(path: Path) -> dict[str, object]:
    """Return the columns ``time``, ``joint.position``, ``joint.effort`` and so on."""
    try:
        with path.open(encoding='utf-8-sig', newline='') as file:
            header, *rows = [row for row in csv.reader(file) if row] or [[]]
        table = np.array([[cell or 'nan' for cell in row] for row in rows], dtype=np.float64)
    except (UnicodeDecodeError, csv.Error, ValueError) as error:
        raise InputError(
            f'{path}: expected rows of numbers below a header: {short(str(error))}'
        ) from None
    names = [_UNIT.sub('', cell.strip()) for cell in header]
    if table.shape != (len(rows), len(names)) or not rows:
        raise InputError(f'{path}: expected rows of {len(names)} cells, got {table.shape}')
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

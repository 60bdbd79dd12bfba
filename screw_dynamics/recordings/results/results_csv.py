# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Results as CSV: one row per sample, one column per quantity of a joint or motor."""

import csv
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TextIO

import numpy as np

from screw_dynamics.common.arrays import Array
from screw_dynamics.common.csv_rows import csv_numbers, header_found
from screw_dynamics.common.paths import new_file
from screw_dynamics.common.progress import progress
from screw_dynamics.common.quantities import EFFORTS, MOTION, MOTORS, Quantity
from screw_dynamics.errors import InputError, listed, shown
from screw_dynamics.recordings.results.results import MotorResults, Results

_UNIT = re.compile(r' \[(rad|m|N m|N)(?:/s(?:\^\d)?)?\]$')


def write_csv(results: Results, path: Path | TextIO) -> None:
    """Write results without loss: `read_csv` returns bitwise identical numbers."""
    if not isinstance(path, Path):
        _write_rows(results, path)
        return
    # newline: the csv module writes line ends itself
    with new_file(path) as place, place.open('w', encoding='utf-8', newline='') as file:
        _write_rows(results, file)


def _write_rows(results: Results, file: TextIO) -> None:
    columns = results.columns()
    writer = csv.writer(file, lineterminator='\n')
    writer.writerow(columns)
    rows = np.column_stack(list(columns.values()))
    for row in progress(rows, 'writing CSV', unit='row'):
        writer.writerow([repr(value) for value in row.tolist()])


def has_results(path: Path) -> bool:
    """Return whether a file is one of `write_csv`, and not a trajectory for example."""
    if path.suffix.lower() != '.csv':
        return False
    try:
        with path.open(encoding='utf-8-sig', newline='') as file:
            header = next(csv.reader(file), [])
    except (OSError, UnicodeDecodeError, csv.Error):  # reported when it is read
        return False
    return any(_UNIT.sub('', name).endswith(f'.{EFFORTS[0].name}') for name in header)


def read_csv(path: Path) -> Results:
    """Read results from a file of `write_csv`; an `InputError` names the row or column."""
    titles, table = csv_numbers(path)
    if titles[0] != 'time':
        raise InputError(
            f"{path}: expected results: a header that begins with 'time', as in 'time,"
            f"joint_1.position,...', got {header_found(titles)}"
        )
    header = [_UNIT.sub('', title) for title in titles]
    columns = dict(zip(header, table.T, strict=True))
    if len(columns) < len(header):
        twice = next(name for name in header if header.count(name) > 1)
        raise InputError(f'{path}: expected every column once, got {shown(twice)} twice')
    joints = _owners(header, f'.{EFFORTS[0].name}')
    if not joints:
        raise InputError(
            f"{path}: expected columns such as 'joint_1.effort', got {listed(header[1:6])}"
        )
    motion, motion_deviations = _values(path, columns, joints, MOTION, 3)
    efforts, effort_deviations = _values(path, columns, joints, EFFORTS, 1)
    return Results(
        joint_names=joints,
        times=columns['time'],
        joint_jet=motion,
        effort_jet=efforts,
        joint_deviations=motion_deviations,
        effort_deviations=effort_deviations,
        motors=_motors(path, columns, _owners(header, f'.{MOTORS[0].name}')),
        slides=_slides(titles, joints),
    )


def _slides(header: Sequence[str], joints: tuple[str, ...]) -> tuple[bool, ...] | None:
    """Return which joints have positions in m; None if units are missing."""
    names = {kind: [MOTION[0].column(joint, kind) for joint in joints] for kind in (False, True)}
    if not all(
        one in header or other in header for one, other in zip(*names.values(), strict=True)
    ):
        return None
    return tuple(name in header for name in names[True])


def _motors(path: Path, columns: dict[str, Array], names: tuple[str, ...]) -> MotorResults | None:
    if not names:
        return None
    values, deviations = _values(path, columns, names, MOTORS, len(MOTORS))
    return MotorResults(names, np.full(len(names), np.nan), values, deviations)


def _owners(header: list[str], ending: str) -> tuple[str, ...]:
    return tuple(name.removesuffix(ending) for name in header if name.endswith(ending))


def _values(
    path: Path,
    columns: dict[str, Array],
    owners: tuple[str, ...],
    quantities: tuple[Quantity, ...],
    least: int,
) -> tuple[Array, Array | None]:
    """Return at least `least` values (T, r, n), and their standard deviations if there are any."""
    names = [f'.{quantity.name}' for quantity in quantities]
    while len(names) > least and owners[0] + names[-1] not in columns:
        names.pop()
    deviations = None
    if f'{owners[0]}{names[0]}.sd' in columns:
        deviations = _table(path, columns, owners, [f'{name}.sd' for name in names])
    return _table(path, columns, owners, names), deviations


def _table(
    path: Path, columns: dict[str, Array], owners: Sequence[str], names: list[str]
) -> Array:
    for owner in owners:
        for name in names:
            if owner + name not in columns:
                raise InputError(f'{path}: column {shown(owner + name)} is missing')
    values = [[columns[owner + name] for owner in owners] for name in names]
    return np.ascontiguousarray(np.array(values).transpose(2, 0, 1))

# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Poses of a frame in YAML and CSV files."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from screw_dynamics.common.csv_rows import csv_rows, header_found
from screw_dynamics.common.paths import expanded
from screw_dynamics.common.yaml_files.loading import load_yaml
from screw_dynamics.errors import InputError, TrajectoryError, among, shown
from screw_dynamics.trajectory.cartesian.poses import PoseWaypoints
from screw_dynamics.trajectory.trajectory_files import TIME, number_list, time_value

_KEYS = ('frame', 'start', 'poses')
_POSITION, _ORIENTATION = 'position', 'orientation'
_COLUMNS = {_POSITION: ['x', 'y', 'z'], _ORIENTATION: ['qx', 'qy', 'qz', 'qw']}
_HINT = re.compile(r'\bposes["\']?\s*:')


@dataclass(frozen=True)
class PoseFile:
    """
    The poses of a file.

    Parameters
    ----------
    waypoints : PoseWaypoints
    components : {'all', 'linear'}
        'linear' if the file has positions alone; all orientations are 1 then.
    start : mapping of str to float
        Joint positions at the start, by joint [rad or m].
    """

    waypoints: PoseWaypoints
    components: str = 'all'
    start: Mapping[str, float] = field(default_factory=dict)


def read_poses(path: str | Path, frame: str = '') -> PoseFile:
    """
    Read the poses of a frame.

    YAML has the keys ``frame``, ``poses``, each with ``time_from_start`` [s], ``position`` (x, y,
    z) [m] and ``orientation`` (x, y, z, w), and, if given, ``start``, a mapping of joints to their
    positions at the start. CSV has the columns ``time,x,y,z,qx,qy,qz,qw``. Without any
    orientation the frame follows the positions alone.

    Parameters
    ----------
    path : str or Path
        Path of a CSV file if it ends in ``.csv``, else of a YAML file.
    frame : str
        Link that follows the poses; required for CSV, in place of ``frame`` for YAML.

    Raises
    ------
    TrajectoryError
        If the file is invalid; the error states file, row or pose, and column or key.
    """
    try:
        text = expanded(path).read_text(encoding='utf-8-sig')
        return parse_poses(text, frame, csv=str(path).lower().endswith('.csv'))
    except (OSError, TypeError, ValueError) as error:  # a TrajectoryError is a ValueError
        reason = getattr(error, 'strerror', None) or error
        raise TrajectoryError(f'{path}: {reason}') from None


def parse_poses(text: str, frame: str = '', *, csv: bool = False) -> PoseFile:
    r"""
    Read poses from the text of a file; see `read_poses`.

    Parameters
    ----------
    text : str
    frame : str
        Link that follows the poses.
    csv : bool
        Whether the text is CSV instead of YAML.

    Raises
    ------
    TrajectoryError
        If the text is invalid.

    Examples
    --------
    >>> from screw_dynamics.trajectory.cartesian import parse_poses
    >>> found = parse_poses('time,x,y,z\n0,0.4,0,0.3\n2,0.4,0.2,0.3\n', 'tool', csv=True)
    >>> found.components, found.waypoints.positions[1]
    ('linear', array([0.4, 0.2, 0.3]))
    """
    if csv:
        return _pose_file(frame, _rows_of_csv(text), {})
    data = _document(text)
    if not isinstance(data, dict) or 'poses' not in data:
        raise TrajectoryError("expected the keys 'frame' and 'poses'")
    _require_keys('the file', data, _KEYS)
    poses, start = data['poses'], data.get('start') or {}
    if not isinstance(poses, list) or not isinstance(start, dict):
        raise TrajectoryError("expected a list 'poses' and, if given, a mapping 'start'")
    rows = []
    for i, pose in enumerate(poses):
        where = f'pose #{i}'
        if not isinstance(pose, dict):
            raise TrajectoryError(f'{where}: expected a mapping, got {shown(pose)}')
        _require_keys(where, pose, (TIME, *_COLUMNS))
        rows.append((where, pose))
    named = {str(name): _start_position(str(name), q) for name, q in start.items()}
    return _pose_file(frame or data.get('frame', ''), rows, named)


def _start_position(name: str, value: Any) -> float:
    position = number_list('start', name, [value])[0]
    if not math.isfinite(position):
        raise TrajectoryError(f'start, {name}: expected a finite number, got {position}')
    return position


def has_poses(text: str) -> bool:
    """Return True if a text is YAML with the key ``poses``."""
    if not _HINT.search(text):
        return False
    try:
        data = load_yaml(text)
    except InputError:
        return False
    return isinstance(data, dict) and 'poses' in data


def _document(text: str) -> Any:
    try:
        return load_yaml(text)
    except InputError as error:
        raise TrajectoryError(str(error)) from None


def _require_keys(where: str, data: dict[Any, Any], known: tuple[str, ...]) -> None:
    unknown = sorted(str(key) for key in data.keys() - set(known))
    if unknown:
        raise TrajectoryError(f'{where}: expected the keys {among(known, unknown[0])}')


def _rows_of_csv(text: str) -> list[tuple[str, dict[str, Any]]]:
    """Return the rows with their numbers, as entries of YAML."""
    cells, lines = csv_rows(text, TrajectoryError)
    short = ['time', *_COLUMNS[_POSITION]]
    header = [cell.strip() for cell in cells]
    if header not in (short, [*short, *_COLUMNS[_ORIENTATION]]):
        raise TrajectoryError(
            f'columns: expected {",".join(short)} and, if any, '
            f'{",".join(_COLUMNS[_ORIENTATION])}, got {header_found(header)}'
        )
    rows = []
    for number, row in lines:
        entries = {TIME: row[0], _POSITION: row[1:4], _ORIENTATION: row[4:] or None}
        rows.append((f'row {number}', entries))
    return rows


def _pose_file(
    frame: str, rows: list[tuple[str, dict[str, Any]]], start: Mapping[str, float]
) -> PoseFile:
    """Return the poses of rows, each with the text that begins its errors."""
    if not rows:
        raise TrajectoryError('expected at least one pose, got none')
    turned = [where for where, row in rows if row.get(_ORIENTATION) is not None]
    if turned and len(turned) < len(rows):
        lacking = next(where for where, row in rows if row.get(_ORIENTATION) is None)
        raise TrajectoryError(
            f'{lacking}: expected an orientation, as of {turned[0]}, or none at all, got none'
        )
    times, positions, orientations = [], [], []
    for where, row in rows:
        if TIME not in row:
            raise TrajectoryError(f'{where}: expected the key {TIME!r}')
        times.append(time_value(where, row[TIME]))
        positions.append(_vector(where, row, _POSITION))
        orientations.append(_vector(where, row, _ORIENTATION) if turned else [0.0, 0.0, 0.0, 1.0])
    return PoseFile(
        PoseWaypoints(frame, times, positions, orientations),  # type: ignore[arg-type]
        'all' if turned else 'linear',
        start,
    )


def _vector(where: str, row: dict[str, Any], key: str) -> list[float]:
    size = len(_COLUMNS[key])
    values = number_list(where, key, row.get(key))
    if len(values) != size:
        raise TrajectoryError(f'{where}, {key}: expected {size} numbers, got {len(values)}')
    return values

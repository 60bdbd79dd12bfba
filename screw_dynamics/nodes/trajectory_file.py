# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Read a joint trajectory from YAML or CSV."""

from __future__ import annotations

import csv
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from screw_dynamics.errors import TrajectoryError
from screw_dynamics.trajectory import TrajectoryPoint

_POINT_KEYS = ('time_from_start', 'positions', 'velocities', 'accelerations')
_LONGEST = 2**31 - 1  # s, what a Duration message holds
_COLUMN = re.compile(r'(?P<joint>.+?)(?:\.(?P<field>position|velocity|acceleration))?')


@dataclass(frozen=True)
class TrajectoryFile:
    """
    A trajectory as a file has it.

    Parameters
    ----------
    joint_names : tuple of str
    points : tuple of TrajectoryPoint

    Raises
    ------
    TrajectoryError
        If there is no point, or a time that no message can hold.

    """

    joint_names: tuple[str, ...]
    points: tuple[TrajectoryPoint, ...]

    def __post_init__(self) -> None:
        """Check what a message could not carry; the receiver checks the rest."""
        if not self.points:
            raise TrajectoryError('expected at least one point, got none')
        for i, point in enumerate(self.points):
            # also false for NaN
            if not 0.0 <= point.time_from_start <= _LONGEST:
                raise TrajectoryError(
                    f'point #{i}, time_from_start: expected 0 to {_LONGEST} s, '
                    f'got {point.time_from_start:g}'
                )


def read_trajectory(path: str) -> TrajectoryFile:
    """
    Read a trajectory from a file.

    YAML has the keys of a JointTrajectory: ``joint_names`` and ``points``, each point with
    ``time_from_start`` ([s], or ``{sec: 1, nanosec: 500000000}`` as ROS prints it) and
    ``positions``, ``velocities``, ``accelerations``. CSV has a column ``time`` [s] and the columns
    ``<joint>`` or ``<joint>.position``, and, if any, ``<joint>.velocity``,
    ``<joint>.acceleration``.

    Parameters
    ----------
    path : str
        Ends in ``.csv``, or holds YAML.

    Returns
    -------
    TrajectoryFile

    Raises
    ------
    TrajectoryError
        Names file, row and column or key.

    """
    try:
        text = Path(path).expanduser().read_text(encoding='utf-8')
    except (OSError, UnicodeDecodeError) as error:
        raise TrajectoryError(f'{path}: {error}') from None
    try:
        return from_csv(text) if path.lower().endswith('.csv') else from_yaml(text)
    except TrajectoryError as error:
        raise TrajectoryError(f'{path}: {error}') from None


def from_yaml(text: str) -> TrajectoryFile:
    """
    Read a trajectory from YAML; see `read_trajectory`.

    Parameters
    ----------
    text : str

    Returns
    -------
    TrajectoryFile

    Raises
    ------
    TrajectoryError

    Examples
    --------
    >>> from_yaml('{joint_names: [a], points: [{time_from_start: 0.0, positions: [1]}]}').points[0]
    TrajectoryPoint(time_from_start=0.0, positions=[1.0], velocities=[], accelerations=[])

    """
    try:
        data = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise TrajectoryError(f'no YAML: {error}') from None
    if not isinstance(data, dict) or not {'joint_names', 'points'} <= data.keys():
        raise TrajectoryError("expected the keys 'joint_names' and 'points'")
    names, points = data['joint_names'], data['points']
    if not isinstance(names, list) or not isinstance(points, list):
        raise TrajectoryError("'joint_names' and 'points': expected lists")
    return TrajectoryFile(
        tuple(str(name) for name in names),
        tuple(_point(f'point #{i}', point) for i, point in enumerate(points)),
    )


def from_csv(text: str) -> TrajectoryFile:
    r"""
    Read a trajectory from CSV; see `read_trajectory`.

    Parameters
    ----------
    text : str

    Returns
    -------
    TrajectoryFile

    Raises
    ------
    TrajectoryError

    Examples
    --------
    >>> from_csv('time,a,b\n0,1,2\n').points[0].positions
    [1.0, 2.0]

    """
    rows = [row for row in csv.reader(text.splitlines()) if row]
    if not rows or rows[0][0].strip() != 'time':
        raise TrajectoryError("expected a header whose first column is 'time'")
    header = [cell.strip() for cell in rows[0]]
    columns: dict[str, dict[str, int]] = {'position': {}, 'velocity': {}, 'acceleration': {}}
    for i, cell in enumerate(header[1:], start=1):
        match = _COLUMN.fullmatch(cell)
        if match is None:
            raise TrajectoryError(f'column {i + 1}: expected the name of a joint, got {cell!r}')
        columns[match['field'] or 'position'][match['joint']] = i
    names = tuple(columns['position'])
    for field, places in columns.items():
        if places and set(places) != set(names):
            raise TrajectoryError(
                f'columns: expected the {field} of {", ".join(names)}, got {", ".join(places)}'
            )
    points = []
    for number, row in enumerate(rows[1:], start=2):
        if len(row) != len(header):
            raise TrajectoryError(f'row {number}: expected {len(header)} cells, got {len(row)}')
        values = {
            _POINT_KEYS[i]: [row[places[name]] for name in names if places]
            for i, places in enumerate(columns.values(), start=1)
        }
        points.append(_point(f'row {number}', {'time_from_start': row[0], **values}))
    return TrajectoryFile(names, tuple(points))


def _point(where: str, data: Any) -> TrajectoryPoint:
    if not isinstance(data, dict) or 'time_from_start' not in data:
        raise TrajectoryError(f"{where}: expected the key 'time_from_start'")
    unknown = sorted(str(key) for key in data.keys() - set(_POINT_KEYS))
    if unknown:
        raise TrajectoryError(
            f'{where}: expected the keys {", ".join(_POINT_KEYS)}, got {", ".join(unknown)}'
        )
    rows = [_numbers(where, key, data.get(key) or []) for key in _POINT_KEYS[1:]]
    return TrajectoryPoint(_time(where, data['time_from_start']), *rows)


def _time(where: str, value: Any) -> float:
    if isinstance(value, dict):
        if value.keys() != {'sec', 'nanosec'}:
            raise TrajectoryError(
                f'{where}, time_from_start: expected seconds, or the keys sec and nanosec, '
                f'got {value}'
            )
        parts = [value['sec'], value['nanosec']]
        seconds, nanoseconds = _numbers(where, 'time_from_start', parts)
        return seconds + 1e-9 * nanoseconds
    return _numbers(where, 'time_from_start', [value])[0]


def _numbers(where: str, key: str, values: Any) -> list[float]:
    if not isinstance(values, list):
        raise TrajectoryError(f'{where}, {key}: expected a list of numbers, got {values!r}')
    try:
        return [float(value) for value in values]
    except (TypeError, ValueError):
        raise TrajectoryError(f'{where}, {key}: expected numbers, got {values!r}') from None

# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Trajectories in YAML and CSV files."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from screw_dynamics.common.csv_rows import csv_rows, header_found
from screw_dynamics.common.paths import expanded
from screw_dynamics.common.scalars import number_from_text
from screw_dynamics.common.yaml_files.loading import load_yaml
from screw_dynamics.errors import InputError, TrajectoryError, among, did_you_mean, listed, shown
from screw_dynamics.trajectory.waypoint_checks import FIELDS, TrajectoryPoint

TIME = 'time_from_start'
_NOT_READ = 'effort'  # part of points in messages; efforts are computed instead


def point_from_fields(where: str, data: Any) -> TrajectoryPoint:
    """Return the point; error messages begin with `where`."""
    if not isinstance(data, dict) or TIME not in data:
        raise TrajectoryError(f'{where}: expected the key {TIME!r}')
    unknown = sorted(str(key) for key in data.keys() - {TIME, *FIELDS, _NOT_READ})
    if unknown:
        raise TrajectoryError(f'{where}: expected the keys {among((TIME, *FIELDS), unknown[0])}')
    # a key without a value is None
    rows = [number_list(where, key, [] if data.get(key) is None else data[key]) for key in FIELDS]
    return TrajectoryPoint(time_value(where, data[TIME]), *rows)


def time_value(where: str, value: Any) -> float:
    """Return a time [s], also of the keys sec and nanosec; error messages begin with `where`."""
    if isinstance(value, dict):
        if value.keys() != {'sec', 'nanosec'}:
            raise TrajectoryError(
                f'{where}, {TIME}: expected seconds, or the keys sec and nanosec, '
                f'got {shown(value)}'
            )
        seconds, nanoseconds = number_list(where, TIME, [value['sec'], value['nanosec']])
        return seconds + 1e-9 * nanoseconds
    return number_list(where, TIME, [value])[0]


def number_list(where: str, key: str, values: Any) -> list[float]:
    """Return a list of numbers; error messages begin with `where` and the key."""
    if not isinstance(values, list):
        raise TrajectoryError(f'{where}, {key}: expected a list of numbers, got {shown(values)}')
    try:
        # YAML's yes and no would be read as 1 and 0
        if not any(isinstance(value, bool) for value in values):
            return [
                number_from_text(value) if isinstance(value, str) else float(value)
                for value in values
            ]
    except (TypeError, ValueError, OverflowError):
        pass
    raise TrajectoryError(f'{where}, {key}: expected numbers, got {shown(values)}')


_COLUMN = re.compile(r'(?P<joint>.+?)(?:\.(?P<field>position|velocity|acceleration))?')
_SUFFIXES = ('position', 'velocity', 'acceleration')  # of columns, in the order of FIELDS


def points_from_csv(text: str) -> tuple[list[str], list[TrajectoryPoint]]:
    """Return joint names and points; see `read_trajectory`."""
    cells, rows = csv_rows(text, TrajectoryError)
    header = [cell.strip() for cell in cells]
    if header[:1] != ['time']:
        raise TrajectoryError(
            "expected a header whose first column is 'time', as in 'time,joint_1,joint_2', got "
            f'{header_found(cells)}'
        )
    columns = _columns(header)
    names = list(columns['position'])
    points = []
    for number, row in rows:
        values = {
            key: [row[columns[field][name]] for name in names if columns[field]]
            for key, field in zip(FIELDS, _SUFFIXES, strict=True)
        }
        points.append(point_from_fields(f'row {number}', {TIME: row[0], **values}))
    return names, points


def _columns(header: list[str]) -> dict[str, dict[str, int]]:
    """Return the column of each joint, by field."""
    columns: dict[str, dict[str, int]] = {field: {} for field in _SUFFIXES}
    for i, cell in enumerate(header[1:], start=1):
        match = _COLUMN.fullmatch(cell)
        if match is None:
            raise TrajectoryError(
                f'column {i + 1}: expected the name of a joint, got {shown(cell)}'
            )
        field, joint = match['field'] or 'position', match['joint']
        if joint in columns[field]:
            raise TrajectoryError(f'column {i + 1}: expected one {field} of {joint}, got two')
        columns[field][joint] = i
    names = columns['position']
    if not names:
        raise TrajectoryError(
            f'columns: expected the positions of joints besides the time, got {listed(header)}'
        )
    for field, places in columns.items():
        if places and set(places) != set(names):
            raise TrajectoryError(
                f'columns: expected the {field} of {listed(names)}, got {listed(places)}'
            )
    return columns


def points_from_yaml(text: str) -> tuple[list[str], list[TrajectoryPoint]]:
    """Return joint names and points; see `read_trajectory`."""
    try:
        data = load_yaml(text)
    except InputError as error:
        raise TrajectoryError(str(error)) from None
    keys = {'joint_names', 'points'}
    if not isinstance(data, dict) or not keys <= data.keys():
        given = data if isinstance(data, dict) else ()
        hints = (did_you_mean(key, keys - set(given)) for key in given)
        raise TrajectoryError(f"expected the keys 'joint_names' and 'points'{''.join(hints)}")
    names, points = data['joint_names'], data['points']
    if not isinstance(names, list) or not isinstance(points, list):
        raise TrajectoryError("'joint_names' and 'points': expected lists")
    return (
        [_name(i, name) for i, name in enumerate(names)],
        [point_from_fields(f'point #{i}', point) for i, point in enumerate(points)],
    )


def _name(i: int, value: Any) -> str:
    # a whole number is also a name: only one text is read as this number
    if isinstance(value, bool) or not isinstance(value, (str, int)):
        raise TrajectoryError(f'joint_names[{i}]: expected text, got {shown(value)}')
    return str(value)


_LONGEST = 2**31 - 1  # s, limit of a Duration message


@dataclass(frozen=True)
class TrajectoryFile:
    """
    The trajectory of a file; `waypoints_from_points` checks it against a robot.

    Parameters
    ----------
    joint_names : tuple of str
    points : tuple of TrajectoryPoint

    Raises
    ------
    TrajectoryError
        If there is no joint or no point, or a time is not valid in a message.
    """

    joint_names: tuple[str, ...]
    points: tuple[TrajectoryPoint, ...]

    def __post_init__(self) -> None:
        """Check the conditions for a message; the receiver checks the rest."""
        if not self.joint_names:
            raise TrajectoryError('expected at least one joint, got none')
        if not self.points:
            raise TrajectoryError('expected at least one point, got none')
        for i, point in enumerate(self.points):
            # also false for NaN
            if not 0.0 <= point.time_from_start <= _LONGEST:
                raise TrajectoryError(
                    f'point #{i}, time_from_start: expected 0 to {_LONGEST} s, '
                    f'got {point.time_from_start:g}'
                )


def read_trajectory(path: str | Path) -> TrajectoryFile:
    """
    Read a `TrajectoryFile`.

    YAML has the keys of a JointTrajectory: ``joint_names`` and ``points``, each point with
    ``time_from_start`` ([s], or ``{sec: 1, nanosec: 500000000}`` as ROS prints it) and
    ``positions``, ``velocities``, ``accelerations``; ``effort`` is not read. CSV has a column
    ``time`` [s] and the columns ``<joint>`` or ``<joint>.position``, and, if any,
    ``<joint>.velocity``, ``<joint>.acceleration``.

    Parameters
    ----------
    path : str or Path
        Path of a CSV file if it ends in ``.csv``, else of a YAML file.

    Raises
    ------
    TrajectoryError
        If the file is invalid; the error states file, row and column or key.
    """
    try:
        text = expanded(path).read_text(encoding='utf-8-sig')
        return parse_trajectory(text, csv=str(path).lower().endswith('.csv'))
    except (OSError, TypeError, ValueError) as error:  # a TrajectoryError is a ValueError
        reason = getattr(error, 'strerror', None) or error
        raise TrajectoryError(f'{path}: {reason}') from None


def parse_trajectory(text: str, *, csv: bool = False) -> TrajectoryFile:
    r"""
    Read a `TrajectoryFile` from the text of a file; see `read_trajectory`.

    Parameters
    ----------
    text : str
    csv : bool
        Whether the text is CSV instead of YAML.

    Raises
    ------
    TrajectoryError
        If the text is invalid; the error states row and column or key.

    Examples
    --------
    >>> from screw_dynamics.trajectory import parse_trajectory
    >>> parse_trajectory('time,a,b\n0,1,2\n', csv=True).points[0].positions
    [1.0, 2.0]
    >>> text = '{joint_names: [a], points: [{time_from_start: 0.0, positions: [1]}]}'
    >>> parse_trajectory(text).points[0]
    TrajectoryPoint(time_from_start=0.0, positions=[1.0], velocities=[], accelerations=[])
    """
    if not isinstance(text, str):
        raise TrajectoryError(f'expected text, got {shown(text)}')
    names, points = points_from_csv(text) if csv else points_from_yaml(text)
    return TrajectoryFile(tuple(names), tuple(points))

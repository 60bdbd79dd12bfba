# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Points of a joint trajectory in CSV."""

from __future__ import annotations

import csv
import re

from screw_dynamics.error_texts import listed, shown
from screw_dynamics.errors import TrajectoryError
from screw_dynamics.trajectory.point_fields import ROWS, TIME, point_from_fields
from screw_dynamics.trajectory.waypoints import TrajectoryPoint

_COLUMN = re.compile(r'(?P<joint>.+?)(?:\.(?P<field>position|velocity|acceleration))?')
_FIELDS = ('position', 'velocity', 'acceleration')  # column suffixes, in the order of ROWS


def points_from_csv(text: str) -> tuple[list[str], list[TrajectoryPoint]]:
    """Return joint names and points; see `read_trajectory`."""
    reader = csv.reader(text.splitlines())
    try:
        lines = [(reader.line_num, row) for row in reader if row]
    except csv.Error as error:
        raise TrajectoryError(f'row {reader.line_num}: {error}') from None
    rows = [row for _, row in lines]
    if not rows or rows[0][0].strip() != 'time':
        raise TrajectoryError("expected a header whose first column is 'time'")
    columns = _columns([cell.strip() for cell in rows[0]])
    names = list(columns['position'])
    points = []
    for number, row in lines[1:]:
        if len(row) != len(rows[0]):
            raise TrajectoryError(f'row {number}: expected {len(rows[0])} cells, got {len(row)}')
        values = {
            key: [row[columns[field][name]] for name in names if columns[field]]
            for key, field in zip(ROWS, _FIELDS, strict=True)
        }
        points.append(point_from_fields(f'row {number}', {TIME: row[0], **values}))
    return names, points


def _columns(header: list[str]) -> dict[str, dict[str, int]]:
    """Return the column of each joint, by field."""
    columns: dict[str, dict[str, int]] = {field: {} for field in _FIELDS}
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
            f'columns: expected the positions of joints beside the time, got {listed(header)}'
        )
    for field, places in columns.items():
        if places and set(places) != set(names):
            raise TrajectoryError(
                f'columns: expected the {field} of {listed(names)}, got {listed(places)}'
            )
    return columns

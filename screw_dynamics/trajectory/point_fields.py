# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Conversion of the fields of a point in a file to a `TrajectoryPoint`."""

from __future__ import annotations

from typing import Any

from screw_dynamics.error_texts import listed, shown
from screw_dynamics.errors import TrajectoryError
from screw_dynamics.scalars import number_from_text
from screw_dynamics.trajectory.waypoints import TrajectoryPoint

TIME = 'time_from_start'
ROWS = ('positions', 'velocities', 'accelerations')
_NOT_READ = 'effort'  # part of points in messages; efforts are computed instead


def point_from_fields(where: str, data: Any) -> TrajectoryPoint:
    """Return the point; error messages begin with `where`."""
    if not isinstance(data, dict) or TIME not in data:
        raise TrajectoryError(f'{where}: expected the key {TIME!r}')
    unknown = sorted(str(key) for key in data.keys() - {TIME, *ROWS, _NOT_READ})
    if unknown:
        raise TrajectoryError(
            f'{where}: expected the keys {", ".join((TIME, *ROWS))}, got {listed(unknown)}'
        )
    # a key without a value is None
    rows = [_numbers(where, key, [] if data.get(key) is None else data[key]) for key in ROWS]
    return TrajectoryPoint(_time(where, data[TIME]), *rows)


def _time(where: str, value: Any) -> float:
    if isinstance(value, dict):
        if value.keys() != {'sec', 'nanosec'}:
            raise TrajectoryError(
                f'{where}, {TIME}: expected seconds, or the keys sec and nanosec, '
                f'got {shown(value)}'
            )
        seconds, nanoseconds = _numbers(where, TIME, [value['sec'], value['nanosec']])
        return seconds + 1e-9 * nanoseconds
    return _numbers(where, TIME, [value])[0]


def _numbers(where: str, key: str, values: Any) -> list[float]:
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

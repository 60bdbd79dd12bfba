# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Points of a joint trajectory in YAML."""

from __future__ import annotations

from typing import Any

from screw_dynamics.error_texts import shown
from screw_dynamics.errors import InputError, TrajectoryError
from screw_dynamics.trajectory.point_fields import point_from_fields
from screw_dynamics.trajectory.waypoints import TrajectoryPoint
from screw_dynamics.yaml_loading import load_yaml


def points_from_yaml(text: str) -> tuple[list[str], list[TrajectoryPoint]]:
    """Return joint names and points; see `read_trajectory`."""
    try:
        data = load_yaml(text)
    except InputError as error:
        raise TrajectoryError(str(error)) from None
    if not isinstance(data, dict) or not {'joint_names', 'points'} <= data.keys():
        raise TrajectoryError("expected the keys 'joint_names' and 'points'")
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

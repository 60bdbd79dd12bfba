# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Trajectories: joint jets over time from waypoints; plain data, no ROS."""

from importlib import import_module as _import_module
from typing import Any as _Any

from screw_dynamics.trajectory.jtc_spline import jtc_trajectory
from screw_dynamics.trajectory.piecewise_polynomial import JET_ROWS, PiecewisePolynomial
from screw_dynamics.trajectory.smooth.spline import overshoot_bound, smooth_trajectory, through
from screw_dynamics.trajectory.trajectory_files import (
    TrajectoryFile,
    parse_trajectory,
    read_trajectory,
)
from screw_dynamics.trajectory.trajectory_start import (
    LimitViolation,
    check_position_limits,
    nearest_turn,
    require_end_in_future,
)
from screw_dynamics.trajectory.waypoint_checks import TrajectoryPoint
from screw_dynamics.trajectory.waypoints import Waypoints, waypoints_from_points

__all__ = [
    'JET_ROWS',
    'LimitViolation',
    'MAX_ORDER',
    'MIN_ORDER',
    'MeasuredMotion',
    'PiecewisePolynomial',
    'ReferenceFilter',
    'TrajectoryFile',
    'TrajectoryPoint',
    'Waypoints',
    'check_position_limits',
    'jtc_trajectory',
    'measured_motion',
    'nearest_turn',
    'overshoot_bound',
    'parse_trajectory',
    'read_trajectory',
    'require_end_in_future',
    'scale_speed',
    'smooth_trajectory',
    'taylor_shifted',
    'through',
    'waypoints_from_points',
]

_FILTER = 'screw_dynamics.trajectory.reference.reference_filter'
# names of this room before they moved, imported at their first use: some rooms import this one
_MOVED = {
    'MAX_ORDER': _FILTER,
    'MIN_ORDER': _FILTER,
    'MeasuredMotion': 'screw_dynamics.estimation',
    'ReferenceFilter': _FILTER,
    'measured_motion': 'screw_dynamics.estimation',
    'scale_speed': 'screw_dynamics.series',
    'taylor_shifted': 'screw_dynamics.series',
}


def __getattr__(name: str) -> _Any:
    """Return a function or class that has moved to another room."""
    if name in _MOVED:
        return getattr(_import_module(_MOVED[name]), name)
    raise AttributeError(f'module {__name__!r} has no attribute {name!r}')

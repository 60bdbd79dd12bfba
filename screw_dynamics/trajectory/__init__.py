# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Trajectories: joint jets over time from waypoints; plain data, no ROS."""

from screw_dynamics.estimation.measured_motion import MeasuredMotion, measured_motion
from screw_dynamics.reference.reference_filter import (
    MAX_ORDER,
    MIN_ORDER,
    ReferenceFilter,
    compile_filter,
)
from screw_dynamics.series.jets import scale_speed, taylor_shifted
from screw_dynamics.trajectory.jtc_spline import jtc_trajectory
from screw_dynamics.trajectory.piecewise_polynomial import (
    JET_ROWS,
    PiecewisePolynomial,
    compile_sampling,
)
from screw_dynamics.trajectory.smooth.spline import overshoot_bound, smooth_trajectory
from screw_dynamics.trajectory.start_rules import (
    LimitViolation,
    check_position_limits,
    nearest_turn,
    require_end_in_future,
)
from screw_dynamics.trajectory.trajectory_files import (
    TrajectoryFile,
    parse_trajectory,
    read_trajectory,
)
from screw_dynamics.trajectory.waypoints import (
    TrajectoryPoint,
    Waypoints,
    waypoints_from_points,
)

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
    'compile_filter',
    'compile_sampling',
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
    'waypoints_from_points',
]

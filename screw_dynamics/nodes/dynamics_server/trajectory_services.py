# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Service handlers of trajectories; they raise ScrewDynamicsError on failure."""

from typing import Any

import numpy as np
from builtin_interfaces.msg import Duration
from numpy.typing import NDArray
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from screw_dynamics.common.arrays import Array
from screw_dynamics.common.times import SECOND, nanoseconds
from screw_dynamics.control.limit_checks import LimitError, check_curve
from screw_dynamics.drives.robot import Robot
from screw_dynamics.dynamics import inverse_dynamics
from screw_dynamics.errors import InfeasibleError, InputError, ShapeError
from screw_dynamics.nodes.dynamics_server.requests import (
    EFFORTS,
    DynamicsServerParameters,
    require_tree,
)
from screw_dynamics.recordings.messages.joints import (
    double_array,
    effort_points,
    joint_order,
    trajectory_points,
)
from screw_dynamics.trajectory import JET_ROWS, Waypoints, waypoints_from_points
from screw_dynamics.trajectory.piecewise_polynomial import even_times, sample_count
from screw_dynamics.trajectory.reference.interpolation import INTERPOLATIONS, shifted

_MAX_ORDER = 2


def compute_trajectory_torques(
    robot: Robot, parameters: DynamicsServerParameters, request: Any, response: Any
) -> str:
    """Handle ComputeTrajectoryTorques, with limits of drives, too; return a warning."""
    model = robot.model
    names, waypoints = _waypoints(robot, request)
    k = int(request.derivative_order)
    if k > _MAX_ORDER:
        raise InputError(f'derivative_order: expected 0, 1 or 2, got {k}')
    begin = waypoints.times[0]
    interpolation = INTERPOLATIONS[parameters.interpolation]
    curve = interpolation.curve(shifted(waypoints, slice(None), begin), None)
    warning = response.message = check_curve(robot, curve, begin, parameters.check_limits)
    times = _sample_times(waypoints.times - begin, request.sample_period, parameters.max_samples)
    jets = curve.jets(times, JET_ROWS)
    known = jets[:, : k + 3].copy()
    tau = parameters.effort_format.convert(model, known, inverse_dynamics(model, known))
    back = _places(robot, names)
    response.interpolation = parameters.interpolation
    response.trajectory = _with_efforts(request, times + begin, jets[:, :, back], tau[:, 0, back])
    for d in range(1, k + 1):
        setattr(response, EFFORTS[d], double_array(tau[:, d, back]))
    return warning


def _sample_times(knots: Array, period: Any, limit: int) -> Array:
    """Return the sample times [s]; the last one is the end, period 0 means the points."""
    step = nanoseconds(period)
    if step < 0:
        raise InputError(f'sample_period: expected 0 s or more, got {1e-9 * step:g} s')
    if step == 0:
        return knots
    end, rate = float(knots[-1]), SECOND / step
    count = sample_count(0.0, end, rate)
    if count > limit:
        raise LimitError(
            f'sample_period: expected at most {limit} samples (parameter max_samples), '
            f'{1e-9 * step:g} s gives {count}'
        )
    return even_times(0.0, end, rate)


_MOST_POINTS = 1000  # their motion takes seconds


def retime_trajectory(
    robot: Robot, parameters: DynamicsServerParameters, request: Any, response: Any
) -> None:
    """Handle RetimeTrajectory."""
    # here, as the node starts in half the time without SciPy
    from screw_dynamics.limits.retiming import retime, retimed_waypoints
    from screw_dynamics.limits.retiming.limited_quantities import limited_robot

    require_tree(robot, 'retime_trajectory')
    names, waypoints = _waypoints(robot, request)
    if len(waypoints.times) > _MOST_POINTS:
        raise InputError(
            f'trajectory.points: expected at most {_MOST_POINTS}, got {len(waypoints.times)}'
        )
    back = _places(robot, names)
    limited = limited_robot(robot, _limits(robot, request, back))
    curve = INTERPOLATIONS[parameters.interpolation].curve(
        shifted(waypoints, slice(None), waypoints.times[0]), None
    )
    try:
        fast, smooth = retimed_waypoints(limited, retime(limited, curve))
    except InfeasibleError as error:
        raise LimitError(str(error)) from None
    jets = np.stack((fast.positions, fast.velocities, fast.accelerations), axis=1)
    tau = parameters.effort_format.convert(robot.model, jets, inverse_dynamics(robot.model, jets))
    response.trajectory = _with_efforts(request, fast.times, jets[:, :, back], tau[:, 0, back])
    response.message = f'{curve.duration:.6g} s before, {smooth.duration:.6g} s now'


def _limits(robot: Robot, request: Any, back: NDArray[np.intp]) -> dict[str, Array]:
    """Return the limits of a request; those of the robot where it has none, or 0."""
    from screw_dynamics.limits.retiming import limits_by_name

    limits = {}
    for quantity, bounds in limits_by_name(robot).items():
        field = f'max_{quantity}'
        values = np.array(getattr(request, field))
        if not values.size:
            continue
        if len(values) != robot.n:
            raise ShapeError(field, f'({robot.n},), or empty', values.shape)
        for name, value in zip(request.trajectory.joint_names, values, strict=True):
            if not value >= 0.0:
                raise InputError(f'{field}: joint {name!r}: expected 0 or more, got {value:g}')
        limits[quantity] = bounds.copy()
        limits[quantity][back] = np.where(values > 0.0, values, bounds[back])
    return limits


def _waypoints(robot: Robot, request: Any) -> tuple[list[str], Waypoints]:
    """Return the joint names of a request in its order, and its points."""
    names = list(request.trajectory.joint_names)
    if names:
        joint_order(names, robot.joint_names)
    points = trajectory_points(request.trajectory)
    return names, waypoints_from_points(names, points, robot.joint_names)


def _places(robot: Robot, names: list[str]) -> NDArray[np.intp]:
    return np.array([robot.joint_names.index(name) for name in names], dtype=np.intp)


def _with_efforts(request: Any, times: Array, jets: Array, efforts: Array) -> JointTrajectory:
    """Return the trajectory message of joint jets and efforts in the order of a request."""
    points = effort_points(
        (round(1e9 * t) for t in times), jets[:, :3], efforts, JointTrajectoryPoint, Duration
    )
    return JointTrajectory(
        header=request.trajectory.header, joint_names=request.trajectory.joint_names, points=points
    )

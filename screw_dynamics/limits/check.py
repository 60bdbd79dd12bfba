# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`check_feasibility`: comparison of a motion with the limits of joints, springs and motors."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from screw_dynamics.common.arrays import Array, as_float_array, require_finite
from screw_dynamics.drives.motor_feedforward import MotorFeedforward
from screw_dynamics.drives.robot import Robot, as_robot
from screw_dynamics.dynamics import inverse_dynamics
from screw_dynamics.errors import InputError, ShapeError, SpringRangeError
from screw_dynamics.limits.feasible_samples import motor_commands_where_feasible
from screw_dynamics.limits.quantities import (
    checks_of,
    limits_of,
    motion_checks,
    motor_checks,
    stiffness_checks,
    winding_checks,
)
from screw_dynamics.limits.report import FeasibilityReport, LimitCheck
from screw_dynamics.model import RobotModel

Jets: TypeAlias = Mapping[str, ArrayLike] | None


def check_feasibility(
    robot: Robot | RobotModel,
    joint_jet: ArrayLike,
    times: ArrayLike,
    wrench_jets: Jets = None,
    *,
    stiffness_jets: Jets = None,
    deflection: Mapping[str, float] | None = None,
) -> FeasibilityReport:
    """
    Compare a motion, sample by sample, with every finite limit of the robot.

    Position, velocity, acceleration, jerk and effort of the joints are compared with the limits of
    the model (one of 0, but of a position, counts as not specified); effort rate and deflection
    with those of the elastic joints, stiffness with its range, motor velocity and effort with
    those of the motors (on the joint's side of the gear), and of a `Winding` voltage, rms current
    and temperature, which begins with 25 deg C. With drives the effort of a joint is that which
    its drive transmits, see `MotorFeedforward.effort_jet`. Nothing is checked between samples: see
    `limits.certify` for a whole curve.

    Parameters
    ----------
    robot : Robot or ScrewModel
    joint_jet : (T, m, n) array_like
        Row d is the d-th time derivative of the positions [rad or m, per s^d]; m >= 3 for a robot
        without elastic joints, 4 with limits of the jerk, else see `elastic_feedforward`.
    times : (T,) array_like
        Times of the samples, increasing [s].
    wrench_jets, stiffness_jets, deflection : optional
        See `elastic_feedforward`; wrenches have m - 2 rows.

    Returns
    -------
    FeasibilityReport
        An effort that a spring cannot transmit is a separate violation, one per joint. Such
        samples count only for positions, velocities and stiffness, while damped joints advance
        through them. With coupled rotors a failing spring leaves the efforts of the joints before
        it unknown, so violations of these may not be reported at such a sample.

    Raises
    ------
    ShapeError, NotFiniteError, UnknownNameError, InputError

    Examples
    --------
    >>> import numpy as np
    >>> import screw_dynamics as sd
    >>> arm = sd.read_urdf(sd.share_path('urdf/planar_2r.urdf'))
    >>> t = np.linspace(0.0, 1.0, 5)
    >>> jets = np.zeros((5, 3, arm.n))
    >>> jets[:, 0, 0], jets[:, 1, 0] = 20.0 * t, 20.0
    >>> report = sd.check_feasibility(arm, jets, t)
    >>> [(v.joint, v.quantity, v.first_violation) for v in report.violations]
    [('joint_1', 'position', 0.25), ('joint_1', 'velocity', 0.0)]
    """
    robot = as_robot(robot)
    jets, instants = as_motion(robot, joint_jet, times)
    limits = limits_of(robot)
    checks = motion_checks(robot, limits, instants, jets)
    if robot.drives is None:
        if stiffness_jets or deflection:
            raise InputError(
                'robot: expected one with drives, for stiffness or deflection, got none'
            )
        wrenches = {
            name: w[..., :1, :] if w.ndim > 1 else w
            for name, w in as_jets('wrench_jets', wrench_jets).items()
        }
        efforts = inverse_dynamics(robot.model, jets[:, :3], wrenches)[:, 0]
        checks += checks_of(robot, 'effort', instants, efforts, limits['effort'])
        return FeasibilityReport(tuple(checks))
    stiffness = as_jets('stiffness_jets', stiffness_jets)
    at, motion, failures = motor_commands_where_feasible(
        robot, jets, instants, as_jets('wrench_jets', wrench_jets), stiffness, deflection
    )
    if motion is not None:
        checks += motor_checks(robot, limits, at, motion) + winding_checks(robot, at, motion)
    checks += stiffness_checks(robot, instants, stiffness)
    broken = [_spring_failure(error, time) for time, error in failures.values()]
    return FeasibilityReport((*checks, *broken))


def check_motor_commands(
    robot: Robot,
    joint_jet: ArrayLike,
    times: ArrayLike,
    commands: MotorFeedforward,
    stiffness_jets: Jets = None,
) -> FeasibilityReport:
    """Return the report of `check_feasibility` for known, feasible motor commands (a batch)."""
    jets, instants = as_motion(robot, joint_jet, times)
    limits, stiffness = limits_of(robot), as_jets('stiffness_jets', stiffness_jets)
    return FeasibilityReport(
        (
            *motion_checks(robot, limits, instants, jets),
            *motor_checks(robot, limits, instants, commands),
            *stiffness_checks(robot, instants, stiffness),
        )
    )


def as_motion(robot: Robot, joint_jet: ArrayLike, times: ArrayLike) -> tuple[Array, Array]:
    """Return joint jets (T, m, n) and increasing times (T,) as checked arrays."""
    jets = as_float_array('joint_jet', joint_jet)
    n = robot.n
    if jets.ndim != 3 or jets.shape[0] < 1 or jets.shape[1] < 3 or jets.shape[2] != n:
        raise ShapeError('joint_jet', f'(T, m, {n}) with T >= 1 and m >= 3', jets.shape)
    instants = as_float_array('times', times)
    if instants.shape != jets.shape[:1]:
        raise ShapeError('times', f'({len(jets)},), one per sample', instants.shape)
    require_finite('joint_jet', jets)
    require_finite('times', instants)
    for i in np.flatnonzero(np.diff(instants) <= 0.0):
        raise InputError(
            f'times[{i + 1}]: expected more than times[{i}] = {instants[i]:g}, '
            f'got {instants[i + 1]:g}'
        )
    return jets, instants


def as_jets(name: str, jets: Jets) -> dict[str, Array]:
    """Return jets by name as arrays of unchecked shape; `name` is the argument in error texts."""
    if jets is not None and not isinstance(jets, Mapping):
        raise InputError(
            f'{name}: expected a mapping of names to arrays, got {type(jets).__name__}'
        )
    items = (jets or {}).items()
    return {key: as_float_array(f'{name}[{key!r}]', jet) for key, jet in items}


def _spring_failure(error: SpringRangeError, time: float) -> LimitCheck:
    return LimitCheck(
        quantity='spring',
        joint=error.joint,
        unit='',
        worst=np.nan,
        limit=np.nan,
        time=time,
        excess=np.inf,
        first_violation=time,
        reason=error.reason,
    )

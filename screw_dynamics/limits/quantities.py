# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Checks of positions, efforts, springs and motors against their limits."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from screw_dynamics.common.arrays import Array
from screw_dynamics.drives.motor_feedforward import MotorFeedforward
from screw_dynamics.drives.robot import Robot
from screw_dynamics.drives.springs import AdjustableSpring
from screw_dynamics.drives.winding_loads import winding_loads, winding_values
from screw_dynamics.errors import InputError, ShapeError
from screw_dynamics.kernels.drives.laws import RIGID
from screw_dynamics.limits.report import LimitCheck, limit_checks
from screw_dynamics.model import JointLimits, RobotModel
from screw_dynamics.model.records import EFFORT_UNITS, LIMITS, POSITION_UNITS

# units of a rotary and of a prismatic coordinate, and what follows them
_UNITS = {
    'position': (POSITION_UNITS, ''),
    'velocity': (POSITION_UNITS, '/s'),
    'acceleration': (POSITION_UNITS, '/s^2'),
    'jerk': (POSITION_UNITS, '/s^3'),
    'effort': (EFFORT_UNITS, ''),
    'effort rate': (EFFORT_UNITS, '/s'),
    'deflection': (POSITION_UNITS, ''),
    'stiffness': (('N m/rad', 'N/m'), ''),
    'motor position': (POSITION_UNITS, ''),
    'motor velocity': (POSITION_UNITS, '/s'),
    'motor effort': (EFFORT_UNITS, ''),
    'motor effort rate': (EFFORT_UNITS, '/s'),
    'motor voltage': (('V', 'V'), ''),
    'rms current': (('A', 'A'), ''),
    'winding temperature': (('deg C', 'deg C'), ''),
}
# of positions, whose limits are those of the model
DERIVATIVES = 'velocity', 'acceleration', 'jerk'


def unit_of(quantity: str, coordinate_type: str) -> str:
    """Return the unit of a quantity of a joint."""
    (rotary, prismatic), per = _UNITS[quantity]
    return (prismatic if coordinate_type == 'prismatic' else rotary) + per


def motion_checks(robot: Robot, times: Array, joint_jet: Array) -> list[LimitCheck]:
    """Return the checks of positions and their derivatives of joint jets (T, m, n)."""
    limits = joint_limits(robot.model)
    checks = checks_of(robot, 'position', times, joint_jet[:, 0], limits.lower, limits.upper)
    for d, quantity in enumerate(DERIVATIVES, 1):
        bounds = getattr(limits, quantity)
        if np.isfinite(bounds).any():
            if joint_jet.shape[1] <= d:
                raise ShapeError('joint_jet', '(T, m, n) with m >= 4 for the jerk', '3 rows')
            checks += checks_of(robot, quantity, times, joint_jet[:, d], -bounds, bounds)
    return checks


def effort_checks(robot: Robot, times: Array, efforts: Array) -> list[LimitCheck]:
    """Return the checks of joint efforts (T, n) against the limits of the model."""
    bounds = joint_limits(robot.model).effort
    return checks_of(robot, 'effort', times, efforts, -bounds, bounds)


def joint_limits(model: RobotModel) -> JointLimits:
    """Return the limits of a model, ignoring zeros; raise InputError if they are contradictory."""
    limits = model.limits
    for j, name in enumerate(model.joint_names):
        for quantity in LIMITS[2:]:
            bound = getattr(limits, quantity)[j]
            if bound < 0.0:
                raise InputError(
                    f'model: joint {name!r}: {quantity} limit: expected 0 or more, got {bound:g}'
                )
        if limits.lower[j] > limits.upper[j]:
            raise InputError(
                f'model: joint {name!r}: upper limit: expected at least the lower limit '
                f'{limits.lower[j]:g}, got {limits.upper[j]:g}'
            )
    return limits.ignoring_zeros()


class MotorLimits(NamedTuple):
    """Limits of n elastic joints and, on their side of the gear, m motors; infinite if none."""

    effort_rates: Array
    deflections: Array
    motor_velocities: Array
    motor_efforts: Array
    motor_effort_rates: Array


def motor_limits(robot: Robot) -> MotorLimits:
    """Return the limits of elastic joints and their motors; see `Robot.limits_motors`."""
    table, owner = robot.motors, robot.motors.joint_of_motor
    rates = np.array([drive.max_effort_rate for drive in robot.joint_drives])
    deflections = np.array([drive.max_deflection for drive in robot.joint_drives])[owner]
    efforts, motor_rates = table.max_efforts, np.full(table.m, np.inf)
    if robot.limits_motors:
        rigid = table.laws[owner] == RIGID
        bounds = robot.model.limits.ignoring_zeros().effort[owner]
        efforts = np.where(rigid, np.minimum(efforts, bounds), efforts)
        motor_rates = np.where(rigid, rates[owner], motor_rates)
    return MotorLimits(rates, deflections, table.max_velocities, efforts, motor_rates)


def motor_checks(robot: Robot, times: Array, motion: MotorFeedforward) -> list[LimitCheck]:
    """Return the checks of springs and motors along a motion of T samples."""
    table, limits = robot.motors, motor_limits(robot)
    checks = []
    rates = limits.effort_rates
    if np.isfinite(rates).any():
        if motion.effort_jet.shape[-2] < 2:
            expected = '(T, m, n) with m >= 4 for the rate of an effort'
            raise ShapeError('joint_jet', expected, '3 rows')
        checks += checks_of(robot, 'effort rate', times, motion.effort_jet[:, 1], -rates, rates)
    quantities = [
        ('deflection', motion.deflection, limits.deflections),
        ('motor velocity', motion.motor_velocity, limits.motor_velocities),
        ('motor effort', motion.motor_effort, limits.motor_efforts),
    ]
    limited = bool(np.isfinite(limits.motor_effort_rates).any())
    if limited and motion.motor_effort_jet.shape[-2] > 1:  # else the rate is not known
        known = motion.motor_effort_jet[:, 1]
        quantities.append(('motor effort rate', known, limits.motor_effort_rates))
    for quantity, values, bounds in quantities:
        checks += checks_of(
            robot, quantity, times, values, -bounds, bounds, table.names, table.joint_of_motor
        )
    return checks


def winding_checks(robot: Robot, times: Array, motion: MotorFeedforward) -> list[LimitCheck]:
    """Return the checks of voltage, rms current and temperature along a motion of T samples."""
    table = robot.motors
    if not any(drive.winding for drive in robot.joint_drives):
        return []
    loads, checks = winding_loads(robot, motion, times), []
    rms = np.broadcast_to(loads.rms_current, loads.current.shape)
    for quantity, values, field in (
        ('motor voltage', np.abs(loads.voltage), 'max_voltage'),
        ('rms current', rms, 'continuous_current'),
        ('winding temperature', loads.temperature, 'max_temperature'),
    ):
        bounds = winding_values(robot, field, np.inf)
        owners = table.names, table.joint_of_motor
        known = np.nan_to_num(values)
        checks += checks_of(robot, quantity, times, known, -bounds, bounds, *owners)
    return checks


def stiffness_checks(
    robot: Robot, times: Array, stiffness_jets: Mapping[str, Array]
) -> list[LimitCheck]:
    """Return the checks of stiffness jets, (rows,) or (T, rows), against the springs' ranges."""
    checks = []
    for j, (name, drive) in enumerate(zip(robot.joint_names, robot.joint_drives, strict=True)):
        spring = drive.spring
        if isinstance(spring, AdjustableSpring):
            values = np.full((len(times), 1), spring.stiffness)
            if name in stiffness_jets:
                values[:, 0] = stiffness_jets[name][..., 0]
            # a minimum of 0 counts as not specified
            lower = np.array([spring.min_stiffness or -np.inf])
            upper, owner = np.array([spring.max_stiffness]), np.array([j])
            checks += checks_of(robot, 'stiffness', times, values, lower, upper, (name,), owner)
    return checks


def checks_of(
    robot: Robot,
    quantity: str,
    times: Array,
    values: Array,
    lower: Array,
    upper: Array,
    names: tuple[str, ...] | None = None,
    joint_of: NDArray[np.int64] | None = None,
) -> list[LimitCheck]:
    """Check the columns of joints, or of `names` with the joints `joint_of` they belong to."""
    units = [unit_of(quantity, kind) for kind in robot.model.coordinate_types]
    if joint_of is not None:
        units = [units[j] for j in joint_of]
    names = robot.joint_names if names is None else names
    return limit_checks(quantity, names, units, times, values, lower, upper)

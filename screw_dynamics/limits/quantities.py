# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Limits of positions, efforts, springs and motors, and checks against them."""

from __future__ import annotations

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
# where a `MotorFeedforward` has a quantity
ROWS: dict[str, tuple[str, int]] = {
    'effort': ('effort_jet', 0),
    'effort rate': ('effort_jet', 1),
    'deflection': ('deflection_jet', 0),
    'motor velocity': ('motor_jet', 1),
    'motor effort': ('motor_effort_jet', 0),
    'motor effort rate': ('motor_effort_jet', 1),
}


def is_of_motors(quantity: str) -> bool:
    """Return whether motors have a quantity, not joints."""
    return quantity.startswith('motor ') or quantity == 'deflection'


def unit_of(quantity: str, coordinate_type: str) -> str:
    """Return the unit of a quantity of a joint."""
    (rotary, prismatic), per = _UNITS[quantity]
    return (prismatic if coordinate_type == 'prismatic' else rotary) + per


class Limits(NamedTuple):
    """Limits (m,) of a quantity, infinite where there are none, and whose they are."""

    lower: Array
    upper: Array
    names: tuple[str, ...]
    joints: NDArray[np.int64]

    def of(self, places: NDArray[np.int64]) -> Limits:
        """Return the limits of some of the joints or motors."""
        names = tuple(self.names[i] for i in places)
        return Limits(self.lower[places], self.upper[places], names, self.joints[places])


def limits_of(robot: Robot) -> dict[str, Limits]:
    """
    Return the limits of joints and, with drives, of springs and motors, by quantity.

    Raise InputError if they are contradictory.
    """
    found = joint_limits(robot.model)
    of_joints = robot.joint_names, np.arange(robot.n)
    bounds = {name: getattr(found, name) for name in (*DERIVATIVES, 'effort')}
    of_motors = of_joints
    if robot.drives is not None:
        bounds |= motor_limits(robot)
        of_motors = robot.motors.names, robot.motors.joint_of_motor
    return {
        'position': Limits(found.lower, found.upper, *of_joints),
        **{
            name: Limits(-bound, bound, *(of_motors if is_of_motors(name) else of_joints))
            for name, bound in bounds.items()
        },
    }


def motion_checks(
    robot: Robot, limits: Mapping[str, Limits], times: Array, joint_jet: Array
) -> list[LimitCheck]:
    """Return the checks of positions and their derivatives of joint jets (T, m, n)."""
    checks = []
    for d, quantity in enumerate(('position', *DERIVATIVES)):
        if d < joint_jet.shape[1]:
            checks += checks_of(robot, quantity, times, joint_jet[:, d], limits[quantity])
        elif np.isfinite(limits[quantity].upper).any():
            raise ShapeError('joint_jet', '(T, m, n) with m >= 4 for the jerk', '3 rows')
    return checks


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


def motor_limits(robot: Robot) -> dict[str, Array]:
    """Return the limits of effort rates (n,) and of motors (m,), see `Robot.limits_motors`."""
    table, owner = robot.motors, robot.motors.joint_of_motor
    rates = np.array([drive.max_effort_rate for drive in robot.joint_drives])
    deflections = np.array([drive.max_deflection for drive in robot.joint_drives])[owner]
    efforts, motor_rates = table.max_efforts, np.full(table.m, np.inf)
    if robot.limits_motors:
        rigid = table.laws[owner] == RIGID
        bounds = robot.model.limits.ignoring_zeros().effort[owner]
        efforts = np.where(rigid, np.minimum(efforts, bounds), efforts)
        motor_rates = np.where(rigid, rates[owner], motor_rates)
    return {
        'effort rate': rates,
        'deflection': deflections,
        'motor velocity': table.max_velocities,
        'motor effort': efforts,
        'motor effort rate': motor_rates,
    }


def motor_checks(
    robot: Robot, limits: Mapping[str, Limits], times: Array, motion: MotorFeedforward
) -> list[LimitCheck]:
    """Return the checks of what drives transmit, springs and motors along T samples."""
    checks = []
    for quantity, (field, row) in ROWS.items():
        jet = getattr(motion, field)
        if row < jet.shape[-2]:
            checks += checks_of(robot, quantity, times, jet[:, row], limits[quantity])
        elif quantity == 'effort rate' and np.isfinite(limits[quantity].upper).any():
            expected = '(T, m, n) with m >= 4 for the rate of an effort'
            raise ShapeError('joint_jet', expected, '3 rows')
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
        limits = Limits(-bounds, bounds, table.names, table.joint_of_motor)
        checks += checks_of(robot, quantity, times, np.nan_to_num(values), limits)
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
            limits = Limits(lower, np.array([spring.max_stiffness]), (name,), np.array([j]))
            checks += checks_of(robot, 'stiffness', times, values, limits)
    return checks


def checks_of(
    robot: Robot, quantity: str, times: Array, values: Array, limits: Limits
) -> list[LimitCheck]:
    """Check the columns of values (T, m) that have a limit."""
    lower, upper, names, joints = limits
    if not (np.isfinite(lower) | np.isfinite(upper)).any():
        return []
    kinds = robot.model.coordinate_types
    units = [unit_of(quantity, kinds[j]) for j in joints]
    return limit_checks(quantity, names, units, times, values, lower, upper)

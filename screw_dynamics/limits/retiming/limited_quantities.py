# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Quantities with limits along a motion: of joints and their efforts, and of motors."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from screw_dynamics.common.arrays import Array, as_float_array
from screw_dynamics.drives.drives import Drives
from screw_dynamics.drives.feedforward import elastic_feedforward
from screw_dynamics.drives.joint_drive import JointDrive
from screw_dynamics.drives.motor_feedforward import MotorFeedforward
from screw_dynamics.drives.robot import Robot, as_robot, without_slip
from screw_dynamics.drives.springs import LinearSpring
from screw_dynamics.drives.winding_loads import currents_and_voltages, winding_values
from screw_dynamics.errors import InputError, ShapeError, among, shown
from screw_dynamics.limits.quantities import ROWS, limits_of, motor_limits
from screw_dynamics.model import JointLimits, ScrewModel

Limits: TypeAlias = JointLimits | Mapping[str, ArrayLike] | None

_OF_MODEL = ('velocity', 'acceleration', 'jerk', 'effort')
_NAMES = (*_OF_MODEL, 'effort_rate')
_MOST_ROWS = 6  # a result that is C4 has no bounded sixth derivative


def limits_by_name(robot: Robot) -> dict[str, Array]:
    """Return the limits (n,) of the joints of a robot by name, infinite where it has none."""
    limits = robot.model.limits.ignoring_zeros()
    return {
        **{name: getattr(limits, name) for name in _OF_MODEL},
        'effort_rate': motor_limits(robot)['effort rate'],
    }


def limited_robot(robot: Robot | ScrewModel, limits: Limits) -> Robot:
    """Return the robot with `limits` in place of its own; see `retime`."""
    robot = as_robot(robot)
    if not isinstance(robot.model, ScrewModel):
        raise InputError('model: expected a rigid robot, got one with soft segments')
    if limits is None:
        return robot
    if isinstance(limits, JointLimits):
        if limits.velocity.shape != (robot.n,):
            raise ShapeError('limits', f'limits of {robot.n} coordinates', limits.velocity.shape)
        return robot.with_model(replace(robot.model, limits=limits))
    if not isinstance(limits, Mapping):
        raise InputError(f'limits: expected JointLimits or a mapping, got {shown(limits)}')
    if unknown := [name for name in limits if name not in _NAMES]:
        raise InputError(f'limits: expected {among(_NAMES, unknown[0])}')
    values = {name: _values(name, value, robot.n) for name, value in limits.items()}
    replaced = replace(
        robot.model.limits,
        **{name: value for name, value in values.items() if name in _OF_MODEL},
    )
    robot = robot.with_model(replace(robot.model, limits=replaced))
    if 'effort_rate' not in values:
        return robot
    records = {
        name: replace(drive, max_effort_rate=float(rate))
        for name, drive, rate in zip(
            robot.joint_names, robot.joint_drives, values['effort_rate'], strict=True
        )
    }
    drives = robot.drives or Drives({})
    return replace(robot, drives=replace(drives, joints=records))


def _values(name: str, value: ArrayLike, n: int) -> Array:
    """Return the limits (n,) of a quantity, positive or infinite."""
    array = as_float_array(f'limits[{name!r}]', value)
    if array.shape not in ((), (n,)):
        raise ShapeError(f'limits[{name!r}]', f'a number or ({n},)', array.shape)
    if not (array > 0.0).all():
        raise InputError(f'limits[{name!r}]: expected numbers above 0, got {shown(value)}')
    values: Array = np.broadcast_to(array, (n,)).copy()
    return values


@dataclass(frozen=True)
class LimitedQuantities:
    """
    Quantities of a robot with finite limits, beside positions and velocities.

    Parameters
    ----------
    robot : Robot
        With springs without dampers.
    rows : int
        Rows of a joint jet that they need.
    parts : tuple of (str, columns, bounds)
        Name, columns with a finite limit and these limits.
    """

    robot: Robot
    rows: int
    parts: tuple[tuple[str, NDArray[np.int64], Array], ...]

    @property
    def count(self) -> int:
        """Number Q of quantities."""
        return len(self.bounds)

    @property
    def bounds(self) -> Array:
        """Limits of all quantities, (Q,)."""
        return np.concatenate([np.empty(0), *(bounds for _, _, bounds in self.parts)])

    @property
    def odd(self) -> NDArray[np.bool_]:
        """Whether a quantity changes its sign with that of time, (Q,)."""
        odd = [np.full(len(bounds), name in _ODD) for name, _, bounds in self.parts]
        return np.concatenate([np.empty(0, dtype=bool), *odd])

    def values(self, joint_jet: Array) -> Array:
        """Return all quantities (M, Q) of joint jets (M, rows, n); springs may raise."""
        names = [name for name, _, _ in self.parts]
        read = {name: joint_jet[:, d] for name, d in _OF_PATH.items() if name in names}
        if len(read) < len(names):
            motion = elastic_feedforward(self.robot, joint_jet)
            read |= {name: self._read(name, motion) for name in names if name not in read}
        none = np.empty((len(joint_jet), 0))
        return np.hstack([none, *(read[name][:, columns] for name, columns, _ in self.parts)])

    def _read(self, name: str, motion: MotorFeedforward) -> Array:
        if name == 'motor voltage':
            return currents_and_voltages(self.robot, motion)[1]
        field, row = ROWS[name]
        values: Array = getattr(motion, field)[:, row]
        return values


_OF_PATH = {'acceleration': 2, 'jerk': 3}  # rows of a joint jet
_ODD = ('jerk', 'effort rate', 'motor velocity', 'motor effort rate')


def limited_quantities(robot: Robot) -> LimitedQuantities:
    """Return the quantities with finite limits; springs count without their dampers."""
    bounds = {name: limits.upper for name, limits in limits_of(robot).items()}
    bounds['motor voltage'] = winding_values(robot, 'max_voltage', np.inf)
    parts = tuple(
        (name, np.flatnonzero(np.isfinite(values)), values[np.isfinite(values)])
        for name, values in bounds.items()
        if np.isfinite(values).any() and name not in ('position', 'velocity')
    )
    robot = without_slip(robot)
    drives = robot.drives or Drives({})
    records = {name: _undamped(drive) for name, drive in drives.joints.items()}
    undamped = replace(robot, drives=replace(drives, joints=records))
    names = [name for name, _, _ in parts]
    rows = undamped.required_rows
    inductive = 'motor voltage' in names and winding_values(robot, 'inductance', 0.0).any()
    if 'motor effort rate' in names or inductive:
        rows += 1
    elif 'effort rate' in names or 'jerk' in names:
        rows = max(rows, 4)
    if rows > _MOST_ROWS:
        raise InputError(
            f'robot: expected motor efforts that need at most {_MOST_ROWS - 1} derivatives of '
            f'the positions, got {rows - 1}: leave out rotor_coupling'
        )
    return LimitedQuantities(undamped, rows, parts)


def _undamped(drive: JointDrive) -> JointDrive:
    spring = drive.spring
    if isinstance(spring, LinearSpring) and spring.damping > 0.0:
        return replace(drive, spring=replace(spring, damping=0.0))
    return drive

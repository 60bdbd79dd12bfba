# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`Robot`: the links of a robot and the drives of its joints."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from screw_dynamics.common.arrays import Array
from screw_dynamics.common.results import Part, Tabular
from screw_dynamics.common.scalars import require_count
from screw_dynamics.drives.drives import Drives, require_drives
from screw_dynamics.drives.joint_drive import JointDrive
from screw_dynamics.drives.motor_feedforward import MotorFeedforward
from screw_dynamics.drives.motor_table import MotorTable
from screw_dynamics.drives.rotors import RotorCoupling, rotor_coupling
from screw_dynamics.errors import InputError
from screw_dynamics.model.robot_model import RobotModel, require_robot_model
from screw_dynamics.model.screw_model import ScrewModel, require_model

_NO_DRIVES = Drives({})


@dataclass(frozen=True)
class Robot(Tabular):
    """
    The links of a robot and the drives of its joints.

    What is derived from both, such as `motors`, is computed once per `Robot`: a loop makes it
    before it begins.

    Parameters
    ----------
    model : RobotModel
        A `ScrewModel`, or another kind of robot; functions that do not accept it raise InputError.
    drives : Drives, optional
        Springs and motors; None for a rigid robot without motor data.
    limits_motors : bool
        Whether motors without a spring keep the limits of their joints, of effort and of its rate,
        with all that they transmit: friction and rotors too.

    Raises
    ------
    InputError
        If an argument has another type.
    UnknownNameError
        If the drives are of a joint that the model does not have.

    Examples
    --------
    >>> import screw_dynamics as sd
    >>> from screw_dynamics import Robot
    >>> arm = sd.read_urdf(sd.share_path('urdf/planar_2r.urdf'))
    >>> springs = sd.Drives({'joint_1': sd.JointDrive(sd.LinearSpring(200.0))})
    >>> Robot(arm).required_rows, Robot(arm, springs).required_rows
    (3, 5)
    """

    model: RobotModel
    drives: Drives | None = None
    limits_motors: bool = False

    def __post_init__(self) -> None:
        """Check the types, and that the model has the joints of the drives."""
        require_robot_model(self.model)
        if self.drives is not None:
            require_drives(self.drives)
            self.drives.require_joints(self.model.joint_names)

    def _parts(self) -> list[Part]:
        rows = [('joint', 'spring', 'rotor inertia', 'gear ratio')]
        for name, drive in zip(self.joint_names, self.joint_drives, strict=True):
            spring = '-' if drive.spring is None else type(drive.spring).__name__
            motor = drive.motor
            rows.append((name, spring, f'{motor.rotor_inertia:g}', f'{motor.gear_ratio:g}'))
        model = self.model._parts() if isinstance(self.model, Tabular) else [repr(self.model)]
        return [*model, *([] if self.drives is None else [rows])]

    @property
    def n(self) -> int:
        """Number of coordinates."""
        return self.model.n

    @property
    def joint_names(self) -> tuple[str, ...]:
        """Names of the coordinates."""
        return self.model.joint_names

    @property
    def tree(self) -> ScrewModel:
        """The model, if it is a tree of rigid bodies; raise InputError for another kind."""
        return require_model(self.model)

    @cached_property
    def joint_drives(self) -> tuple[JointDrive, ...]:
        """The record of each coordinate; of a rigid, unlimited joint if it has none."""
        records = {} if self.drives is None else self.drives.joints
        return tuple(records.get(name, JointDrive()) for name in self.joint_names)

    @cached_property
    def motors(self) -> MotorTable:
        """
        The motors as arrays on the joint side; without drives one without data per joint.

        Raise UnknownNameError if the model lacks a link that an entry names, and ModelError if
        friction of the URDF or a parallel spring does not fit.
        """
        return (self.drives or _NO_DRIVES).motor_table(self.tree)

    @cached_property
    def coupling(self) -> RotorCoupling | None:
        """
        The coupling of joints and rotors; None without `Drives.rotor_coupling`.

        Raise InputError if a spring has a damper, or joints move each other's rotors in a cycle,
        and the errors of `motors`.
        """
        if self.drives is None or not self.drives.rotor_coupling:
            return None
        return rotor_coupling(self.tree, self.motors, self.joint_drives)

    @cached_property
    def kernel_tables(self) -> tuple[Array, NDArray[np.int64], Array] | None:
        """
        What kernels read for motor commands of one jet: the bodies, and `MotorTable.blocks`.

        None if the commands depend on more: deflections of the past, coupled rotors, another kind
        of robot.
        """
        known = self.drives is not None and type(self.model) is ScrewModel
        if not known or self.coupling is not None or self.motors.damped_names:
            return None
        return self.tree.kernel_tables.parameters, *self.motors.blocks

    @property
    def required_rows(self) -> int:
        """
        Rows of a joint jet needed for efforts and, with drives, motor commands.

        3 for a rigid robot, 4 if every spring has a damper, else 5: q to q''''. Coupled rotors
        on moving links need more, up to 2 n + 3.
        """
        if self.drives is None:
            return 3
        return 3 + self.motors.lost_orders if self.coupling is None else self.coupling.rows

    def buffers(self, rows: int | None = None) -> MotorFeedforward:
        """
        Return arrays for the `out` of `elastic_feedforward` with one sample, filled with NaN.

        `rows` is the number of rows of the joint jet; default `required_rows`.
        """
        table, least = self.motors, self.required_rows
        rows = least if rows is None else require_count('rows', rows, least)
        shapes = table.jet_shapes(rows - least + 3 + table.lost_orders)
        jets = (np.full(shape, np.nan) for shape in shapes)
        return MotorFeedforward(table.names, table.gear_ratios, *jets)

    def with_model(self, model: RobotModel) -> Robot:
        """
        Return a `Robot` with the same drives and other links.

        Parameters
        ----------
        model : RobotModel
        """
        return replace(self, model=model)

    def with_limited_motors(self, limited: bool = True) -> Robot:
        """Return the same robot with another `limits_motors`, on which nothing derived depends."""
        robot = replace(self, limits_motors=limited)
        vars(robot).update({name: value for name, value in vars(self).items() if name in _DERIVED})
        return robot


def without_slip(robot: Robot) -> Robot:
    """Return the robot without hysteresis, backlash and friction that holds at rest."""
    if robot.drives is None or not robot.motors.gears.any():
        return robot
    joints = {}
    for name, drive in robot.drives.joints.items():
        motors = [replace(motor, presliding_stiffness=0.0) for motor in drive.motors]
        second = motors[1] if len(motors) > 1 else None
        joints[name] = replace(
            drive, motor=motors[0], second_motor=second, hysteresis=0.0, backlash=0.0
        )
    return replace(robot, drives=replace(robot.drives, joints=joints))


_DERIVED = ('joint_drives', 'motors', 'coupling')


def as_robot(robot: Robot | RobotModel) -> Robot:
    """Return a robot, of a model alone one without drives; raise InputError for other objects."""
    return robot if isinstance(robot, Robot) else Robot(robot)


def robot_with_drives(robot: Robot | RobotModel) -> Robot:
    """Return the robot; raise InputError if it is none, or has no drives."""
    robot = as_robot(robot)
    if robot.drives is None:
        raise InputError('robot: expected one with drives, as Robot(model, drives), got none')
    return robot

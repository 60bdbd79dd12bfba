# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`Robot`: the links of a robot and the drives of its joints."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from screw_dynamics.drives.drives import Drives, require_drives
from screw_dynamics.drives.joint_drive import JointDrive
from screw_dynamics.drives.motor_table import MotorTable
from screw_dynamics.errors import InputError
from screw_dynamics.model.other_models import OtherModel
from screw_dynamics.model.screw_model import ScrewModel, require_model

_RIGID_ROWS = 3  # inverse dynamics needs q, q' and q''
_NO_DRIVES = Drives({})


@dataclass(frozen=True)
class Robot:
    """
    The links of a robot and the drives of its joints.

    Parameters
    ----------
    model : ScrewModel
        Or a `SoftRobot` in its place; functions that do not accept it raise InputError.
    drives : Drives, optional
        Springs and motors; None for a rigid robot without motor data.
    limits_motors : bool
        Whether motors without a spring keep the limits of their joints, of effort and of its rate,
        with all that they transmit: friction and rotors too.

    Raises
    ------
    InputError
        If an argument has another type.

    Examples
    --------
    >>> import screw_dynamics as sd
    >>> from screw_dynamics import Robot
    >>> arm = sd.read_urdf(sd.share_path('urdf/planar_2r.urdf'))
    >>> springs = sd.Drives({'joint_1': sd.JointDrive(sd.LinearSpring(200.0))})
    >>> Robot(arm).required_rows, Robot(arm, springs).required_rows
    (3, 5)
    """

    model: ScrewModel
    drives: Drives | None = None
    limits_motors: bool = False

    def __post_init__(self) -> None:
        """Check the types."""
        if not isinstance(self.model, OtherModel):
            require_model(self.model)
        if self.drives is not None:
            require_drives(self.drives)

    @property
    def n(self) -> int:
        """Number of coordinates."""
        return self.model.n

    @property
    def joint_names(self) -> tuple[str, ...]:
        """Names of the coordinates."""
        return self.model.joint_names

    @property
    def required_rows(self) -> int:
        """Rows of a joint jet needed for efforts and, with drives, motor commands; at least 3."""
        if self.drives is None:
            return _RIGID_ROWS
        return self.drives.required_rows(self.model)

    @cached_property
    def motors(self) -> MotorTable:
        """The motors as arrays; without drives one rigid motor without data per joint."""
        table = (self.drives or _NO_DRIVES).motors(self.model)
        return self._limited(table) if self.limits_motors else table

    def _limited(self, table: MotorTable) -> MotorTable:
        owner = table.joint_of_motor
        rigid = np.array([joint.spring is None for joint in self.joints])[owner]
        efforts = self.model.limits.ignoring_zeros().effort[owner]
        rates = np.array([joint.max_effort_rate for joint in self.joints])[owner]
        return replace(
            table,
            max_efforts=np.where(rigid, np.minimum(table.max_efforts, efforts), table.max_efforts),
            max_effort_rates=np.where(rigid, rates, table.max_effort_rates),
        )

    @cached_property
    def joints(self) -> tuple[JointDrive, ...]:
        """The record of each coordinate; of a rigid, unlimited joint if it has none."""
        records = {} if self.drives is None else self.drives.joints
        return tuple(records.get(name, JointDrive()) for name in self.joint_names)

    def with_model(self, model: ScrewModel) -> Robot:
        """
        Return a `Robot` with the same drives and other links.

        Parameters
        ----------
        model : ScrewModel
        """
        return replace(self, model=model)


def as_robot(model: ScrewModel | Robot, joints: Drives | None = None) -> Robot:
    """Return the robot given as a record or as the pair; raise InputError if neither fits."""
    if not isinstance(model, Robot):
        return Robot(model, joints)
    if joints is not None:
        raise InputError('joints: expected None beside a Robot, which has its own drives')
    return model

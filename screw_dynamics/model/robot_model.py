# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`RobotModel`: what every kind of robot has."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from screw_dynamics.common.arrays import Array
from screw_dynamics.errors import InputError
from screw_dynamics.model.records import JointLimits


@runtime_checkable
class RobotModel(Protocol):
    """
    What functions of robots, `Robot` and nodes need of a robot of any kind.

    Trees of rigid bodies (`ScrewModel`) and soft robots (`soft.SoftRobot`) have it. Other kinds
    have it, too, and enter their functions by `dynamics.register_kind`.

    Examples
    --------
    >>> import screw_dynamics as sd
    >>> arm = sd.read_urdf(sd.share_path('urdf/planar_2r.urdf'))
    >>> finger = sd.soft.SoftRobot([sd.soft.ConstantCurvature(0.3, 0.03, 0.85)])
    >>> isinstance(arm, sd.RobotModel), isinstance(finger, sd.RobotModel)
    (True, True)
    """

    @property
    def name(self) -> str:
        """Name of the robot."""

    @property
    def n(self) -> int:
        """Number of coordinates."""

    @property
    def joint_names(self) -> tuple[str, ...]:
        """Names of the coordinates, in the order of every array."""

    @property
    def coordinate_types(self) -> tuple[str, ...]:
        """For each coordinate 'revolute', 'continuous', 'prismatic' or 'helical'."""

    @property
    def limits(self) -> JointLimits:
        """Limits of the coordinates."""

    @property
    def gravity(self) -> Array:
        """Gravitational acceleration (3,) in base-link axes [m/s^2]."""

    @property
    def base_link(self) -> str:
        """Name of the link whose axes are the inertial axes."""

    def without_gravity(self) -> RobotModel:
        """Return the same robot without gravity."""


def require_robot_model(model: object) -> RobotModel:
    """Return `model`; raise InputError if it is no robot."""
    if not isinstance(model, RobotModel):
        raise InputError(f'model: expected a ScrewModel, got {type(model).__name__}')
    return model

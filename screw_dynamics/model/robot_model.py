# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`RobotModel`: what every kind of robot has."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol, runtime_checkable

from screw_dynamics.common.arrays import Array
from screw_dynamics.errors import InputError
from screw_dynamics.model.records import Frame, JointLimits


@runtime_checkable
class Threads(Protocol):
    """Threads that realise efforts of the last `size` coordinates, as `soft.ThreadSet`."""

    names: tuple[str, ...]
    least: Array  # (m,), lowest and highest tensions [N]
    most: Array
    size: int

    def tensions(
        self, joint_jet: Array, efforts: Array, out: tuple[Array, Array] | None = None
    ) -> tuple[Array, Array]:
        """Return tensions with derivatives (rows, m), and errors (size,) of the efforts."""


@runtime_checkable
class RobotModel(Protocol):
    """
    What functions of robots, `Robot` and nodes need of a robot of any kind.

    Trees of rigid bodies (`ScrewModel`) and soft robots (`soft.SoftRobot`) have it. Other kinds
    have it, too, and enter their functions by `dynamics.register_kind`, `simulate`, and `outline`
    and `places` for the viewer, among them. Attributes `threads`
    (see `Threads`), `frames` and `frame` are optional.

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


def threads_of(model: RobotModel) -> Threads | None:
    """Return the threads of a robot; None for one without."""
    threads = getattr(model, 'threads', None)
    return threads if isinstance(threads, Threads) else None


def frames_of(model: RobotModel) -> Mapping[str, Any]:
    """Return the frames of a model by name; none for a kind without the attribute `frames`."""
    frames: Mapping[str, Any] = getattr(model, 'frames', {})
    return frames


def frame_of(model: RobotModel, name: str) -> Frame:
    """Return a frame of a model; raise an error for an unknown one, or a kind without frames."""
    if not hasattr(model, 'frame'):
        raise InputError(f'frame {name!r}: expected none for a {type(model).__name__}')
    frame: Frame = model.frame(name)
    return frame


def require_robot_model(model: object) -> RobotModel:
    """Return `model`; raise InputError if it is no robot."""
    if not isinstance(model, RobotModel):
        raise InputError(f'model: expected a ScrewModel, got {type(model).__name__}')
    return model

# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`Joint`: a joint of a soft-rigid robot, a module without mass."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from screw_dynamics.common.arrays import Array, as_pose, as_vector, read_only_copy
from screw_dynamics.common.scalars import require_choice, require_number
from screw_dynamics.errors import InputError
from screw_dynamics.lie import is_pose, skew
from screw_dynamics.soft.module import Module, require_name

_KINDS = ('revolute', 'prismatic', 'helical', 'fixed')


class Joint(Module):
    """
    A joint: its distal frame is ``pose exp(axis q)`` in its proximal frame.

    Parameters
    ----------
    joint_type : {'revolute', 'prismatic', 'helical', 'fixed'}
    axis : (3,) array_like
        Direction in the distal frame, through its origin; it is normalised.
    pose : (4, 4) array_like
        Pose of the distal frame at q = 0.
    name : str, optional
        By default joint_1, joint_2, ... from the base.
    pitch : float
        Translation of a helical joint per angle [m/rad].

    Raises
    ------
    InputError, ShapeError, NotFiniteError
        If an argument is not of its type or range.

    Examples
    --------
    >>> from screw_dynamics.soft import Joint
    >>> Joint('revolute', axis=(0, 1, 0)).n
    1
    """

    kind: ClassVar[str] = 'joint'

    def __init__(
        self,
        joint_type: str,
        axis: ArrayLike = (0.0, 0.0, 1.0),
        pose: ArrayLike | None = None,
        *,
        name: str | None = None,
        pitch: float = 0.0,
    ) -> None:
        require_choice('joint_type', joint_type, _KINDS)
        direction = as_vector('axis', axis, 3)
        if not direction.any():
            raise InputError('axis: expected a vector other than zero')
        direction = direction / abs(direction).max()  # its square may not be a number
        self.masses = np.zeros(0)
        self.type, self.n = joint_type, int(joint_type != 'fixed')
        self.axis = read_only_copy('axis', direction / np.linalg.norm(direction))
        self.pose = rigid_motion('pose', np.eye(4) if pose is None else pose)
        self.name = require_name(name)
        self.pitch = require_number('pitch', pitch, -math.inf)
        if self.pitch and joint_type != 'helical':
            raise InputError(f'pitch: expected 0 for a {joint_type} joint, got {self.pitch:g}')

    def tip_pose(self, q: Any) -> tuple[Any, Any]:
        """Return rotation and translation [P2025] (8)."""
        rotation, translation = self.pose[:3, :3], self.pose[:3, 3]
        if self.type == 'fixed':
            return rotation, translation
        if self.type != 'prismatic':
            turn = skew(self.axis)
            half = np.sin(0.5 * q[0])
            moved = np.eye(3) + turn * np.sin(q[0]) + (turn @ turn) * (2.0 * half * half)
            rotation = rotation @ moved
        if self.type != 'revolute':
            travel = self.pitch if self.type == 'helical' else 1.0
            translation = translation + (self.pose[:3, :3] @ self.axis) * (travel * q[0])
        return rotation, translation


def rigid_motion(name: str, value: ArrayLike) -> Array:
    """Return a read-only pose; raise InputError if it is not a rigid motion."""
    pose = read_only_copy(name, as_pose(name, value))
    if not is_pose(pose):
        raise InputError(f'{name}: expected a pose (4, 4), a rotation and a translation')
    return pose

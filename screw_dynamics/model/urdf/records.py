# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Records of a URDF document, with checked values but not yet joined to a tree."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from screw_dynamics.common.arrays import Array
from screw_dynamics.lie import inertia_matrix

MOVING_TYPES = ('revolute', 'continuous', 'prismatic')
JOINT_TYPES = (*MOVING_TYPES, 'fixed', 'planar', 'floating')


@dataclass(frozen=True)
class SourceLocation:
    """Location in a description: a link or joint, the tag of an element in it, the line or 0."""

    owner: str
    name: str
    element: str = ''
    line: int = 0

    def __str__(self) -> str:
        """Return e.g. ``joint 'elbow', <axis> (line 12)``."""
        element = f', <{self.element}>' if self.element else ''
        line = f' (line {self.line})' if self.line else ''
        return f'{self.owner} {self.name!r}{element}{line}'

    def inside(self, element: str, line: int = 0) -> SourceLocation:
        """Return the location of an element inside this owner; line 0 keeps the owner's line."""
        return replace(self, element=element, line=line or self.line)


@dataclass(frozen=True, eq=False)
class Inertial:
    """
    Mass [kg] and inertia of a link.

    `pose` (4, 4) is that of the inertial frame, with its origin at the centre of mass, in the
    link frame; `tensor` (3, 3) is the rotational inertia in the inertial frame [kg m^2].
    """

    mass: float
    pose: Array
    tensor: Array

    def matrix(self) -> Array:
        """Return the 6x6 inertia in the link frame."""
        rotation = self.pose[:3, :3]
        tensor = rotation @ self.tensor @ rotation.T
        return inertia_matrix(self.mass, self.pose[:3, 3], 0.5 * (tensor + tensor.T))


@dataclass(frozen=True)
class Link:
    """A link; massless if `inertial` is None, not in the document if `virtual`."""

    name: str
    location: SourceLocation
    inertial: Inertial | None = None
    virtual: bool = False


@dataclass(frozen=True)
class Mimic:
    """The relation q = multiplier * q_master + offset."""

    master: str
    multiplier: float = 1.0
    offset: float = 0.0


@dataclass(frozen=True)
class Limit:
    """Limits of a joint, infinite if not specified."""

    lower: float = -np.inf
    upper: float = np.inf
    velocity: float = np.inf
    effort: float = np.inf
    acceleration: float = np.inf  # the smaller one of acceleration and deceleration
    jerk: float = np.inf


@dataclass(frozen=True, eq=False)
class Joint:
    """
    A joint of any URDF type, one of `JOINT_TYPES`.

    `origin` (4, 4) is the pose of the child frame in the parent frame at joint position zero,
    `axis` (3,) a unit vector in the child frame, the normal for a planar joint, and `point` (3,) a
    point on it.
    """

    name: str
    type: str
    parent: str
    child: str
    location: SourceLocation
    origin: Array
    axis: Array
    limit: Limit = Limit()
    damping: float = 0.0
    friction: float = 0.0
    mimic: Mimic | None = None
    point: tuple[float, ...] = (0.0, 0.0, 0.0)

    @property
    def moves(self) -> bool:
        """True for a joint with exactly one degree of freedom."""
        return self.type in MOVING_TYPES

    def screw(self) -> Array:
        """Return the unit screw in the child frame: (e; p x e), or (0; e) if prismatic."""
        if self.type == 'prismatic':
            return np.concatenate([np.zeros(3), self.axis])
        return np.concatenate([self.axis, np.cross(self.point, self.axis)])


@dataclass(frozen=True)
class RobotDescription:
    """
    All links and joints, in the order of the document.

    `invented` names links whose inertia the parser of the document invented; it is left out.
    """

    name: str
    links: tuple[Link, ...]
    joints: tuple[Joint, ...]
    invented: tuple[str, ...] = ()

# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""What a URDF document says, checked value by value but not yet joined to a tree."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from screw_dynamics.arrays import Array
from screw_dynamics.lie import inertia_matrix

MOVING_TYPES = ('revolute', 'continuous', 'prismatic')
JOINT_TYPES = (*MOVING_TYPES, 'fixed', 'planar', 'floating')


@dataclass(frozen=True)
class Place:
    """Where in a robot description something stands, for error texts."""

    owner: str
    name: str
    element: str = ''
    line: int = 0

    def __str__(self) -> str:
        """Return e.g. ``joint 'elbow', <axis> (line 12)``."""
        element = f', <{self.element}>' if self.element else ''
        line = f' (line {self.line})' if self.line else ''
        return f'{self.owner} {self.name!r}{element}{line}'

    def inside(self, element: str, line: int = 0) -> Place:
        """Return the place of an element inside this owner."""
        return replace(self, element=element, line=line or self.line)


@dataclass(frozen=True, eq=False)
class Inertial:
    """
    Mass and inertia of a link.

    `mass` [kg]; `pose` (4, 4); `tensor` (3, 3) [kg m^2].
    """

    mass: float
    pose: Array
    tensor: Array

    def matrix(self) -> Array:
        """
        Return the 6x6 inertia in the link frame.

        Returns (6, 6).
        """
        rotation = self.pose[:3, :3]
        tensor = rotation @ self.tensor @ rotation.T
        return inertia_matrix(self.mass, self.pose[:3, 3], 0.5 * (tensor + tensor.T))


@dataclass(frozen=True)
class Link:
    """A link; `inertial` None means massless, `virtual` that no document names it."""

    name: str
    place: Place
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
    """Limits of a joint, infinite where none is given."""

    lower: float = -np.inf
    upper: float = np.inf
    velocity: float = np.inf
    effort: float = np.inf


@dataclass(frozen=True, eq=False)
class Joint:
    """
    A joint of any URDF type.

    `origin` (4, 4); `axis` (3,).
    """

    name: str
    type: str
    parent: str
    child: str
    place: Place
    origin: Array
    axis: Array
    limit: Limit = Limit()
    damping: float = 0.0
    friction: float = 0.0
    mimic: Mimic | None = None

    @property
    def moves(self) -> bool:
        """True for a joint with exactly one degree of freedom."""
        return self.type in MOVING_TYPES

    def screw(self) -> Array:
        """
        Return the unit screw in the child frame: (e; 0) to turn, (0; e) to slide.

        Returns (6,).
        """
        zero = np.zeros(3)
        parts = [zero, self.axis] if self.type == 'prismatic' else [self.axis, zero]
        return np.concatenate(parts)


@dataclass(frozen=True)
class Robot:
    """All links and joints, in the order of the document."""

    name: str
    links: tuple[Link, ...]
    joints: tuple[Joint, ...]

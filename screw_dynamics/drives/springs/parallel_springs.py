# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Springs between a link and its parent, parallel to the drive of the joint."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, fields
from typing import ClassVar

import numpy as np

from screw_dynamics.common.arrays import Array, as_float_array
from screw_dynamics.common.scalars import check_number
from screw_dynamics.errors import ModelError, shown
from screw_dynamics.kernels.drives import parallel as columns
from screw_dynamics.lie import inverse_pose
from screw_dynamics.model import Frame, ScrewModel

Point = tuple[float, float, float]


class ParallelSpring(ABC):
    """A spring between a link and its parent, which supports the drive of the joint."""

    type: ClassVar[str]
    """Name of the law in YAML."""

    @abstractmethod
    def row(self, model: ScrewModel, coordinate: int) -> Array:
        """Return the row (10,) of `kernels.drives.parallel` for a coordinate of a model."""


@dataclass(frozen=True)
class TorsionSpring(ParallelSpring):
    """
    Acts with ``-stiffness * (q - rest_position)`` on the joint: a torsion or a coil spring.

    Parameters
    ----------
    stiffness : float
        Above 0 [N m/rad or N/m].
    rest_position : float
        Position of the joint at which the spring is without effort [rad or m].

    Examples
    --------
    >>> from screw_dynamics import TorsionSpring
    >>> TorsionSpring(40.0, rest_position=0.3).rest_position
    0.3
    """

    stiffness: float
    rest_position: float = 0.0

    type: ClassVar[str] = 'torsion'

    def __post_init__(self) -> None:
        """Check the parameters."""
        check_number(self, 'stiffness', above=True)
        position = as_float_array('rest_position', self.rest_position)
        if position.shape != () or not np.isfinite(position):
            got = shown(self.rest_position)
            raise ModelError(f'rest_position: expected a finite number, got {got}')
        object.__setattr__(self, 'rest_position', float(position))

    def row(self, model: ScrewModel, coordinate: int) -> Array:
        """Return the row of the square of q - rest_position."""
        row = unloaded_row()
        row[columns.STIFFNESS] = self.stiffness
        row[columns.CONSTANT] = self.rest_position**2
        row[columns.LINEAR], row[columns.SQUARE] = -2.0 * self.rest_position, 1.0
        return row


class _PointSpring(ParallelSpring):
    """A spring between a point of the parent and a point of the link."""

    on_parent: Point
    on_link: Point
    parent: str | None
    link: str | None

    def _check_points(self) -> None:
        for name in ('on_parent', 'on_link'):
            point = as_float_array(name, getattr(self, name))
            if point.shape != (3,) or not np.isfinite(point).all():
                got = shown(getattr(self, name))
                raise ModelError(f'{name}: expected three finite numbers, got {got}')
            object.__setattr__(self, name, tuple(point.tolist()))
        for name in ('parent', 'link'):
            value = getattr(self, name)
            if value is not None and not isinstance(value, str):
                raise ModelError(f'{name}: expected the name of a link, got {shown(value)}')

    def _row_between_points(self, model: ScrewModel, coordinate: int) -> Array:
        """Return the row of the distance of both points, without a force."""
        joint = model.joint_of_coordinate[coordinate]
        before = int(model.parents[joint])
        start = _point(model, 'parent', self.parent, before, self.on_parent)
        start = (inverse_pose(model.home_poses[joint]) @ np.append(start, 1.0))[:3]
        end = _point(model, 'link', self.link, joint, self.on_link)
        row = unloaded_row()
        _set_distance(row, model.screws[joint], start, end)
        _set_coordinate(row, float(model.multipliers[joint]), float(model.offsets[joint]))
        return row


@dataclass(frozen=True)
class BalancingSpring(_PointSpring):
    """
    Pulls two points together with ``stiffness * (length - free_length)``.

    With free length 0 it is the ideal spring that balances gravity: between points at distances a
    and b from the axis it acts with ``-stiffness * a * b * sin(angle between them)``. A spring
    shorter than its free length pushes.

    Parameters
    ----------
    stiffness : float
        Above 0 [N/m].
    on_parent : (3,) sequence of float
        Point on the parent, in the frame of the link before the joint [m].
    on_link : (3,) sequence of float
        Point on the link, in its frame [m].
    free_length : float
        Length without force, 0 or more [m].
    parent : str, optional
        Name of another link that does not move against the parent, whose frame is that of
        `on_parent`; needed if the link before the joint is fixed to another one.
    link : str, optional
        The same for `on_link`.

    Examples
    --------
    >>> from screw_dynamics import BalancingSpring
    >>> BalancingSpring(900.0, on_parent=(0, 0, 0.2), on_link=(0, 0, 0.1)).free_length
    0.0
    """

    stiffness: float
    on_parent: Point
    on_link: Point
    free_length: float = 0.0
    parent: str | None = None
    link: str | None = None

    type: ClassVar[str] = 'balancing'

    def __post_init__(self) -> None:
        """Check the parameters."""
        check_number(self, 'stiffness', above=True)
        check_number(self, 'free_length')
        self._check_points()

    def row(self, model: ScrewModel, coordinate: int) -> Array:
        """Return the row of the pulling spring."""
        row = self._row_between_points(model, coordinate)
        row[columns.STIFFNESS] = self.stiffness
        row[columns.FORCE] = -self.stiffness * self.free_length
        return row


@dataclass(frozen=True)
class GasSpring(_PointSpring):
    """
    Pushes two points apart, with a force that grows linearly while it is compressed.

    A length out of the range from ``extended_length - stroke`` to `extended_length` is an error.

    Parameters
    ----------
    force : float
        Force of the extended spring, above 0 [N]; that of several springs together.
    extended_length : float
        Distance of the points if the spring is extended, above `stroke` [m].
    stroke : float
        How much shorter the spring can become, above 0 [m].
    on_parent : (3,) sequence of float
        Point on the parent, in the frame of the link before the joint [m].
    on_link : (3,) sequence of float
        Point on the link, in its frame [m].
    progression : float
        Force of the compressed spring over that of the extended one, 1 or more [N/N].
    parent : str, optional
        Name of another link that does not move against the parent, whose frame is that of
        `on_parent`; needed if the link before the joint is fixed to another one.
    link : str, optional
        The same for `on_link`.

    Examples
    --------
    >>> from screw_dynamics import GasSpring
    >>> GasSpring(400.0, 0.5, 0.2, on_parent=(0, 0, 0), on_link=(0, 0, 0.4)).progression
    1.3
    """

    force: float
    extended_length: float
    stroke: float
    on_parent: Point
    on_link: Point
    progression: float = 1.3
    parent: str | None = None
    link: str | None = None

    type: ClassVar[str] = 'gas'

    def __post_init__(self) -> None:
        """Check the parameters."""
        for field in fields(self):
            if field.name in ('force', 'extended_length', 'stroke', 'progression'):
                check_number(self, field.name, above=True)
        if self.progression < 1.0:
            raise ModelError(f'progression: expected 1 or more, got {self.progression:g}')
        if self.extended_length <= self.stroke:
            raise ModelError(
                f'extended_length: expected more than stroke = {self.stroke:g}, '
                f'got {self.extended_length:g}'
            )
        self._check_points()

    def row(self, model: ScrewModel, coordinate: int) -> Array:
        """Return the row of the pushing spring."""
        row = self._row_between_points(model, coordinate)
        row[columns.STIFFNESS] = self.force * (self.progression - 1.0) / self.stroke
        row[columns.FORCE] = -self.force - row[columns.STIFFNESS] * self.extended_length
        row[columns.SHORTEST] = self.extended_length - self.stroke
        row[columns.LONGEST] = self.extended_length
        return row


def unloaded_row() -> Array:
    """Return the row (10,) of a spring without force."""
    row = np.zeros(columns.COLUMNS)
    row[columns.LONGEST] = np.inf
    return row


def _point(model: ScrewModel, entry: str, name: str | None, body: int, point: Point) -> Array:
    """Return a point in the frame of a body (-1 for the base), given in that of a link."""
    body_name = model.base_link if body < 0 else model.body_names[body]
    frame = (
        model.frames.get(body_name, Frame(body, np.eye(4))) if name is None else model.frame(name)
    )
    if frame.body != body:
        raise ModelError(
            f'parallel_spring.{entry}: expected a link that does not move against {body_name!r}, '
            f'got {name!r}'
        )
    located: Array = frame.pose[:3, :3] @ np.array(point) + frame.pose[:3, 3]
    return located


def _set_distance(row: Array, screw: Array, start: Array, end: Array) -> None:
    """Set the squared distance of `start` from `end`, which the screw moves; see `kernels`."""
    axis, linear = screw[:3], screw[3:]
    if not axis.any():
        gap = start - end
        row[columns.CONSTANT] = gap @ gap
        row[columns.LINEAR], row[columns.SQUARE] = -2.0 * (linear @ gap), linear @ linear
        return
    foot, pitch = np.cross(axis, linear), axis @ linear
    a, b = start - foot, end - foot
    along_a, along_b = axis @ a, axis @ b
    row[columns.CONSTANT] = a @ a + b @ b - 2.0 * along_a * along_b
    row[columns.COSINE] = -2.0 * (a @ b - along_a * along_b)
    row[columns.SINE] = -2.0 * (a @ np.cross(axis, b))
    row[columns.LINEAR], row[columns.SQUARE] = 2.0 * pitch * (along_b - along_a), pitch**2


def _set_coordinate(row: Array, multiplier: float, offset: float) -> None:
    """Change the variable from that of the joint, ``multiplier * q + offset``, to q."""
    cosine, sine = row[columns.COSINE], row[columns.SINE]
    linear, square = row[columns.LINEAR], row[columns.SQUARE]
    row[columns.COSINE] = cosine * np.cos(offset) + sine * np.sin(offset)
    row[columns.SINE] = sine * np.cos(offset) - cosine * np.sin(offset)
    row[columns.FREQUENCY] = multiplier
    row[columns.CONSTANT] += (linear + square * offset) * offset
    row[columns.LINEAR] = multiplier * (linear + 2.0 * square * offset)
    row[columns.SQUARE] = multiplier**2 * square

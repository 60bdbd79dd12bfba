# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`Module`: the interface of joints and bodies of a soft-rigid chain."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np

from screw_dynamics.arrays import Array, as_vector, read_only_copy
from screw_dynamics.errors import InputError, ShapeError, shown
from screw_dynamics.lie import is_rotation
from screw_dynamics.soft.kernel_table import TableBuilder


class Module(ABC):
    """
    A joint or body of a chain; derive from it to add a body.

    Write `tip_pose` and `positions` with NumPy operations on the coordinates: these are then an
    array of floats, of complex numbers or a `series.series_array.SeriesArray`, which provides
    Jacobians and time derivatives of any order.
    """

    name: str | None = None

    @property
    @abstractmethod
    def n(self) -> int:
        """Number of coordinates."""

    @property
    def masses(self) -> Array:
        """Masses of the material points (nodes,) [kg]."""
        return np.zeros(0)

    @abstractmethod
    def tip_pose(self, q: Any) -> tuple[Any, Any]:
        """Return rotation (3, 3) and origin (3,) of the distal frame in the proximal one."""

    def positions(self, q: Any) -> Any:
        """Return the material points (nodes, 3) in the proximal frame [m]."""
        return np.zeros((0, 3))

    def elastic_efforts(self, q: Any) -> Any:
        """Return the elastic efforts (n,)."""
        return 0.0 * q

    def damping_efforts(self, q: Any, qd: Any) -> Any:
        """Return the damping efforts (n,)."""
        return 0.0 * qd

    def energy(self, q: Any) -> Any:
        """Return the elastic energy [J]."""
        return 0.0 * np.sum(q)

    def add_to_table(self, builder: TableBuilder) -> None:
        """Add the module to the table of the kernels; by default it is evaluated as a series."""
        builder.add_given(self.n)


def as_pose(name: str, value: Any) -> Array:
    """Return a read-only rigid motion (4, 4); raise ShapeError or InputError."""
    pose = read_only_copy(name, value)
    if pose.shape != (4, 4):
        raise ShapeError(name, '(4, 4)', pose.shape)
    if not np.isfinite(pose).all() or not is_rotation(pose[:3, :3]):
        raise InputError(f'{name}: expected a pose with a rotation, got {shown(pose.tolist())}')
    if not np.array_equal(pose[3], [0.0, 0.0, 0.0, 1.0]):
        raise InputError(f'{name}: expected the last row 0 0 0 1, got {shown(pose[3].tolist())}')
    return pose


def as_positive(name: str, value: Any, zero: bool = False) -> float:
    """Return a finite positive number, or also zero; raise InputError."""
    number = float(as_vector(name, np.reshape(value, -1), 1)[0])
    if number < 0.0 or (number == 0.0 and not zero):
        kind = 'a number of at least 0' if zero else 'a positive number'
        raise InputError(f'{name}: expected {kind}, got {number}')
    return number

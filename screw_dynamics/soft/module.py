# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`Module`: the interface of joints and bodies of a soft-rigid robot."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar, NamedTuple

import numpy as np

from screw_dynamics.common.arrays import Array
from screw_dynamics.errors import InputError, shown
from screw_dynamics.series.series_array import SeriesArray, as_series_array


class ModuleMotion(NamedTuple):
    """
    A module along a motion, as series in time with partial derivatives by its coordinates.

    `rotation` (3, 3) and `translation` (3,) are the pose of its distal in its proximal frame,
    `points` (m, 3) its material points in the proximal frame, of order K; `masses` (m,) theirs;
    `stress` (n,) are the elastic and damping efforts, of order K - 1.
    """

    rotation: SeriesArray
    translation: SeriesArray
    points: SeriesArray
    masses: Array
    stress: SeriesArray

    @property
    def distal_points(self) -> SeriesArray:
        """The material points (m, 3) in the distal frame."""
        places: SeriesArray = (self.points - self.translation) @ self.rotation
        return places  # R^T (f - t), row by row


class Module(ABC):
    """
    A joint or body of a chain: how its distal end and its material points follow coordinates q.

    A body needs no more than that [P2025, section 2]: the methods below, written with NumPy for
    arrays q of floats, complex numbers or series (`SeriesArray`). Jacobians and time derivatives
    of any order follow by series arithmetic. Positions are in the proximal frame [m]; the body
    lies along its z axis.
    """

    kind: ClassVar[str] = 'body'
    name: str | None
    n: int
    coordinates: tuple[str, ...] = ()  # names; without them, numbers name several
    lengths: ClassVar[tuple[str, ...]] = 'stretch', 'shear'  # how those in metres begin
    masses: Array  # (m,), of the material points, constant [kg]

    @abstractmethod
    def tip_pose(self, q: Any) -> tuple[Any, Any]:
        """Return rotation (3, 3) and translation (3,) of the distal in the proximal frame."""

    def positions(self, q: Any) -> Any:
        """Return the places (m, 3) of the material points [P2025] (2); a joint has none."""
        return np.zeros((0, 3))

    def elastic_efforts(self, q: Any) -> Any:
        """Return dU/dq (n,), the generalised efforts against elastic deformation."""
        return 0.0 * q

    def damping_efforts(self, q: Any, qd: Any) -> Any:
        """Return the generalised efforts (n,) against the rate of deformation."""
        return 0.0 * qd

    def energy(self, q: Any) -> Any:
        """Return the elastic energy U [J]."""
        return 0.0

    def check(self, q: Array) -> None:  # noqa: B027, most modules have no range
        """Raise InputError if coordinates (n,) are outside of the range of the module."""

    def motion(self, jet: Array) -> ModuleMotion:
        """Return the module along a motion with the joint jet (K + 1, n)."""
        q = SeriesArray.variables(jet)
        rotation, translation = (as_series_array(part, q) for part in self.tip_pose(q))
        points = as_series_array(self.positions(q), q)
        stress = self.elastic_efforts(q.plain())
        if len(jet) > 1:
            stress = stress + self.damping_efforts(q.plain(), q.plain().derivative())
        return ModuleMotion(
            rotation,
            translation,
            points,
            self.masses,
            as_series_array(stress, q.plain()),
        )


def numbered(kinds: Sequence[str]) -> tuple[str, ...]:
    """Return names of coordinates by their kinds, numbered among those of one kind."""
    return tuple(
        kind if kinds.count(kind) == 1 else f'{kind}_{kinds[: i + 1].count(kind)}'
        for i, kind in enumerate(kinds)
    )


def require_name(name: object) -> str | None:
    """Return the name of a module, None for the default one; raise InputError for others."""
    if name is None or (isinstance(name, str) and name):
        return name
    raise InputError(f'name: expected a name or None, got {shown(name)}')

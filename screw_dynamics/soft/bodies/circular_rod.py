# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Homogeneous circular rods with rigid sections: their material points, and arcs."""

from __future__ import annotations

from typing import Any

import numpy as np

from screw_dynamics.common.arrays import Array
from screw_dynamics.common.scalars import require_number
from screw_dynamics.series.series_array import stumpff
from screw_dynamics.soft.module import Module, require_name

# of Gauss's rule along the axis: moments of a full turn of the tip (2 pi) to 1e-14
SECTIONS = 12


# Gauss points of nine pieces, for integrals along a body of what turns about its axis a few times
_PLACES, _WEIGHTS = np.polynomial.legendre.leggauss(8)
ALONG = ((np.arange(9)[:, np.newaxis] + 0.5 * (_PLACES + 1.0)) / 9.0).ravel()
ALONG_WEIGHTS = np.tile(0.5 * _WEIGHTS / 9.0, 9)


def section_places(length: float, count: int = SECTIONS) -> tuple[Array, Array]:
    """Return places (count,) along the axis and their weights (count,), which sum up to 1."""
    places, weights = np.polynomial.legendre.leggauss(count)
    return 0.5 * length * (places + 1.0), 0.5 * weights


def section_points(radius: float) -> Array:
    """Return four points (4, 2) with the second moments of a disc."""
    r = radius / np.sqrt(2.0)
    return np.array([[r, 0.0], [-r, 0.0], [0.0, r], [0.0, -r]])


class Arc(Module):
    """A rod that bends to an arc; stiffnesses (n,) of its coordinates are constant."""

    unit_strains: Array  # (6, n), strains by coordinate times the length, the same all along

    def __init__(
        self,
        length: float,
        radius: float,
        mass: float,
        bending_stiffness: float,
        damping: float,
        name: str | None,
    ) -> None:
        self.length = require_number('length', length, above=True)
        self.radius = require_number('radius', radius)
        self.mass = require_number('mass', mass)
        self.bending_stiffness = require_number('bending_stiffness', bending_stiffness)
        self.damping = require_number('damping', damping)
        self.name = require_name(name)
        self._places, weights = section_places(self.length)
        self._section = section_points(self.radius)
        self.masses = self.mass * np.repeat(weights / len(self._section), len(self._section))

    @property
    def stiffness(self) -> Array:
        """Stiffness (n,) of the coordinates [N m/rad, N/m]."""
        return np.full(self.n, self.bending_stiffness / self.length)

    @property
    def strain_basis(self) -> Array:
        """Strains (6, n) of a rod by coordinate, the same all along."""
        return self.unit_strains / self.length

    @property
    def bases_along(self) -> Array:
        """(p, 6, n) strain basis at the fractions `ALONG` of the length."""
        return np.tile(self.strain_basis, (len(ALONG), 1, 1))

    def line_length(self, offset: Array, q: Any) -> Any:
        """Return the length of a line parallel to the axis, at an offset (2,)."""
        x, y = offset
        about_x, about_y, *_, along = self.unit_strains
        return self.length + np.sum((along + y * about_x - x * about_y) * q)

    def tip_pose(self, q: Any) -> tuple[Any, Any]:
        """Return rotation and translation."""
        rotations, axis = self._poses(q, np.array([self.length]))
        return rotations[0], axis[0]

    def positions(self, q: Any) -> Any:
        """Return the places (m, 3) of the material points."""
        rotations, axis = self._poses(q, self._places)
        points = np.concatenate([self._section, np.zeros((4, 1))], axis=1)
        return (axis.reshape(-1, 1, 3) + points @ np.swapaxes(rotations, 1, 2)).reshape(-1, 3)

    def _poses(self, q: Any, places: Array) -> tuple[Any, Any]:
        """Return rotations (s, 3, 3) and places (s, 3) of the sections."""
        strain = self.unit_strains @ q / self.length
        turn_x, turn_y, stretch = strain[0] * places, strain[1] * places, 1.0 + strain[5]
        _, c1, c2, c3 = stumpff(turn_x * turn_x + turn_y * turn_y, 3)
        xx, yy, xy = turn_x * turn_x * c2, turn_y * turn_y * c2, turn_x * turn_y * c2
        sx, sy = turn_x * c1, turn_y * c1
        rotations = np.stack(
            [
                np.stack([1.0 - yy, xy, sy], axis=-1),
                np.stack([xy, 1.0 - xx, -sx], axis=-1),
                np.stack([-sy, sx, 1.0 - xx - yy], axis=-1),
            ],
            axis=-2,
        )
        # (1 + c2 w~ + c3 w~^2) (0, 0, z): w has no z
        bent = (turn_x * turn_x + turn_y * turn_y) * c3
        axis = np.stack([turn_y * c2, -turn_x * c2, 1.0 - bent], axis=-1)
        return rotations, axis * (places * stretch).reshape(-1, 1)

    def elastic_efforts(self, q: Any) -> Any:
        """Return the stiffness times q."""
        return self.stiffness * q

    def damping_efforts(self, q: Any, qd: Any) -> Any:
        """Return eta times the stiffness times q'."""
        return self.damping * self.stiffness * qd

    def energy(self, q: Any) -> Any:
        """Return the elastic energy."""
        return 0.5 * np.sum(self.stiffness * q * q)

# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`ConstantCurvature`: a rod that bends in any plane to an arc, and stretches."""

from __future__ import annotations

from typing import Any

import numpy as np

from screw_dynamics.common.arrays import Array
from screw_dynamics.common.scalars import require_number
from screw_dynamics.errors import InputError, shown
from screw_dynamics.series.series_array import stumpff
from screw_dynamics.soft.bodies.circular_rod import ALONG, section_places, section_points
from screw_dynamics.soft.module import Module, require_name


class ConstantCurvature(Module):
    """
    A cylinder whose strain is constant: bending about x and y, and elongation.

    With coordinates q = (q1, q2, q3) the strain is ``(-q2, q1, 0; 0, 0, L + q3) / L``, angular
    first, and the pose at z is exp(z strain): q1 is the angle of the tip about y, q2 about -x, q3
    the elongation [m]. There is no division by the curvature, and no polar angle.

    Parameters
    ----------
    length, radius : float
        Of the unstrained rod, above 0 and at least 0 [m].
    mass : float
        [kg]
    bending_stiffness : float
        Flexural rigidity E I of all directions [N m^2].
    axial_stiffness : float
        E A [N].
    damping : float
        Time constant eta of the material [s]: efforts of damping are eta times the rate of the
        elastic ones.
    elongation : bool
        Without it the length is constant, and q = (q1, q2).
    name : str, optional
        By default body_1, body_2, ... from the base.

    Raises
    ------
    InputError
        If an argument is not of its type or range.

    Examples
    --------
    >>> import numpy as np
    >>> from screw_dynamics.soft import ConstantCurvature
    >>> rod = ConstantCurvature(1.0, 0.1, 1.0)
    >>> rotation, tip = rod.tip_pose(np.array([0.0, np.pi / 2, 0.0]))
    >>> (tip * np.pi / 2).round(12)
    array([0., 1., 1.])
    """

    def __init__(
        self,
        length: float,
        radius: float,
        mass: float,
        bending_stiffness: float = 0.0,
        axial_stiffness: float = 0.0,
        damping: float = 0.0,
        *,
        elongation: bool = True,
        name: str | None = None,
    ) -> None:
        self.length = require_number('length', length, above=True)
        self.radius = require_number('radius', radius)
        self.mass = require_number('mass', mass)
        self.bending_stiffness = require_number('bending_stiffness', bending_stiffness)
        self.axial_stiffness = require_number('axial_stiffness', axial_stiffness)
        self.damping = require_number('damping', damping)
        if not isinstance(elongation, (bool, np.bool_)):
            raise InputError(f'elongation: expected True or False, got {shown(elongation)}')
        self.elongation = bool(elongation)
        self.name = require_name(name)
        self.n = 3 if self.elongation else 2
        self.coordinates = ('curve_x', 'curve_y', 'stretch')[: self.n]
        self._places, weights = section_places(self.length)
        self._section = section_points(self.radius)
        self.masses = self.mass * np.repeat(weights / len(self._section), len(self._section))

    @property
    def stiffness(self) -> Array:
        """Stiffness (n,) of the coordinates [N m/rad, N/m]."""
        bending = self.bending_stiffness / self.length
        return np.array([bending, bending, self.axial_stiffness / self.length])[: self.n]

    @property
    def strain_basis(self) -> Array:
        """Strains (6, n) of a rod by coordinate, the same all along."""
        basis = np.zeros((6, self.n))
        basis[1, 0], basis[0, 1] = 1.0 / self.length, -1.0 / self.length
        if self.elongation:
            basis[5, 2] = 1.0 / self.length
        return basis

    @property
    def bases_along(self) -> Array:
        """(p, 6, n) strain basis at the fractions `ALONG` of the length."""
        return np.tile(self.strain_basis, (len(ALONG), 1, 1))

    def check(self, q: Array) -> None:
        """Raise InputError if the rod is compressed to nothing."""
        if self.elongation and q[2] <= -self.length:
            raise InputError(f'elongation: expected more than {-self.length:g} m, got {q[2]:g} m')

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
        bend_x, bend_y = -q[1] / self.length, q[0] / self.length
        stretch = 1.0 + q[2] / self.length if self.elongation else 1.0
        turn_x, turn_y = bend_x * places, bend_y * places
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

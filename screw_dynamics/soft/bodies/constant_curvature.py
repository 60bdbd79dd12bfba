# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`ConstantCurvature` and `PlanarConstantCurvature`: rods that bend to arcs of circles."""

from __future__ import annotations

from typing import Any

import numpy as np

from screw_dynamics.common.arrays import Array
from screw_dynamics.common.scalars import require_number
from screw_dynamics.errors import InputError, shown
from screw_dynamics.lie import pose
from screw_dynamics.series.series_array import stumpff
from screw_dynamics.soft.bodies.rod import ALONG, section_places, section_points
from screw_dynamics.soft.module import Module, require_name


class Arc(Module):
    """A rod that bends to an arc; stiffnesses (n,) of its coordinates are constant."""

    unit_strains: Array  # (6, n), strains by coordinate times the length, the same all along

    def __init__(
        self,
        length: float,
        radius: float,
        mass: float,
        bending_stiffness: float = 0.0,
        damping: float = 0.0,
        *,
        name: str | None = None,
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

    @property
    def fractions(self) -> Array:
        """Fractions (s,) of the length at sections and both ends."""
        return np.array([0.0, *self._places / self.length, 1.0])

    def frames(self, q: Array) -> Array:
        """Return the frames (s, 4, 4) at `fractions`."""
        rotations, axis = self._poses(q, self.length * self.fractions)
        return np.array([pose(*at) for at in zip(rotations, axis, strict=True)])

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


class ConstantCurvature(Arc):
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
        super().__init__(length, radius, mass, bending_stiffness, damping, name=name)
        self.axial_stiffness = require_number('axial_stiffness', axial_stiffness)
        if not isinstance(elongation, (bool, np.bool_)):
            raise InputError(f'elongation: expected True or False, got {shown(elongation)}')
        self.elongation = bool(elongation)
        self.n = 3 if self.elongation else 2
        self.unit_strains = np.zeros((6, self.n))
        self.unit_strains[1, 0], self.unit_strains[0, 1] = 1.0, -1.0
        self.unit_strains[5, 2:] = 1.0
        self.coordinates = ('curve_x', 'curve_y', 'stretch')[: self.n]

    @property
    def stiffness(self) -> Array:
        """Stiffness (n,) of the coordinates [N m/rad, N/m]."""
        bending = self.bending_stiffness / self.length
        return np.array([bending, bending, self.axial_stiffness / self.length])[: self.n]

    def check(self, q: Array) -> None:
        """Raise InputError if the rod is compressed to nothing."""
        if self.elongation and q[2] <= -self.length:
            raise InputError(f'elongation: expected more than {-self.length:g} m, got {q[2]:g} m')


class PlanarConstantCurvature(Arc):
    """
    A homogeneous cylinder of constant length, bent in the x-z plane to an arc [P2025] (3).

    Its coordinate q is the angle of the tip, which turns by -q about y. All formulas are analytic
    at q = 0: with ``th = q z / L`` and Stumpff's functions c_1(th^2) = sin(th) / th and
    c_2(th^2) = (1 - cos(th)) / th^2, the axis is ``(-z th c_2, 0, z c_1)``.

    Parameters
    ----------
    length, radius, mass, bending_stiffness, damping, name
        As of `ConstantCurvature`; the elastic effort is ``E I q / L``.

    Raises
    ------
    InputError
        If an argument is not of its type or range.

    Examples
    --------
    >>> import numpy as np
    >>> from screw_dynamics.soft import PlanarConstantCurvature
    >>> arc = PlanarConstantCurvature(1.0, 0.1, 1.0)
    >>> rotation, tip = arc.tip_pose(np.array([np.pi / 2]))
    >>> (tip * np.pi / 2 + 0.0).round(12)
    array([-1.,  0.,  1.])
    """

    n = 1
    unit_strains = np.array([[0.0], [-1.0], [0.0], [0.0], [0.0], [0.0]])

# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`ConstantCurvature`: a rod that bends in any plane to an arc, and stretches."""

from __future__ import annotations

import numpy as np

from screw_dynamics.common.arrays import Array
from screw_dynamics.common.scalars import require_number
from screw_dynamics.errors import InputError, shown
from screw_dynamics.soft.bodies.circular_rod import Arc


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
        super().__init__(length, radius, mass, bending_stiffness, damping, name)
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

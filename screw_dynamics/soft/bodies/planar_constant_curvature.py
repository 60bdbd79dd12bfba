# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`PlanarConstantCurvature`: an inextensible arc that bends in a plane."""

from __future__ import annotations

from typing import Any

import numpy as np

from screw_dynamics.arrays import Array
from screw_dynamics.soft.entire_functions import entire
from screw_dynamics.soft.kernel_table import TableBuilder
from screw_dynamics.soft.module import Module, as_positive

_NODES = 16  # along the arc: exact to rounding up to angles of about 2 pi


class PlanarConstantCurvature(Module):
    """
    A homogeneous cylinder that bends in its x-z plane with one angle q [P2025, toy example].

    The distal frame is rotated by -q about y.

    Parameters
    ----------
    length, radius : float
        [m]
    mass : float
        [kg]
    bending_stiffness : float
        Flexural rigidity EI [N m^2]; the elastic effort is EI / L q.
    damping : float
        Time constant eta of the material [s]; the damping effort is eta EI / L q'.
    name : str, optional

    Raises
    ------
    InputError, ShapeError, NotFiniteError

    Examples
    --------
    >>> import screw_dynamics as sd
    >>> arm = sd.soft.SoftRobot([sd.soft.PlanarConstantCurvature(1.0, 0.0, 1.0)])
    >>> sd.mass_matrix(arm, [0.0])
    array([[0.05]])
    """

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
        self.length, self.name = as_positive('length', length), name
        self.radius = as_positive('radius', radius, zero=True)
        self.mass = as_positive('mass', mass, zero=True)
        self.bending_stiffness = as_positive('bending_stiffness', bending_stiffness, zero=True)
        self.damping = as_positive('damping', damping, zero=True)

    @property
    def n(self) -> int:
        """1."""
        return 1

    @property
    def masses(self) -> Array:
        """Masses at Gauss points along the arc, four in each section."""
        weights = np.polynomial.legendre.leggauss(_NODES)[1]
        return np.asarray(np.repeat(0.125 * self.mass * weights, 4))

    def tip_pose(self, q: Any) -> tuple[Any, Any]:
        """Return rotation and origin of the distal frame."""
        angle = q[0]
        square, zero = angle * angle, 0.0 * angle
        c, s = np.cos(angle), np.sin(angle)
        rotation = np.stack([c, zero, -s, zero, zero + 1.0, zero, s, zero, c]).reshape(3, 3)
        origin = np.stack([-angle * entire(2, square), zero, entire(1, square)])
        return rotation, self.length * origin

    def positions(self, q: Any) -> Any:
        """Return points in the sections at radius / sqrt(2)."""
        sigma = 0.5 * (np.polynomial.legendre.leggauss(_NODES)[0] + 1.0)
        angle, reach = q[0] * sigma, np.sqrt(0.5) * self.radius
        x = self.length * sigma * (-angle * entire(2, angle * angle))
        z = self.length * sigma * entire(1, angle * angle)
        points = []
        for u, v in ((reach, 0.0), (-reach, 0.0), (0.0, reach), (0.0, -reach)):
            row = [x + u * np.cos(angle), 0.0 * x + v, z + u * np.sin(angle)]
            points.append(np.stack(row, axis=-1))
        return np.stack(points, axis=1).reshape(-1, 3)

    def elastic_efforts(self, q: Any) -> Any:
        """Return EI / L q."""
        return self.bending_stiffness / self.length * q

    def damping_efforts(self, q: Any, qd: Any) -> Any:
        """Return eta EI / L q'."""
        return self.damping * self.bending_stiffness / self.length * qd

    def energy(self, q: Any) -> Any:
        """Return EI q^2 / (2 L) [J]."""
        return 0.5 * self.bending_stiffness / self.length * np.sum(q * q)

    def add_to_table(self, builder: TableBuilder) -> None:
        """Add the arc to the table of the kernels."""
        stiffness = self.bending_stiffness / self.length
        damping = self.damping * stiffness
        builder.add_planar_arc(self.length, self.radius, self.mass, stiffness, damping)

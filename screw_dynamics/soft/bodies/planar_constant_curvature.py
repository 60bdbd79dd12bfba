# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`PlanarConstantCurvature`: a rod that bends in a plane to an arc of a circle."""

from __future__ import annotations

from typing import Any

import numpy as np

from screw_dynamics.common.arrays import Array
from screw_dynamics.common.scalars import require_number
from screw_dynamics.series.series_array import stumpff
from screw_dynamics.soft.bodies.circular_rod import ALONG, section_places, section_points
from screw_dynamics.soft.module import Module, require_name


class PlanarConstantCurvature(Module):
    """
    A homogeneous cylinder of constant length, bent in the x-z plane to an arc [P2025, (3)].

    Its coordinate q is the angle of the tip, which turns by -q about y. All formulas are analytic
    at q = 0: with ``th = q z / L`` and Stumpff's functions c_1(th^2) = sin(th) / th and
    c_2(th^2) = (1 - cos(th)) / th^2, the axis is ``(-z th c_2, 0, z c_1)``.

    Parameters
    ----------
    length, radius : float
        Above 0, and at least 0 [m].
    mass : float
        [kg]
    bending_stiffness : float
        Flexural rigidity E I [N m^2]; the elastic effort is ``E I q / L``.
    damping : float
        Time constant eta of the material [s]: the damping effort is ``eta E I q' / L``.
    name : str, optional
        By default body_1, body_2, ... from the base.

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
    >>> (tip * np.pi / 2).round(12)
    array([-1.,  0.,  1.])
    """

    n = 1

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
    def bases_along(self) -> Array:
        """(p, 6, 1) strain basis at the fractions `ALONG` of the length."""
        bases = np.zeros((len(ALONG), 6, 1))
        bases[:, 1] = -1.0 / self.length
        return bases

    def tip_pose(self, q: Any) -> tuple[Any, Any]:
        """Return rotation and translation."""
        angle = q[0]
        sine, cosine = np.sin(angle), np.cos(angle)
        zero, one = 0.0 * angle, 0.0 * angle + 1.0
        rotation = np.stack(
            [
                np.stack([cosine, zero, -sine]),
                np.stack([zero, one, zero]),
                np.stack([sine, zero, cosine]),
            ]
        )
        _, c1, c2 = stumpff(angle * angle, 2)
        return rotation, np.stack([-angle * c2, zero, c1]) * self.length

    def positions(self, q: Any) -> Any:
        """Return the places (m, 3) of the material points [P2025] (3)."""
        angle = q[0] * (self._places / self.length)
        _, c1, c2 = stumpff(angle * angle, 2)
        axis_x, axis_z = -self._places * angle * c2, self._places * c1
        sine, cosine = np.sin(angle), np.cos(angle)
        rows = [
            np.stack([axis_x + x * cosine, 0.0 * angle + y, axis_z + x * sine], axis=-1)
            for x, y in self._section
        ]
        return np.concatenate([row.reshape(-1, 1, 3) for row in rows], axis=1).reshape(-1, 3)

    def elastic_efforts(self, q: Any) -> Any:
        """Return E I q / L."""
        return (self.bending_stiffness / self.length) * q

    def damping_efforts(self, q: Any, qd: Any) -> Any:
        """Return eta E I q' / L."""
        return (self.damping * self.bending_stiffness / self.length) * qd

    def energy(self, q: Any) -> Any:
        """Return E I q^2 / (2 L)."""
        return 0.5 * (self.bending_stiffness / self.length) * q[0] * q[0]

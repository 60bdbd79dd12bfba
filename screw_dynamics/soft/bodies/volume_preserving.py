# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`VolumePreserving`: a cylinder that deforms by maps of determinant 1."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from screw_dynamics.common.arrays import Array
from screw_dynamics.common.scalars import require_count, require_number
from screw_dynamics.errors import InputError, shown
from screw_dynamics.soft.bodies.point_body import PointBody
from screw_dynamics.soft.bodies.volume_primitives import VolumePrimitive, published_primitives
from screw_dynamics.soft.checks import as_tuple
from screw_dynamics.soft.materials import KelvinVoigt, NeoHookean
from screw_dynamics.soft.module import numbered


class VolumePreserving(PointBody):
    """
    A cylinder or tube that deforms by primitives which keep its volume [P2025, section 8.1].

    The primitives act one after the other, the first on the body at rest, so that their order
    matters. Coordinates are those of the primitives in that order. Integrals over the body use
    Gauss points in the radius and along z, equispaced ones in the angle.

    Parameters
    ----------
    length, radius : float
        [m]
    mass : float
        [kg]
    primitives : iterable of VolumePrimitive, optional
        By default those of P2025, Table 4: stretch, two bends of two coordinates, twist, shears.
    material : NeoHookean, optional
    viscosity : KelvinVoigt, optional
    inner_radius : float
        Of a tube [m].
    nodes : (3,) sequence of int
        Numbers of points in radius, angle and z.
    name : str, optional

    Raises
    ------
    InputError, ShapeError, NotFiniteError

    Examples
    --------
    >>> import screw_dynamics as sd
    >>> segment = sd.soft.VolumePreserving(0.1, 0.02, 0.12, material=sd.soft.NeoHookean(0.178e6))
    >>> segment.n
    8
    """

    lengths = ('shear',)

    def __init__(
        self,
        length: float,
        radius: float,
        mass: float,
        primitives: Iterable[VolumePrimitive] | None = None,
        *,
        material: NeoHookean | None = None,
        viscosity: KelvinVoigt | None = None,
        inner_radius: float = 0.0,
        nodes: tuple[int, int, int] = (3, 6, 8),
        name: str | None = None,
    ) -> None:
        self.length = require_number('length', length, above=True)
        self.radius = require_number('radius', radius, above=True)
        self.inner_radius = require_number('inner_radius', inner_radius)
        if not self.inner_radius < self.radius:
            raise InputError(f'inner_radius: expected less than {radius}, got {inner_radius}')
        self.mass = require_number('mass', mass)
        chosen = published_primitives(self.length) if primitives is None else primitives
        self.primitives = as_tuple('primitives', chosen, 'VolumePrimitive')
        for i, primitive in enumerate(self.primitives):
            if not isinstance(primitive, VolumePrimitive):
                raise InputError(
                    f'primitives[{i}]: expected a VolumePrimitive, got {shown(primitive)}'
                )
        self.coordinates = numbered([part.kind for part in self.primitives for _ in range(part.n)])
        self.n = len(self.coordinates)
        points, shares = tube_points(self.length, self.inner_radius, self.radius, nodes)
        volume = np.pi * (self.radius**2 - self.inner_radius**2) * self.length
        tip = np.array([0.0, 0.0, self.length])
        x, y = np.array([1.0, 0.0, 0.0]), np.array([0.0, 1.0, 0.0])
        frame = tip + np.array([self.inner_radius * x, self.radius * x, self.radius * y])
        self._surface = _surface(
            self.length, [r for r in (self.inner_radius, self.radius) if r > 0.0]
        )
        super().__init__(
            points, self.mass * shares, frame, volumes=volume * shares, material=material,
            viscosity=viscosity, name=name,
        )  # fmt: skip

    def check(self, q: Array) -> None:
        """Raise InputError outside of the range of a primitive anywhere on the surface."""
        self.places(self._surface, q)

    def places(self, points: Any, q: Any) -> Any:
        """Return the places (m, 3) of points (m, 3)."""
        point = points[..., 0], points[..., 1], points[..., 2]
        first = 0
        for primitive in self.primitives:
            point = primitive.apply(point, q[first : first + primitive.n])
            first += primitive.n
        return np.stack([0.0 * point[0] + part for part in point], axis=-1)


def tube_points(
    length: float, inner: float, outer: float, nodes: tuple[int, int, int]
) -> tuple[Array, Array]:
    """Return points (m, 3) of a tube along z and their shares (m,) of its volume."""
    counts = as_tuple('nodes', nodes, 'three numbers')
    if len(counts) != 3:
        raise InputError(f'nodes: expected three positive integers, got {shown(nodes)}')
    radial, angular, axial = (
        require_count(f'nodes[{i}]', count, 1) for i, count in enumerate(counts)
    )
    squares, shares = np.polynomial.legendre.leggauss(radial)
    radii = np.sqrt(inner**2 + 0.5 * (squares + 1.0) * (outer**2 - inner**2))
    angles = 2.0 * np.pi * np.arange(angular) / angular
    heights, weights = np.polynomial.legendre.leggauss(axial)
    r, angle, z = np.meshgrid(radii, angles, 0.5 * length * (heights + 1.0), indexing='ij')
    points = np.stack([r * np.cos(angle), r * np.sin(angle), z], axis=-1).reshape(-1, 3)
    products = 0.25 * np.einsum('i,j,k->ijk', shares, np.full(angular, 1.0 / angular), weights)
    return points, products.ravel()


def _surface(length: float, radii: Sequence[float]) -> Array:
    """Return points (m, 3) on cylinders, ends and middle included."""
    angles = 2.0 * np.pi * np.arange(8) / 8
    r, angle, z = np.meshgrid(radii, angles, np.linspace(0.0, length, 17), indexing='ij')
    return np.stack([r * np.cos(angle), r * np.sin(angle), z], axis=-1).reshape(-1, 3)

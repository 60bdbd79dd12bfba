# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`FiniteElements`: a mesh of tetrahedra or hexahedra in a reduced basis."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from screw_dynamics.common.arrays import Array, as_float_array, read_only_copy, require_finite
from screw_dynamics.common.scalars import require_number
from screw_dynamics.errors import InputError, ShapeError, shown
from screw_dynamics.series.series_array import SeriesArray
from screw_dynamics.soft.bodies.point_body import PointBody
from screw_dynamics.soft.checks import require_kind
from screw_dynamics.soft.materials import KelvinVoigt, NeoHookean

_CORNERS = np.array([[-1, -1, -1], [1, -1, -1], [1, 1, -1], [-1, 1, -1],
                     [-1, -1, 1], [1, -1, 1], [1, 1, 1], [-1, 1, 1]], dtype=float)  # fmt: skip


class FiniteElements(PointBody):
    """
    A mesh whose nodes move by ``X + Phi q``: reduced-order finite elements.

    Linear tetrahedra, or trilinear hexahedra with 2 x 2 x 2 Gauss points; masses are lumped at the
    nodes, each with its share of the elements.

    Parameters
    ----------
    nodes : (N, 3) array_like
        Places at rest in the proximal frame [m].
    elements : (M, 4) or (M, 8) array_like of int
        Nodes of the elements; hexahedra go around the lower face, then around the upper one.
    basis : (N, 3, n) array_like
        Displacements per unit of the coordinates, zero at clamped nodes [m].
    density : float
        [kg/m^3]
    frame_nodes : (3,) sequence of int
        Origin of the distal frame, a node beside it along x, one along y.
    material : NeoHookean, optional
        With `first_lame`: a mesh changes its volume.
    viscosity : KelvinVoigt, optional
    name : str, optional

    Raises
    ------
    InputError
        If an element is inverted at rest; inverted ones at coordinates q raise it later.
    ShapeError, NotFiniteError

    Examples
    --------
    >>> import numpy as np
    >>> import screw_dynamics as sd
    >>> corners = np.vstack([np.zeros(3), np.eye(3)])
    >>> basis = np.zeros((4, 3, 1))
    >>> basis[3, 2] = 1.0
    >>> cell = sd.soft.FiniteElements(corners, [[0, 1, 2, 3]], basis, 24.0, (0, 1, 2))
    >>> sd.mass_matrix(sd.soft.SoftRobot([cell]), [0.0])
    array([[1.]])
    """

    def __init__(
        self,
        nodes: ArrayLike,
        elements: ArrayLike,
        basis: ArrayLike,
        density: float,
        frame_nodes: tuple[int, int, int],
        *,
        material: NeoHookean | None = None,
        viscosity: KelvinVoigt | None = None,
        name: str | None = None,
    ) -> None:
        places = require_finite('nodes', as_float_array('nodes', nodes))
        if places.ndim != 2 or places.shape[1] != 3:
            raise ShapeError('nodes', '(N, 3)', places.shape)
        self.elements = _node_numbers('elements', elements, len(places))
        if self.elements.ndim != 2 or self.elements.shape[1] not in (4, 8):
            raise ShapeError('elements', '(M, 4) or (M, 8)', self.elements.shape)
        if not self.elements.size:
            raise InputError('elements: expected one or more, got none')
        self.basis = require_finite('basis', read_only_copy('basis', basis))
        if self.basis.ndim != 3 or self.basis.shape[:2] != places.shape:
            raise ShapeError('basis', f'({len(places)}, 3, n)', self.basis.shape)
        self.n = self.basis.shape[2]
        require_number('density', density)
        values, slopes, weights = _reference(self.elements.shape[1])
        corners = places[self.elements]
        jacobians = np.einsum('eac,gad->egcd', corners, slopes)
        determinants = np.linalg.det(jacobians)
        if not determinants.min() > 0.0:
            worst = int(np.argmin(determinants.min(axis=1)))
            raise InputError(f'elements[{worst}]: expected a positive volume at rest, got another')
        # gradients of the shape functions by x, one row per Gauss point of all elements
        self._slopes = np.einsum('gad,egdc->egac', slopes, np.linalg.inv(jacobians))
        shares = determinants * weights
        masses = np.zeros(len(places))
        np.add.at(masses, self.elements, density * np.einsum('eg,ga->ea', shares, values))
        frame = _node_numbers('frame_nodes', frame_nodes, len(places))
        if frame.shape != (3,):
            raise ShapeError('frame_nodes', '(3,)', frame.shape)
        self._cell_volumes = shares.ravel()
        self._frame_nodes = frame
        super().__init__(places, masses, places[frame], name=name)
        require_kind('material', material, NeoHookean)
        require_kind('viscosity', viscosity, KelvinVoigt)
        self.volumes = self._cell_volumes
        self.material, self.viscosity = material, viscosity
        self._cell_basis = np.einsum(
            'egac,eadn->egdcn', self._slopes, self.basis[self.elements]
        ).reshape(-1, 3, 3, self.n)
        self.require_relaxed()

    def places(self, points: Any, q: Any) -> Any:
        """Return the places of all nodes, or of those of the frame."""
        if len(points) == 3 and points is self.frame_points:
            return points + self.basis[self._frame_nodes] @ q
        return points + self.basis @ q

    def deformation(self, q: Any) -> SeriesArray:
        """Return the deformation gradients of the Gauss points, with partials by q."""
        jet = q.jet() if isinstance(q, SeriesArray) else np.asarray(q)[np.newaxis]
        return np.eye(3) + self._cell_basis @ SeriesArray.variables(jet)  # type: ignore[no-any-return]

    def check(self, q: Array) -> None:
        """Raise InputError if an element is inverted."""
        self.tip_pose(q)
        gradient = self.deformation(q).value
        determinants = np.linalg.det(gradient).reshape(len(self.elements), -1).min(axis=1)
        worst = int(np.argmin(determinants))
        if not determinants[worst] > 0.0:
            raise InputError(
                f'q: expected elements that are not inverted, got the determinant'
                f' {determinants[worst]:.6g} in element {worst}'
            )


def _node_numbers(name: str, value: Any, count: int) -> Any:
    """Return whole numbers below a count."""
    numbers = require_finite(name, as_float_array(name, value))
    whole = numbers.astype(int)
    if (whole != numbers).any() or (whole < 0).any() or (whole >= count).any():
        raise InputError(f'{name}: expected numbers of nodes below {count}, got {shown(value)}')
    return whole


def _reference(corners: int) -> tuple[Array, Array, Array]:
    """Return values (g, a), slopes (g, a, 3) of the shape functions and weights (g,)."""
    if corners == 4:
        slopes = np.vstack([-np.ones(3), np.eye(3)])[np.newaxis]
        return np.full((1, 4), 0.25), slopes, np.array([1.0 / 6.0])
    factors = 1.0 + _CORNERS / np.sqrt(3.0) * _CORNERS[:, np.newaxis]  # (g, a, 3)
    slopes = np.stack(
        [_CORNERS[:, i] * np.prod(np.delete(factors, i, axis=2), axis=2) for i in range(3)], axis=2
    )
    return np.prod(factors, axis=2) / 8.0, slopes / 8.0, np.ones(8)

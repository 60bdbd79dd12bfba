# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`PointBody` and `RitzGalerkin`: bodies given by a map of their material points."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from screw_dynamics.common.arrays import Array, read_only_copy, require_finite
from screw_dynamics.errors import InputError, ShapeError
from screw_dynamics.series.series_array import SeriesArray
from screw_dynamics.soft.checks import require_function, require_kind
from screw_dynamics.soft.materials import (
    KelvinVoigt,
    NeoHookean,
    deformation_gradient,
    require_upright,
)
from screw_dynamics.soft.module import Module, require_name

_STEP, _ROUGH, _ROUNDING = 1e-4, 1e-3, 1e-12  # of differences that check slopes, their errors


class PointBody(Module):
    """
    A body whose material points x move to f(x, q) [P2025 (2)]; derive from it and write `places`.

    Parameters
    ----------
    points : (m, 3) array_like
        Places of the material points at rest, in the proximal frame [m].
    masses : (m,) array_like
        Theirs [kg].
    frame_points : (3, 3) array_like
        Origin of the distal frame, a point beside it along x, and one along y [P2025 (4)-(7)];
        the frame follows them, orthonormalised, and is parallel to the proximal one at rest.
    volumes : (m,) array_like, optional
        Of the points [m^3], for the material.
    material : NeoHookean, optional
    viscosity : KelvinVoigt, optional
    name : str, optional

    Raises
    ------
    ShapeError, NotFiniteError, InputError
    """

    def __init__(
        self,
        points: ArrayLike,
        masses: ArrayLike,
        frame_points: ArrayLike,
        *,
        volumes: ArrayLike | None = None,
        material: NeoHookean | None = None,
        viscosity: KelvinVoigt | None = None,
        name: str | None = None,
    ) -> None:
        self.points = _finite('points', points)
        if self.points.ndim != 2 or self.points.shape[1] != 3:
            raise ShapeError('points', '(m, 3)', self.points.shape)
        self.masses = _weights('masses', masses, len(self.points))
        self.frame_points = _finite('frame_points', frame_points)
        if self.frame_points.shape != (3, 3):
            raise ShapeError('frame_points', '(3, 3)', self.frame_points.shape)
        require_kind('material', material, NeoHookean)
        require_kind('viscosity', viscosity, KelvinVoigt)
        if volumes is None and (material is not None or viscosity is not None):
            raise InputError('volumes: expected those of the points for the material, got None')
        self.volumes = _weights('volumes', 0.0 * self.masses if volumes is None else volumes,
                                len(self.points))  # fmt: skip
        self.material, self.viscosity = material, viscosity
        self.name = require_name(name)
        self._home = triad(self.frame_points).T

    @abstractmethod
    def places(self, points: Any, q: Any) -> Any:
        """Return f(x, q) (m, 3) for points x (m, 3): floats, complex numbers or series, as q."""

    def tip_pose(self, q: Any) -> tuple[Any, Any]:
        """Return rotation (3, 3) and translation (3,) of the distal frame [P2025] (5), (7)."""
        corners = self.places(self.frame_points, q)
        return triad(corners) @ self._home, corners[0]

    def positions(self, q: Any) -> Any:
        """Return the places (m, 3) of the material points."""
        return self.places(self.points, q)

    def deformation(self, q: Any) -> SeriesArray:
        """Return the deformation gradients (m, 3, 3) of the points, with partials by q."""
        jet = q.jet() if isinstance(q, SeriesArray) else np.asarray(q)[np.newaxis]
        return deformation_gradient(self.places, self.points, SeriesArray.variables(jet))

    def energy(self, q: Any) -> Any:
        """Return the elastic energy [J]."""
        if self.material is None:
            return 0.0
        gradient = self.deformation(q)
        if isinstance(q, SeriesArray):
            return self.material.energy(gradient, self.volumes)
        return self.material.energy(gradient.value, self.volumes)

    def elastic_efforts(self, q: Any) -> Any:
        """Return dU/dq (n,)."""
        if self.material is None:
            return 0.0 * q
        efforts = self.material.efforts(self.deformation(q), self.volumes)
        return efforts if isinstance(q, SeriesArray) else efforts.value

    def damping_efforts(self, q: Any, qd: Any) -> Any:
        """Return the efforts (n,) of the viscosity."""
        if self.viscosity is None:
            return 0.0 * qd
        efforts = self.viscosity.efforts(self.deformation(q), qd, self.volumes)
        return efforts if isinstance(q, SeriesArray) else efforts.value

    def require_relaxed(self) -> None:
        """Raise InputError for a material that presses at rest, as that of a constant volume."""
        if self.material is None or self.material.first_lame is not None:
            return
        gradient = self.deformation(np.zeros(self.n))
        slopes = abs(gradient.gradient().value).max(axis=(2, 3))  # (n, m)
        size = 2.0 * self.material.coefficient * slopes @ self.volumes
        if (abs(self.material.efforts(gradient, self.volumes).value) > 1e-9 * size).any():
            raise InputError(
                'material: expected first_lame, as the map changes the volume, got None'
            )

    def check(self, q: Array) -> None:
        """Raise InputError outside of the range of the map, or where it turns points over."""
        self.tip_pose(q)
        if self.material is None:
            self.positions(q)
        else:
            require_upright(self.deformation(q).value)


class RitzGalerkin(PointBody):
    """
    A body with ``f(x, q) = x + Phi(x) q`` [P2025] (13), for instance modes of vibration.

    Parameters
    ----------
    shapes : callable
        Phi: points (m, 3) to (m, 3, n) [m per unit of q], made of NumPy operations.
    points, masses, frame_points
        As of `PointBody`.
    volumes, material, viscosity, name
        As of `PointBody`; the material needs `first_lame`, these maps change the volume.

    Raises
    ------
    ShapeError, NotFiniteError, InputError

    Examples
    --------
    >>> import numpy as np
    >>> import screw_dynamics as sd
    >>> def stretch(x):
    ...     z = x[..., 2]
    ...     return np.stack([0.0 * z, 0.0 * z, z], axis=-1)[..., np.newaxis]
    >>> points = [[0.0, 0.0, 0.5], [0.0, 0.0, 1.0]]
    >>> frame = [[0.0, 0.0, 1.0], [0.1, 0.0, 1.0], [0.0, 0.1, 1.0]]
    >>> rod = sd.soft.RitzGalerkin(stretch, points, [1.0, 1.0], frame)
    >>> sd.mass_matrix(sd.soft.SoftRobot([rod]), [0.0])
    array([[1.25]])
    """

    def __init__(
        self,
        shapes: Callable[[Any], Any],
        points: ArrayLike,
        masses: ArrayLike,
        frame_points: ArrayLike,
        *,
        volumes: ArrayLike | None = None,
        material: NeoHookean | None = None,
        viscosity: KelvinVoigt | None = None,
        name: str | None = None,
    ) -> None:
        super().__init__(
            points, masses, frame_points, volumes=volumes, material=material,
            viscosity=viscosity, name=name,
        )  # fmt: skip
        require_function('shapes', shapes)
        self.shapes = shapes
        values = np.asarray(shapes(self.points))
        if values.ndim != 3 or values.shape[:2] != self.points.shape:
            expected = f'({len(self.points)}, 3, n)'
            raise ShapeError('shapes(points)', expected, values.shape)
        self.n = values.shape[2]
        if material is not None or viscosity is not None:
            self._check_slopes()
        self.require_relaxed()

    def _check_slopes(self) -> None:
        """Raise InputError if values at complex points, by which strains are found, are wrong."""
        step = _STEP * float(abs(self.points).max(initial=0.0) or 1.0)
        for axis in step * np.eye(3):
            ends = [np.asarray(self.shapes(self.points + sign * axis)) for sign in (1.0, -1.0)]
            change, size = 0.5 * (ends[0] - ends[1]), abs(ends[0]).max(initial=0.0)
            got = np.asarray(self.shapes(self.points + 1j * axis)).imag
            allowed = _ROUGH * abs(change).max(initial=0.0) + _ROUNDING * size
            if not abs(got - change).max(initial=0.0) <= allowed:
                raise InputError('shapes: expected analytic functions of points, got others')

    def places(self, points: Any, q: Any) -> Any:
        """Return x + Phi(x) q (m, 3)."""
        return points + self.shapes(points) @ q


def triad(corners: Any) -> Any:
    """Return the axes (3, 3) of three points by Gram and Schmidt [P2025] (4), (6)."""
    x = _unit(corners[1] - corners[0])
    across = corners[2] - corners[0]
    y = _unit(across - np.sum(x * across) * x)
    return np.stack([x, y, np.cross(x, y)], axis=-1)


def _unit(vector: Any) -> Any:
    square = np.sum(vector * vector)
    if not abs(square.value if isinstance(square, SeriesArray) else square) > 0.0:
        raise InputError('frame_points: expected three points that are not on a line')
    return vector / np.sqrt(square)


def _finite(name: str, value: ArrayLike) -> Array:
    return require_finite(name, read_only_copy(name, value))


def _weights(name: str, value: ArrayLike, count: int) -> Array:
    weights = _finite(name, value)
    if weights.shape != (count,):
        raise ShapeError(name, f'({count},), one per point', weights.shape)
    if count and weights.min() < 0.0:
        raise InputError(f'{name}: expected numbers of at least 0, got {weights.min()}')
    return weights

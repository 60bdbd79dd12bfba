# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`RitzGalerkin`: a body whose displacement is a combination of shape functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from screw_dynamics.errors import InputError, ShapeError
from screw_dynamics.soft.bodies.point_body import PointBody
from screw_dynamics.soft.checks import require_function
from screw_dynamics.soft.materials import KelvinVoigt, NeoHookean

_STEP, _ROUGH, _ROUNDING = 1e-4, 1e-3, 1e-12  # of differences that check slopes, their errors


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

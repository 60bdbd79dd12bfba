# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`RigidBody`: a body without coordinates."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from screw_dynamics.arrays import Array, as_vector, read_only_copy, require_finite
from screw_dynamics.errors import InputError, ShapeError
from screw_dynamics.soft.kernel_table import TableBuilder
from screw_dynamics.soft.module import Module, as_pose, as_positive


class RigidBody(Module):
    """
    A rigid body.

    Parameters
    ----------
    mass : float
        [kg]
    com : (3,) array_like
        Centre of mass in the proximal frame [m].
    inertia : (3, 3) array_like
        About the centre of mass, in the axes of the proximal frame [kg m^2].
    tip_pose : (4, 4) array_like
        Distal frame in the proximal frame.
    name : str, optional

    Raises
    ------
    InputError, ShapeError, NotFiniteError

    Examples
    --------
    >>> import screw_dynamics as sd
    >>> sd.soft.RigidBody(2.0, [0.0, 0.0, 0.1], 0.01 * np.eye(3)).n
    0
    """

    def __init__(
        self,
        mass: float,
        com: ArrayLike,
        inertia: ArrayLike,
        tip_pose: ArrayLike | None = None,
        *,
        name: str | None = None,
    ) -> None:
        self.mass, self.name = as_positive('mass', mass, zero=True), name
        self.com = as_vector('com', com, 3).copy()
        self.inertia = require_finite('inertia', read_only_copy('inertia', inertia))
        if self.inertia.shape != (3, 3):
            raise ShapeError('inertia', '(3, 3)', self.inertia.shape)
        if not np.allclose(self.inertia, self.inertia.T, rtol=1e-9, atol=0.0):
            raise InputError('inertia: expected a symmetric matrix, got one that is not')
        self.pose = as_pose('tip_pose', np.eye(4) if tip_pose is None else tip_pose)
        self._points, self._masses = _equal_points(self.mass, self.com, self.inertia)

    @property
    def n(self) -> int:
        """0."""
        return 0

    @property
    def masses(self) -> Array:
        """Six equal masses."""
        return self._masses

    def tip_pose(self, q: Any) -> tuple[Any, Any]:
        """Return rotation and origin of the distal frame."""
        return self.pose[:3, :3], self.pose[:3, 3]

    def positions(self, q: Any) -> Any:
        """Return six points with the same mass, centre of mass and inertia."""
        return self._points

    def add_to_table(self, builder: TableBuilder) -> None:
        """Add the body to the table of the kernels."""
        builder.add_rigid_body(self.mass, self.com, self.inertia, self.pose)


def _equal_points(mass: float, com: Array, inertia: Array) -> tuple[Array, Array]:
    """Return pairs of points on the principal axes."""
    second = 0.5 * np.trace(inertia) * np.eye(3) - inertia
    moments, axes = np.linalg.eigh(second)
    reach = np.sqrt(np.maximum(3.0 * moments / mass, 0.0)) if mass > 0.0 else np.zeros(3)
    offsets = (axes * reach).T
    return com + np.concatenate([offsets, -offsets]), np.full(6, mass / 6.0)

# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`RigidBody`: a body without coordinates."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from screw_dynamics.common.arrays import (
    Array,
    as_float_array,
    as_vector,
    read_only_copy,
    require_finite,
)
from screw_dynamics.common.scalars import require_number
from screw_dynamics.errors import InertiaWarning, InputError, ShapeError
from screw_dynamics.lie.inertia import OF_NO_SOLID, is_of_no_solid
from screw_dynamics.soft.joint import rigid_motion
from screw_dynamics.soft.module import Module, require_name


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
        Rotational inertia about the centre of mass, in the axes of the proximal frame [kg m^2].
    tip_pose : (4, 4) array_like
        Pose of the distal in the proximal frame.
    name : str, optional
        By default body_1, body_2, ... from the base.

    Raises
    ------
    InputError, ShapeError, NotFiniteError
        If an argument is not of its type or range.

    Warns
    -----
    InertiaWarning
        If the inertia is that of no solid body; it is used unchanged.

    Notes
    -----
    The recursion sees seven points with the same mass, centre and inertia. If the inertia is not
    that of a solid, some of their masses are negative.

    Examples
    --------
    >>> import numpy as np
    >>> from screw_dynamics.soft import RigidBody
    >>> RigidBody(2.0, (0, 0, 0.5), 0.1 * np.eye(3)).masses.sum()
    np.float64(2.0)
    """

    n = 0

    def __init__(
        self,
        mass: float,
        com: ArrayLike,
        inertia: ArrayLike,
        tip_pose: ArrayLike | None = None,
        *,
        name: str | None = None,
    ) -> None:
        self.mass = require_number('mass', mass)
        self.com = read_only_copy('com', as_vector('com', com, 3))
        self.inertia = read_only_copy('inertia', _as_inertia(inertia))
        if is_of_no_solid(self.inertia):
            warnings.warn(f'used unchanged: {OF_NO_SOLID}', InertiaWarning, stacklevel=2)
        self.end = rigid_motion('tip_pose', np.eye(4) if tip_pose is None else tip_pose)
        self.name = require_name(name)
        self._points, self.masses = _equivalent_points(self.mass, self.com, self.inertia)

    def tip_pose(self, q: Any) -> tuple[Any, Any]:
        """Return rotation and translation."""
        return self.end[:3, :3], self.end[:3, 3]

    def positions(self, q: Any) -> Any:
        """Return the places (7, 3) of the points."""
        return self._points


def _as_inertia(value: ArrayLike) -> Array:
    tensor = require_finite('inertia', as_float_array('inertia', value))
    if tensor.shape != (3, 3):
        raise ShapeError('inertia', '(3, 3)', tensor.shape)
    if abs(tensor - tensor.T).max() > 1e-9 * abs(tensor).max():
        raise InputError('inertia: expected a symmetric matrix')
    return tensor


def _equivalent_points(mass: float, com: Array, inertia: Array) -> tuple[Array, Array]:
    """Return seven points (7, 3) and their masses (7,)."""
    moments, axes = np.linalg.eigh(0.5 * np.trace(inertia) * np.eye(3) - inertia)
    size = abs(moments).sum()
    radius = np.sqrt(size / mass) if size and mass else 1.0
    masses = np.repeat(moments / (2.0 * radius**2), 2)
    offsets = np.kron(radius * axes.T, [[1.0], [-1.0]])
    return np.vstack([com, com + offsets]), np.array([mass - masses.sum(), *masses])

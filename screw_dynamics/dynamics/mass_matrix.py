# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Joint-space mass matrix by composite rigid bodies."""

from __future__ import annotations

from numpy.typing import ArrayLike

from screw_dynamics.common.arrays import Array
from screw_dynamics.dynamics.dispatch import kernel_first
from screw_dynamics.dynamics.state_calls import checked_quantity
from screw_dynamics.kernels.bodies.quantities import MASS_MATRIX
from screw_dynamics.model.robot_model import RobotModel


@kernel_first(MASS_MATRIX.compiled, 'empty(tables.square)')
def mass_matrix(
    model: RobotModel, q: ArrayLike, *, out: Array | None = None, threads: int = 1
) -> Array:
    """
    Return the mass matrix M of the kinetic energy q'^T M q' / 2.

    M = J^T blkdiag(M_i) J [MK2021, (20)], evaluated by the composite-rigid-body algorithm
    [F2008, section 6.2] in O(n d) for depth d, with mimic joints reduced as G^T M G.

    Parameters
    ----------
    model : RobotModel
    q : (n,) or (..., n) array_like
        Coordinates [rad or m].
    out, threads : optional
        See `screw_dynamics.dynamics`.

    Returns
    -------
    (n, n) or (..., n, n) ndarray
        Exactly symmetric [kg m^2, kg m, kg]; rotor inertia is not included: add
        ``robot.motors.rows[:, 0]`` of a `Robot` to the diagonal.

    Raises
    ------
    ShapeError, NotFiniteError, InputError

    See Also
    --------
    control_terms : With bias forces, pose and Jacobian in one call.
    effort_partials : Its derivatives.

    Examples
    --------
    >>> import numpy as np
    >>> import screw_dynamics as sd
    >>> link = sd.lie.inertia_matrix(2.0, np.array([0.5, 0, 0]), np.zeros((3, 3)))
    >>> pendulum = sd.ScrewModel.from_screws([-1], [np.eye(4)], [[0, 1, 0, 0, 0, 0]], [link])
    >>> sd.mass_matrix(pendulum, [0.3])
    array([[0.5]])
    """
    return checked_quantity(MASS_MATRIX, model, out, {'q': q}, threads)

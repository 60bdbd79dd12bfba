# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Joint-space Coriolis matrix by composite rigid bodies."""

from __future__ import annotations

from numpy.typing import ArrayLike

from screw_dynamics.common.arrays import Array
from screw_dynamics.dynamics.dispatch import kernel_first
from screw_dynamics.dynamics.state_calls import checked_quantity
from screw_dynamics.kernels.bodies.quantities import CORIOLIS_MATRIX
from screw_dynamics.model.robot_model import RobotModel


@kernel_first(CORIOLIS_MATRIX.compiled, 'empty(tables.square)')
def coriolis_matrix(
    model: RobotModel, q: ArrayLike, qd: ArrayLike, *, out: Array | None = None, threads: int = 1
) -> Array:
    """
    Return the Coriolis matrix C: C q' are the Coriolis and centrifugal efforts.

    C_ij = sum_k Gamma_ijk q'_k with the Christoffel symbols Gamma of the mass matrix
    [M2018, (86)], so that M' - 2 C is skew-symmetric; O(n d) for depth d (as in [EW2021]). With
    mimic joints, G^T C G belongs to the reduced mass matrix G^T M G. The other matrices of the
    papers, C and Cbar of [MK2021, (22), (54)], are in `theory.closed_form.system_matrices`.

    Parameters
    ----------
    model : RobotModel
    q, qd : (n,) or (..., n) array_like
        Coordinates and their rates [rad or m, per s].
    out, threads : optional
        See `screw_dynamics.dynamics`.

    Returns
    -------
    (n, n) or (..., n, n) ndarray
        [kg m^2/s, kg m/s, kg/s].

    Raises
    ------
    ShapeError, NotFiniteError, InputError

    Notes
    -----
    Let J_j be the screw of joint j, J_j' = ad_V J_j its rate, and M_j the inertia of the bodies
    that the joint moves. For i before j on a path, C_ij = J_i^T (M_j J_j' + K_j J_j) and
    C_ji = J_i'^T M_j J_j + J_i^T K_j^T J_j. K_j is the sum over these bodies of B with
    B y = integral of (x × (w × u); w × u) dm, u the velocity of the point x and w the angular part
    of y.

    See Also
    --------
    bias_forces : Its product with the rates, and gravity, at a fraction of the time.

    Examples
    --------
    >>> import numpy as np
    >>> import screw_dynamics as sd
    >>> link = sd.lie.inertia_matrix(2.0, np.array([0.5, 0, 0]), np.zeros((3, 3)))
    >>> turn = [0, 0, 1, 0, 0, 0]
    >>> model = sd.ScrewModel.from_screws(
    ...     [-1, 0], [np.eye(4), sd.lie.pose(np.eye(3), np.array([1.0, 0, 0]))], [turn, turn],
    ...     [link, link],
    ... )
    >>> sd.coriolis_matrix(model, [0.0, np.pi / 2], [1.0, 2.0]).round(12) + 0.0
    array([[-2., -3.],
           [ 1.,  0.]])
    """
    return checked_quantity(CORIOLIS_MATRIX, model, out, {'q': q, 'qd': qd}, threads)

# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""How uncertain efforts are when the motion that they belong to is."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import ArrayLike

from screw_dynamics.arrays import Array, as_float_array, require_finite
from screw_dynamics.dynamics.inverse_dynamics import inverse_dynamics
from screw_dynamics.errors import ShapeError
from screw_dynamics.model import ScrewModel


def effort_deviations(
    model: ScrewModel,
    joint_jet: ArrayLike,
    covariances: ArrayLike,
    wrench_jets: Mapping[str, ArrayLike] | None = None,
    threads: int = 1,
) -> Array:
    """
    Return the standard deviations of the efforts and their derivatives.

    The covariance of each joint's jet is split into its principal contributions. The efforts are
    computed one standard deviation to either side along each; half the differences are the
    contributions to the efforts, and their squares add up. This is exact for efforts that are
    linear in the motion, and keeps odd terms beyond where linearisation at one point drops them.

    Parameters
    ----------
    model : ScrewModel
        The robot with n coordinates.
    joint_jet : (T, k + 3, n) array_like
        The most likely motion, as `inverse_dynamics` takes it.
    covariances : (T, n, k + 3, k + 3) array_like
        Of each joint's jet; joints are independent of each other. As
        `trajectory.MeasuredMotion.covariances` returns them.
    wrench_jets : mapping, optional
        External wrenches, as `inverse_dynamics` takes them; they count as exact.
    threads : int
        See `inverse_dynamics`.

    Returns
    -------
    (T, k + 1, n) ndarray
        Row d belongs to the d-th time derivative of the efforts [N m or N, per s^d].

    Raises
    ------
    ShapeError, NotFiniteError
        If the arrays do not fit each other or the model.

    Notes
    -----
    Costs 2 n (k + 3) inverse dynamics per instant. The model of the robot counts as exact.

    Examples
    --------
    >>> import screw_dynamics as sd
    >>> rod = sd.lie.inertia_matrix(2.0, np.array([0.0, 0, -0.5]), np.zeros((3, 3)))
    >>> pendulum = sd.ScrewModel.from_screws([-1], [np.eye(4)], [[0, 1, 0, 0, 0, 0]], [rod])
    >>> certain_but_acceleration = np.diag([0.0, 0.0, 0.04])[None, None]
    >>> effort_deviations(pendulum, np.zeros((1, 3, 1)), certain_but_acceleration)
    array([[[0.1]]])

    """
    return propagated_deviations(
        lambda jets: inverse_dynamics(model, jets, wrench_jets, threads=threads),
        joint_jet,
        covariances,
    )


def propagated_deviations(
    function: Callable[[Array], Array], joint_jet: ArrayLike, covariances: ArrayLike
) -> Array:
    """
    Return the standard deviations of what is computed from an uncertain motion.

    Returns (T, ...).
    """
    jets = require_finite('joint_jet', as_float_array('joint_jet', joint_jet))
    if jets.ndim != 3:
        raise ShapeError('joint_jet', '(T, r, n)', jets.shape)
    count, rows, n = jets.shape
    spread = require_finite('covariances', as_float_array('covariances', covariances))
    if spread.shape != (count, n, rows, rows):
        raise ShapeError('covariances', str((count, n, rows, rows)), spread.shape)
    roots = _roots(spread)
    variances = np.zeros_like(function(jets))
    for j in range(n):
        for direction in range(rows):
            step = roots[:, j, :, direction]
            if not step.any():
                continue
            either = []
            for sign in (1.0, -1.0):
                moved = jets.copy()
                moved[:, :, j] += sign * step
                either.append(function(moved))
            variances += (0.5 * (either[0] - either[1])) ** 2
    deviations: Array = np.sqrt(variances)
    return deviations


def _roots(covariances: Array) -> Array:
    """Return R with R R^T = C, for matrices whose entries differ by many powers of ten."""
    scale = np.sqrt(np.maximum(np.einsum('...aa->...a', covariances), 0.0))
    safe = np.where(scale > 0.0, scale, 1.0)
    unit = covariances / (safe[..., :, None] * safe[..., None, :])
    values, vectors = np.linalg.eigh(unit)
    # rounded covariances may have eigenvalues just below 0
    roots: Array = scale[..., :, None] * vectors * np.sqrt(np.maximum(values, 0.0))[..., None, :]
    return roots

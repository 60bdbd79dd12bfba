# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Propagation of the uncertainty of a motion to the efforts."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import ArrayLike

from screw_dynamics.common.arrays import Array, as_float_array, require_finite
from screw_dynamics.dynamics.inverse_dynamics import inverse_dynamics
from screw_dynamics.errors import ShapeError
from screw_dynamics.model import ScrewModel


def effort_standard_deviations(
    model: ScrewModel,
    joint_jet: ArrayLike,
    covariances: ArrayLike,
    wrench_jets: Mapping[str, ArrayLike] | None = None,
    threads: int = 1,
) -> Array:
    """
    Return the standard deviations of the efforts and their derivatives.

    For each principal component of the covariance of a joint's jet, the efforts are computed one
    standard deviation to either side; half the difference is its contribution, and the squares of
    all contributions are added. This is exact for efforts that are linear in the motion.

    Parameters
    ----------
    model : ScrewModel
    joint_jet : (T, k + 3, n) array_like
        The most likely motion, see `inverse_dynamics`.
    covariances : (T, n, k + 3, k + 3) array_like
        Covariance of the jet of each independent joint, see `MeasuredMotion.covariances`.
    wrench_jets : mapping, optional
        External wrenches, see `inverse_dynamics`; they are assumed to be exact.
    threads : int
        See `inverse_dynamics`.

    Returns
    -------
    (T, k + 1, n) ndarray
        Row d belongs to the d-th time derivative of the efforts [N m or N, per s^d].

    Raises
    ------
    ShapeError, NotFiniteError
        If the arrays do not match each other or the model, or are not finite.

    Notes
    -----
    Needs 2 n (k + 3) inverse dynamics per instant. The model of the robot is assumed to be exact.

    Examples
    --------
    >>> import numpy as np
    >>> import screw_dynamics as sd
    >>> from screw_dynamics import effort_standard_deviations
    >>> rod = sd.lie.inertia_matrix(2.0, np.array([0.0, 0, -0.5]), np.zeros((3, 3)))
    >>> pendulum = sd.ScrewModel.from_screws([-1], [np.eye(4)], [[0, 1, 0, 0, 0, 0]], [rod])
    >>> certain_but_acceleration = np.diag([0.0, 0.0, 0.04])[None, None]
    >>> effort_standard_deviations(pendulum, np.zeros((1, 3, 1)), certain_but_acceleration)
    array([[[0.1]]])
    """

    def efforts(jets: Array) -> Array:
        return inverse_dynamics(model, jets, wrench_jets, threads=threads)

    return propagate_uncertainty(efforts, joint_jet, covariances)


effort_deviations = effort_standard_deviations  # name before the first release


def propagate_uncertainty(
    function: Callable[[Array], Array], joint_jet: ArrayLike, covariances: ArrayLike
) -> Array:
    """
    Return the standard deviations of a function of an uncertain motion.

    The function maps joint jets (T, r, n) to values (T, ...), each of its own instant only;
    `covariances` is (T, n, r, r), see `effort_standard_deviations`.
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
            ahead, behind = jets.copy(), jets.copy()
            ahead[:, :, j] += step
            behind[:, :, j] -= step
            variances += (0.5 * (function(ahead) - function(behind))) ** 2
    return np.asarray(np.sqrt(variances))


def _roots(covariances: Array) -> Array:
    """Return R with R R^T = C; entries of C may differ by many powers of ten."""
    scale = np.sqrt(np.maximum(np.einsum('...aa->...a', covariances), 0.0))
    safe = np.where(scale > 0.0, scale, 1.0)
    unit = covariances / (safe[..., :, None] * safe[..., None, :])
    values, vectors = np.linalg.eigh(unit)
    # rounding errors may cause eigenvalues just below 0
    roots: Array = scale[..., :, None] * vectors * np.sqrt(np.maximum(values, 0.0))[..., None, :]
    return roots

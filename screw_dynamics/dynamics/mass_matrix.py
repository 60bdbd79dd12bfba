# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Joint-space mass matrix by composite rigid bodies."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from screw_dynamics.arrays import Array, as_samples, raise_not_finite
from screw_dynamics.kernels.tree.mass_matrix import mass_matrices
from screw_dynamics.model.other_models import OtherModel, function_for
from screw_dynamics.model.screw_model import ScrewModel


def mass_matrix(model: ScrewModel | OtherModel, q: ArrayLike) -> Array:
    """
    Return the mass matrix M of the kinetic energy q'^T M q' / 2.

    M = J^T blkdiag(M_i) J [MK2021, (20)], evaluated by the composite-rigid-body algorithm
    [F2008, section 6.2] in O(n d) for depth d, with mimic joints reduced as G^T M G.

    Parameters
    ----------
    model : ScrewModel or SoftRobot
    q : (n,) or (T, n) array_like
        Coordinates [rad or m].

    Returns
    -------
    (n, n) or (T, n, n) ndarray
        Exactly symmetric [kg m^2, kg m, kg]; rotor inertia is not included: add
        ``joints.motors(model).rows[:, 0]`` of `ElasticJoints` to the diagonal.

    Raises
    ------
    ShapeError, NotFiniteError, InputError

    Examples
    --------
    >>> import screw_dynamics as sd
    >>> link = sd.lie.inertia_matrix(2.0, np.array([0.5, 0, 0]), np.zeros((3, 3)))
    >>> pendulum = sd.ScrewModel.from_screws([-1], [np.eye(4)], [[0, 1, 0, 0, 0, 0]], [link])
    >>> sd.mass_matrix(pendulum, [0.3])
    array([[0.5]])
    """
    if not isinstance(model, ScrewModel):
        other: Array = function_for('mass_matrix', model)(model, q)
        return other
    frames = model.joint_frames
    samples, single = as_samples('q', q, model.n)
    matrices = np.empty((len(samples), model.n, model.n))
    if not mass_matrices(samples, frames.tree, frames.bodies, matrices):
        raise_not_finite(matrices, single, q=q)
    return matrices[0] if single else matrices

# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Joint efforts that keep a robot at rest against gravity."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from screw_dynamics.arrays import Array, as_samples, raise_not_finite
from screw_dynamics.kernels.tree.gravity_forces import gravity_efforts
from screw_dynamics.model.screw_model import ScrewModel, require_model


def gravity_forces(model: ScrewModel, q: ArrayLike) -> Array:
    """
    Return the joint efforts Q_grav that keep the robot at rest: the gradient of its potential.

    Q_grav = -J^T stack(M_i Ad_{C_i}^-1 (0; g)) [MK2021, (25), (26)], computed from the mass and
    first moment of the bodies that each joint moves, O(n).

    Parameters
    ----------
    model : ScrewModel
    q : (n,) or (T, n) array_like
        Coordinates [rad or m].

    Returns
    -------
    (n,) or (T, n) ndarray
        [N m or N]

    Raises
    ------
    ShapeError, NotFiniteError, InputError

    Examples
    --------
    >>> import screw_dynamics as sd
    >>> link = sd.lie.inertia_matrix(2.0, np.array([0.5, 0, 0]), np.zeros((3, 3)))
    >>> pendulum = sd.ScrewModel.from_screws([-1], [np.eye(4)], [[0, -1, 0, 0, 0, 0]], [link])
    >>> sd.gravity_forces(pendulum, [0.0])
    array([9.81])
    """
    frames = require_model(model).joint_frames
    samples, single = as_samples('q', q, model.n)
    forces = np.empty((len(samples), model.n))
    if not gravity_efforts(samples, frames.tree, frames.bodies, frames.gravity, forces):
        raise_not_finite(forces, single, q=q)
    return forces[0] if single else forces

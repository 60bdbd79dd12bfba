# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Joint efforts of a motion without joint accelerations, C q' + Q_grav."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from screw_dynamics.arrays import Array, as_samples, as_samples_like, raise_not_finite
from screw_dynamics.kernels.tree.bias_forces import bias_efforts
from screw_dynamics.model.other_models import OtherModel, function_for
from screw_dynamics.model.screw_model import ScrewModel


def bias_forces(model: ScrewModel | OtherModel, q: ArrayLike, qd: ArrayLike) -> Array:
    """
    Return the joint efforts C(q, q') q' + Q_grav(q), those of a motion with q'' = 0.

    Newton-Euler recursion in base-link axes about the origin of each body (the hybrid
    representation, [M2018, (76), (77)]), O(n).

    Parameters
    ----------
    model : ScrewModel or SoftRobot
    q, qd : (n,) or (T, n) array_like
        Coordinates and their rates [rad or m, per s].

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
    >>> sd.bias_forces(pendulum, [0.0], [3.0])
    array([9.81])
    """
    if not isinstance(model, ScrewModel):
        other: Array = function_for('bias_forces', model)(model, q, qd)
        return other
    frames = model.joint_frames
    positions, single = as_samples('q', q, model.n)
    rates = as_samples_like('qd', qd, 'q', positions, single)
    forces = np.empty((len(positions), model.n))
    if not bias_efforts(positions, rates, frames.tree, frames.bodies, frames.gravity, forces):
        raise_not_finite(forces, single, q=q, qd=qd)
    return forces[0] if single else forces

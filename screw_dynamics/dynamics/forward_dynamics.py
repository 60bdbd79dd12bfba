# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Joint accelerations caused by joint efforts."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from screw_dynamics.arrays import Array, as_samples, as_samples_like, raise_not_finite
from screw_dynamics.errors import SingularMassMatrixError, listed
from screw_dynamics.kernels.tree.forward_dynamics import (
    NOT_FINITE,
    SINGULAR,
    SOLVED,
    joint_accelerations,
)
from screw_dynamics.model.screw_model import ScrewModel, require_model


def forward_dynamics(model: ScrewModel, q: ArrayLike, qd: ArrayLike, tau: ArrayLike) -> Array:
    """
    Return the joint accelerations q'' = M^-1 (tau - C q' - Q_grav).

    Parameters
    ----------
    model : ScrewModel
    q, qd : (n,) or (T, n) array_like
        Coordinates and their rates [rad or m, per s].
    tau : (n,) or (T, n) array_like
        Joint efforts [N m or N]; damping, friction and limits do not enter (see
        `simulation.ElasticRobot`).

    Returns
    -------
    (n,) or (T, n) ndarray
        [rad/s^2 or m/s^2]

    Raises
    ------
    SingularMassMatrixError
        If a joint can accelerate without moving any inertia; the joint is named.
    ShapeError, NotFiniteError, InputError

    Notes
    -----
    M = L^T D L is computed from the last coordinate to the first, so that a pivot D_k of a chain
    is the effective inertia of joint k while the joints beyond it move freely. It is treated as
    zero below 1e-13 of the second moment (or mass) of all bodies that the joint moves. Negative
    pivots, which only non-physical inertias cause, are accepted.

    Examples
    --------
    >>> import screw_dynamics as sd
    >>> link = sd.lie.inertia_matrix(2.0, np.array([0.5, 0, 0]), np.zeros((3, 3)))
    >>> pendulum = sd.ScrewModel.from_screws([-1], [np.eye(4)], [[0, -1, 0, 0, 0, 0]], [link])
    >>> sd.forward_dynamics(pendulum, [0.0], [0.0], [10.81])
    array([2.])
    """
    frames = require_model(model).joint_frames
    positions, single = as_samples('q', q, model.n)
    rates = as_samples_like('qd', qd, 'q', positions, single)
    efforts = as_samples_like('tau', tau, 'q', positions, single)
    accelerations = np.empty((len(positions), model.n))
    status = joint_accelerations(
        positions, rates, efforts, frames.tree, frames.bodies, frames.gravity, accelerations
    )
    if status == NOT_FINITE:
        raise_not_finite(accelerations, single, q=q, qd=qd, tau=tau)
    if status != SOLVED:
        sample, coordinate = divmod(status, model.n)
        pivot = float(accelerations[sample, coordinate])
        raise _singular(model, coordinate, pivot, None if single else sample)
    return accelerations[0] if single else accelerations


def _singular(
    model: ScrewModel, coordinate: int, pivot: float, sample: int | None
) -> SingularMassMatrixError:
    """Return the error that names the joint without inertia and the massless links."""
    moved = model.coordinates == coordinate
    for i, parent in enumerate(model.parents):
        moved[i] |= parent >= 0 and moved[parent]
    massless = [model.body_names[i] for i in np.flatnonzero(moved) if not model.inertias[i].any()]
    if len(massless) == moved.sum():
        reason = f'all it moves is massless ({listed(massless)})'
    else:
        reason = 'what it moves has no inertia along it once the joints beyond move freely'
        if massless:
            reason += f' (massless: {", ".join(massless)})'
    return SingularMassMatrixError(model.joint_names[coordinate], pivot, SINGULAR, reason, sample)

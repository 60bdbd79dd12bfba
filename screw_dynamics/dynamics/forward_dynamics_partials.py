# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Partial derivatives of the joint accelerations: the linearised motion of a robot."""

from __future__ import annotations

from typing import cast

import numpy as np
from numpy.typing import ArrayLike

from screw_dynamics.common.arrays import Array, as_float_array
from screw_dynamics.dynamics.effort_partials import effort_partials
from screw_dynamics.dynamics.forward_dynamics import forward_dynamics
from screw_dynamics.model.screw_model import ScrewModel


def forward_dynamics_partials(
    model: ScrewModel, q: ArrayLike, qd: ArrayLike, tau: ArrayLike
) -> tuple[Array, Array, Array]:
    """
    Return the derivatives of the accelerations q'' by q, q' and tau.

    With ``tau(q, q', q'')`` of inverse dynamics they are -M^-1 dtau/dq, -M^-1 dtau/dq' and M^-1
    ([M2018] section 6.1). The linearised motion is
    ``d(dq')/dt = by_position dq + by_rate dq' + by_effort dtau``.

    Parameters
    ----------
    model : ScrewModel
    q, qd : (n,) or (..., n) array_like
        Coordinates and their rates [rad or m, per s].
    tau : (n,) or (..., n) array_like
        Joint efforts [N m or N].

    Returns
    -------
    by_position, by_rate, by_effort : (n, n) or (..., n, n) ndarray
        Entry [i, j] is the derivative of q_i'' by entry j of q, q' and tau.

    Raises
    ------
    SingularMassMatrixError
        If a joint can accelerate without moving any inertia; the joint is named.
    ShapeError, NotFiniteError, InputError

    Examples
    --------
    >>> import numpy as np
    >>> import screw_dynamics as sd
    >>> link = sd.lie.inertia_matrix(2.0, np.array([0.5, 0, 0]), np.zeros((3, 3)))
    >>> pendulum = sd.ScrewModel.from_screws([-1], [np.eye(4)], [[0, -1, 0, 0, 0, 0]], [link])
    >>> by_position, _, by_effort = sd.forward_dynamics_partials(pendulum, [np.pi / 2], [0], [0])
    >>> by_position.round(9), by_effort
    (array([[19.62]]), array([[2.]]))
    """
    accelerations = forward_dynamics(model, q, qd, tau)
    jet = np.stack([as_float_array('q', q), as_float_array('qd', qd), accelerations], axis=-2)
    partials = effort_partials(model, jet)[..., 0, :, :, :]
    by_effort = cast(Array, np.linalg.inv(partials[..., 2, :, :]))
    by_motion = -(by_effort[..., np.newaxis, :, :] @ partials[..., :2, :, :])
    return by_motion[..., 0, :, :], by_motion[..., 1, :, :], by_effort

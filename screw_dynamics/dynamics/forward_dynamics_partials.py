# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Partial derivatives of the joint accelerations: the linearised motion of a robot."""

from __future__ import annotations

from numpy.typing import ArrayLike

from screw_dynamics.common.arrays import Array, as_samples, raise_not_finite
from screw_dynamics.dynamics.dispatch import kernel_first
from screw_dynamics.dynamics.forward_dynamics import forward_dynamics
from screw_dynamics.dynamics.state_calls import output, run_states
from screw_dynamics.kernels.bodies.layout import OK
from screw_dynamics.kernels.bodies.quantities import FORWARD_DYNAMICS_PARTIALS
from screw_dynamics.model.robot_model import RobotModel
from screw_dynamics.model.screw_model import require_model


def forward_dynamics_partials(
    model: RobotModel, q: ArrayLike, qd: ArrayLike, tau: ArrayLike
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
    result = _partials(model, q, qd, tau)
    return result[..., 0, :, :], result[..., 1, :, :], result[..., 2, :, :]


@kernel_first(FORWARD_DYNAMICS_PARTIALS.compiled, 'empty(tables.partials[1:])')
def _partials(
    model: RobotModel, q: ArrayLike, qd: ArrayLike, tau: ArrayLike, *, out: Array | None = None
) -> Array:
    """Return the partial derivatives (..., 3, n, n)."""
    model = require_model(model)
    samples = as_samples(model.n, q=q, qd=qd, tau=tau)
    result = output(out, (*samples[0].shape[:-1], 3, model.n, model.n))
    parameters = model.kernel_tables.parameters
    if result.size and run_states(FORWARD_DYNAMICS_PARTIALS, samples, result, parameters) != OK:
        forward_dynamics(model, q, qd, tau)  # raises the error of a joint without inertia
        raise_not_finite(result, q=q, qd=qd, tau=tau)
    return result

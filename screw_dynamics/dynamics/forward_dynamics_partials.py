# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Partial derivatives of the joint accelerations: the linearised motion of a robot."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from screw_dynamics.common.arrays import Array, raise_not_finite
from screw_dynamics.dynamics.forward_dynamics import forward_dynamics
from screw_dynamics.kernels.bodies.layout import OK
from screw_dynamics.kernels.bodies.quantities import FORWARD_DYNAMICS_PARTIALS
from screw_dynamics.model.screw_model import ScrewModel, require_model
from screw_dynamics.model.state_calls import run_batch, samples_of

_ARRAY, _empty = np.ndarray, np.empty


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
    q, qd : (n,) or (T, n) array_like
        Coordinates and their rates [rad or m, per s].
    tau : (n,) or (T, n) array_like
        Joint efforts [N m or N].

    Returns
    -------
    by_position, by_rate, by_effort : (n, n) or (T, n, n) ndarray
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
    if type(q) is _ARRAY and type(qd) is _ARRAY and type(tau) is _ARRAY:  # not masked arrays
        try:
            tables = model.joint_frame_parameters
            result = _empty(tables.partials[1:])
            if FORWARD_DYNAMICS_PARTIALS.single(q, qd, tau, result, tables.parameters) == OK:
                return result[0], result[1], result[2]
        except (TypeError, ValueError, AttributeError):
            pass  # not arrays for the kernel: the checks below convert or reject them
    n = require_model(model).n
    inputs = {'q': q, 'qd': qd, 'tau': tau}
    samples, single = samples_of(n, inputs)
    result = np.empty((len(samples[0]), 3, n, n))
    parameters = model.joint_frame_parameters.parameters
    if result.size:
        if single:
            one = tuple(x[0] for x in samples)
            status = FORWARD_DYNAMICS_PARTIALS.run(one, result[0], parameters)
        else:
            status = run_batch(FORWARD_DYNAMICS_PARTIALS, samples, result, parameters)
        if status != OK:
            forward_dynamics(model, q, qd, tau)  # raises the error of a joint without inertia
            raise_not_finite(result, single, **inputs)
    by_position, by_rate, by_effort = np.moveaxis(result[0] if single else result, -3, 0)
    return by_position, by_rate, by_effort

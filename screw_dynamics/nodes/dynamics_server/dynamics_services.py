# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Service handlers for dynamic quantities; they raise ScrewDynamicsError on failure."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from screw_dynamics.arrays import Array, require_finite
from screw_dynamics.dynamics import (
    bias_forces,
    coriolis_matrix,
    gravity_forces,
    inverse_dynamics,
    mass_matrix,
)
from screw_dynamics.errors import InputError, ShapeError
from screw_dynamics.messages.fields import double_array
from screw_dynamics.messages.joints import joint_order, request_row
from screw_dynamics.model import ScrewModel

_ROWS = ('position', 'velocity', 'acceleration', 'jerk', 'snap')
_EFFORTS = ('effort', 'effort_dot', 'effort_ddot')


def get_mass_matrix(model: ScrewModel, request: Any, response: Any) -> None:
    """Handle GetMassMatrix."""
    order = joint_order(request.joint_names, model.joint_names)
    matrix = mass_matrix(model, position(model, request, order))
    response.joint_names = list(request.joint_names) or list(model.joint_names)
    response.mass_matrix = double_array(as_requested(matrix, order))


def get_dynamic_terms(model: ScrewModel, request: Any, response: Any) -> None:
    """Handle GetDynamicTerms."""
    order = joint_order(request.joint_names, model.joint_names)
    q = position(model, request, order)
    qd = request_row('velocity', request.velocity, order)
    gravity = gravity_forces(model, q)
    results = {
        'mass_matrix': mass_matrix(model, q),
        'coriolis_vector': bias_forces(model, q, qd) - gravity,
        'gravity_vector': gravity,
    }
    if request.coriolis_matrix:
        results['coriolis_matrix'] = coriolis_matrix(model, q, qd)
    for field, result in results.items():
        require_finite(field, result)  # velocities above 1e150 overflow
    response.joint_names = list(request.joint_names) or list(model.joint_names)
    for field, result in results.items():
        setattr(response, field, double_array(as_requested(result, order)))


def get_inverse_dynamics(model: ScrewModel, request: Any, response: Any) -> None:
    """Handle GetInverseDynamics."""
    order = joint_order(request.joint_names, model.joint_names)
    k, n = int(request.derivative_order), model.n
    jet = np.zeros((max(k + 3, 5), n))
    jet[0] = position(model, request, order)
    motion_rows(request, order, jet)
    if len(request.higher_derivatives):
        higher = np.array(request.higher_derivatives)
        rows = max(k - 2, 0)
        if higher.size != rows * n:
            raise ShapeError(
                'higher_derivatives',
                f'({rows * n},): derivatives 5 to {k + 2} of {n} joints for order {k}'
                if rows
                else '(0,) for orders up to 2',
                higher.shape,
            )
        jet[5:] = higher.reshape(rows, n)[:, order]
    tau = inverse_dynamics(model, jet[: k + 3], wrench_jets(request.wrenches, k))
    tau = tau[:, np.argsort(order)]
    response.joint_names = list(request.joint_names) or list(model.joint_names)
    for field, values in zip(_EFFORTS, tau, strict=False):
        setattr(response, field, double_array(values))
    response.effort_jet = double_array(tau)


def motion_rows(request: Any, order: NDArray[np.intp], jet: Array) -> None:
    """
    Copy velocity to snap of a request to `jet` (rows, n), as far as it has rows.

    `order` comes from `joint_order`. Raises ShapeError if a field has the wrong length.
    """
    for row, field in zip(jet[1:], _ROWS[1:], strict=False):
        row[:] = request_row(field, getattr(request, field), order)


def position(model: ScrewModel, request: Any, order: NDArray[np.intp]) -> Array:
    """
    Return the positions (n,) of a request in model order.

    Raises ShapeError if they are missing or their number is wrong.
    """
    if model.n and not len(request.position):
        raise ShapeError('position', f'({model.n},), one value per joint', (0,))
    return request_row('position', request.position, order)


def as_requested(values: Array, order: NDArray[np.intp]) -> Array:
    """Return a vector (n,) or matrix (n, n) of the model in the order of the request."""
    back = np.argsort(order)
    result: Array = values[back] if values.ndim == 1 else values[np.ix_(back, back)]
    return result


def wrench_jets(wrenches: Any, order: int) -> dict[str, Array] | None:
    """
    Return constant wrenches (order + 1, 6) by frame; None without any.

    Several wrenches on one frame are added. `order` is that of the efforts. Raises InputError if a
    frame is empty.
    """
    jets: dict[str, Array] = {}
    for i, stamped in enumerate(wrenches):
        frame = stamped.header.frame_id
        if not frame:
            raise InputError(f'wrenches[{i}].header.frame_id: expected a link, got an empty name')
        torque, force = stamped.wrench.torque, stamped.wrench.force
        jet = jets.setdefault(frame, np.zeros((order + 1, 6)))
        jet[0] += (torque.x, torque.y, torque.z, force.x, force.y, force.z)
    return jets or None

# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Service handlers for dynamic quantities; they raise ScrewDynamicsError on failure."""

from typing import Any

import numpy as np

from screw_dynamics.arrays import require_finite
from screw_dynamics.dynamics import (
    bias_forces,
    coriolis_matrix,
    gravity_forces,
    inverse_dynamics,
    mass_matrix,
)
from screw_dynamics.errors import ShapeError
from screw_dynamics.messages.fields import double_array
from screw_dynamics.nodes.dynamics_server.requests import JointRequest, wrench_jets
from screw_dynamics.robot import Robot

_EFFORTS = ('effort', 'effort_dot', 'effort_ddot')


def get_mass_matrix(robot: Robot, request: JointRequest, response: Any) -> None:
    """Handle GetMassMatrix."""
    matrix = mass_matrix(robot.model, request.position)
    response.joint_names = list(request.names)
    response.mass_matrix = double_array(request.as_requested(matrix))


def get_dynamic_terms(robot: Robot, request: JointRequest, response: Any) -> None:
    """Handle GetDynamicTerms."""
    model, q, qd = robot.model, request.position, request.row('velocity')
    gravity = gravity_forces(model, q)
    results = {
        'mass_matrix': mass_matrix(model, q),
        'coriolis_vector': bias_forces(model, q, qd) - gravity,
        'gravity_vector': gravity,
    }
    if request.message.coriolis_matrix:
        results['coriolis_matrix'] = coriolis_matrix(model, q, qd)
    for field, result in results.items():
        require_finite(field, result)  # velocities above 1e150 overflow
    response.joint_names = list(request.names)
    for field, result in results.items():
        setattr(response, field, double_array(request.as_requested(result)))


def get_inverse_dynamics(robot: Robot, request: JointRequest, response: Any) -> None:
    """Handle GetInverseDynamics."""
    message = request.message
    k, n = int(message.derivative_order), robot.n
    jet = np.zeros((max(k + 3, 5), n))
    request.fill(jet)
    if len(message.higher_derivatives):
        higher = np.array(message.higher_derivatives)
        rows = max(k - 2, 0)
        if higher.size != rows * n:
            raise ShapeError(
                'higher_derivatives',
                f'({rows * n},): derivatives 5 to {k + 2} of {n} joints for order {k}'
                if rows
                else '(0,) for orders up to 2',
                higher.shape,
            )
        jet[5:] = higher.reshape(rows, n)[:, request.order]
    efforts = inverse_dynamics(robot.model, jet[: k + 3], wrench_jets(message.wrenches, k))
    efforts = efforts[:, request.back]
    response.joint_names = list(request.names)
    for field, values in zip(_EFFORTS, efforts, strict=False):
        setattr(response, field, double_array(values))
    response.effort_jet = double_array(efforts)

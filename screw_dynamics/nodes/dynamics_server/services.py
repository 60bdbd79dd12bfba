# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Service handlers; they raise ScrewDynamicsError on failure, and may return a warning."""

from dataclasses import replace
from typing import Any

import numpy as np
from geometry_msgs.msg import Pose

from screw_dynamics.common.arrays import Array, require_finite
from screw_dynamics.common.scalars import require_choice
from screw_dynamics.control.limit_checks import limit_text
from screw_dynamics.drives import MotorFeedforward as Motors
from screw_dynamics.drives import elastic_feedforward
from screw_dynamics.drives.robot import Robot
from screw_dynamics.dynamics import (
    bias_forces,
    coriolis_matrix,
    forward_dynamics,
    forward_dynamics_jet,
    frame_jacobian,
    frame_jacobian_jet,
    frame_pose,
    frame_twist,
    gravity_forces,
    inverse_dynamics,
    mass_matrix,
)
from screw_dynamics.errors import InputError, ShapeError, UnknownNameError
from screw_dynamics.lie import log_so3
from screw_dynamics.limits.check import check_motor_commands
from screw_dynamics.model.records import REPRESENTATIONS
from screw_dynamics.nodes.dynamics_server.requests import (
    EFFORTS,
    MOTION,
    JointRequest,
    NoModelError,
    is_tree,
    require_tree,
    wrench_jets,
)
from screw_dynamics.recordings.messages.joints import double_array
from screw_dynamics_interfaces.msg import MotorFeedforward


def get_mass_matrix(request: JointRequest, response: Any) -> None:
    """Handle GetMassMatrix."""
    matrix = mass_matrix(request.robot.model, request.position)
    response.joint_names = list(request.names)
    response.mass_matrix = double_array(request.as_requested(matrix))


def get_dynamic_terms(request: JointRequest, response: Any) -> None:
    """Handle GetDynamicTerms."""
    model, q, qd = request.robot.model, request.position, request.row('velocity')
    gravity = gravity_forces(model, q)
    results = {
        'mass_matrix': mass_matrix(model, q),
        'coriolis_vector': bias_forces(model, q, qd) - gravity,
        'gravity_vector': gravity,
    }
    if request.message.coriolis_matrix:
        require_tree(request.robot, 'coriolis_matrix')
        form = request.message.coriolis_form or 'christoffel'
        require_choice('coriolis_form', form, ['christoffel'])
        results['coriolis_matrix'] = coriolis_matrix(model, q, qd)
    for field, result in results.items():
        require_finite(field, result)  # velocities above 1e150 overflow
    response.joint_names = list(request.names)
    for field, result in results.items():
        setattr(response, field, double_array(request.as_requested(result)))


def get_inverse_dynamics(request: JointRequest, response: Any) -> None:
    """Handle GetInverseDynamics."""
    message, model = request.message, request.robot.model
    k = int(message.derivative_order)
    jet = request.jet(MOTION, k + 3)
    efforts = inverse_dynamics(model, jet, wrench_jets(message.wrenches, k))
    efforts = request.parameters.effort_format.convert(model, jet, efforts)[:, request.back]
    response.joint_names = list(request.names)
    for field, values in zip(EFFORTS, efforts, strict=False):
        setattr(response, field, double_array(values))
    response.effort_jet = double_array(efforts)


_STIFFNESS_ROWS = 3


def get_motor_feedforward(request: JointRequest, response: Any) -> str:
    """Handle GetMotorFeedforward; return a warning about limits."""
    robot, parameters = request.robot, request.parameters
    if robot.drives is None:
        raise NoModelError("no elastic joints: parameter 'drives_path' is empty")
    jet = _joint_jet(request)
    wrenches = wrench_jets(request.message.wrenches, len(jet) - 3)
    stiffness = _stiffness_jets(robot, request.message, len(jet))
    deflection = _deflections(request)
    motors = elastic_feedforward(
        robot, jet, wrenches, stiffness_jets=stiffness, deflection=deflection
    )
    mode, warning = parameters.check_limits, ''
    if mode != 'off':
        report = check_motor_commands(robot, jet[np.newaxis], [0.0], motors.as_batch(), stiffness)
        warning = response.message = limit_text(report, mode)
    effort_format, rows = parameters.effort_format, len(motors.motor_effort_jet)
    if not effort_format.trivial:
        sent = effort_format.convert(robot.model, jet[: rows + 2], motors.motor_effort_jet)
        motors = replace(motors, motor_effort_jet=sent)
    response.motor_feedforward = _message(motors, request)
    return warning


def _joint_jet(request: JointRequest) -> Array:
    """Return the motion of the request, with at least the rows that the motors require."""
    n = request.robot.n
    higher = request.higher_derivatives(f'(rows * {n},): derivatives 5 and up of {n} joints')
    jet = np.zeros((max(request.robot.required_rows, 5 + len(higher)), n))
    request.fill(jet)
    jet[5 : 5 + len(higher)] = higher
    return jet


def _stiffness_jets(robot: Robot, message: Any, rows: int) -> dict[str, Array] | None:
    names = list(message.stiffness_joint_names)
    variable = robot.motors.variable_names
    for i, name in enumerate(names):
        if name not in variable:
            raise UnknownNameError('joint of variable stiffness', name, variable)
        if name in names[:i]:
            raise InputError(f'stiffness_joint_names[{i}]: joint {name!r} is named twice')
    values = np.array(message.stiffness)
    if values.size != _STIFFNESS_ROWS * len(names):
        raise ShapeError(
            'stiffness',
            f'({_STIFFNESS_ROWS * len(names)},): the stiffness and two derivatives of '
            f'{len(names)} joints',
            values.shape,
        )
    jets = np.zeros((len(names), rows))
    jets[:, :_STIFFNESS_ROWS] = values.reshape(len(names), _STIFFNESS_ROWS)
    return dict(zip(names, jets, strict=True)) or None


def _deflections(request: JointRequest) -> dict[str, float] | None:
    if not len(request.message.deflection):
        return None
    row, robot = request.row('deflection'), request.robot
    damped = robot.motors.damped_names
    return {name: float(row[robot.joint_names.index(name)]) for name in damped} or None


def _message(motors: Motors, request: JointRequest) -> Any:
    """Return the message, with joints and motors in the order of the request."""
    robot, joints = request.robot, request.back
    table = robot.motors
    chosen = np.concatenate([np.flatnonzero(table.joint_of_motor == j) for j in joints])
    rows = {
        'gear_ratio': table.gear_ratios,
        'motor_position': motors.motor_position,
        'motor_velocity': motors.motor_velocity,
        'motor_acceleration': motors.motor_acceleration,
        'deflection': motors.deflection,
    }
    message = MotorFeedforward(
        joint_names=[robot.joint_names[j] for j in joints],
        motor_names=[table.names[i] for i in chosen],
        **{field: double_array(row[chosen]) for field, row in rows.items()},
    )
    for field, row in zip(EFFORTS, motors.effort_jet, strict=False):
        setattr(message, field, double_array(row[joints]))
    for field, row in zip(EFFORTS, motors.motor_effort_jet, strict=False):
        setattr(message, f'motor_{field}', double_array(row[chosen]))
    return message


# as Python, this order takes seconds
_MOST_DERIVATIVES = 20


def get_frame_motion(request: JointRequest, response: Any) -> None:
    """Handle GetFrameMotion."""
    message, robot, model = request.message, request.robot, request.robot.model
    if message.derivative_order > 0:
        require_tree(robot, 'derivative_order above 0')
    representation = require_choice(
        'representation', message.representation or 'body', REPRESENTATIONS
    )
    jet = request.jet(MOTION, int(message.derivative_order) + 2)
    pose = frame_pose(model, request.position, message.frame)
    if not is_tree(robot):
        jacobians = frame_jacobian(model, request.position, message.frame, representation)[None]
        twists = jacobians @ jet[1]
    else:
        twists = frame_twist(model, jet, message.frame, representation)
        jacobians = frame_jacobian_jet(request.robot.tree, jet[:-1], message.frame, representation)
    response.joint_names = list(request.names)
    response.pose = _pose_message(pose)
    response.twist_jet = double_array(twists)
    response.jacobian_jet = double_array(jacobians[..., request.back])


def _pose_message(pose: Array) -> Pose:
    message = Pose()
    place, turn = message.position, message.orientation
    place.x, place.y, place.z = pose[:3, 3].tolist()
    vector = log_so3(pose[:3, :3])
    half = float(np.linalg.norm(vector)) / 2.0
    turn.w = float(np.cos(half))
    # sin(half) / (2 half), which is 1 / 2 at 0
    turn.x, turn.y, turn.z = (0.5 * np.sinc(half / np.pi) * vector).tolist()
    return message


def get_forward_dynamics(request: JointRequest, response: Any) -> None:
    """Handle GetForwardDynamics: the way back of GetInverseDynamics."""
    message, robot = request.message, request.robot
    k = int(message.derivative_order)
    if k > _MOST_DERIVATIVES:
        raise InputError(f'derivative_order: expected 0 to {_MOST_DERIVATIVES}, got {k}')
    if k > 0 or message.wrenches:
        require_tree(robot, 'derivative_order above 0, or wrenches')
    effort_format, given = request.parameters.effort_format, request.jet(EFFORTS, k + 1)
    bodies: Any = robot.model
    model, efforts = effort_format.efforts_of_bodies(bodies, given)
    position, velocity = request.position, request.row('velocity')
    if not is_tree(robot):
        acceleration = forward_dynamics(model, position, velocity, efforts[0])
        jet = np.stack([position, velocity, acceleration])
    else:
        wrenches = wrench_jets(message.wrenches, k)
        jet = forward_dynamics_jet(model, position, velocity, efforts, wrenches)
    jet = jet[:, request.back]
    response.joint_names = list(request.names)
    for field, values in zip(MOTION[2:], jet[2:], strict=False):
        setattr(response, field, double_array(values))
    response.joint_jet = double_array(jet)

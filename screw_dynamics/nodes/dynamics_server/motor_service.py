# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Service handler for motor commands of elastic joints."""

from typing import Any

import numpy as np

from screw_dynamics.arrays import Array
from screw_dynamics.elastic import MotorFeedforward, elastic_feedforward
from screw_dynamics.errors import InputError, ShapeError, UnknownNameError
from screw_dynamics.feasibility.check import check_motor_commands
from screw_dynamics.messages.joints import double_array
from screw_dynamics.nodes.dynamics_server.requests import JointRequest, wrench_jets
from screw_dynamics.nodes.shared import interfaces
from screw_dynamics.nodes.shared.limit_checks import limit_text
from screw_dynamics.robot import Robot

_STIFFNESS_ROWS = 3


def get_motor_feedforward(
    check_limits: str, robot: Robot, request: JointRequest, response: Any
) -> None:
    """
    Handle GetMotorFeedforward for a robot with drives.

    Raises LimitError if a limit is exceeded in mode 'reject'.
    """
    assert robot.drives is not None
    jet = _joint_jet(robot, request)
    wrenches = wrench_jets(request.message.wrenches, len(jet) - 3)
    stiffness = _stiffness_jets(robot, request.message, len(jet))
    deflection = _deflections(robot, request)
    motors = elastic_feedforward(
        robot.model, robot.drives, jet, wrenches, stiffness_jets=stiffness, deflection=deflection
    )
    if check_limits != 'off':
        report = check_motor_commands(robot, jet[np.newaxis], [0.0], motors.as_batch(), stiffness)
        response.message = limit_text(report, check_limits)
    response.motor_feedforward = _message(motors, robot, request)


def _joint_jet(robot: Robot, request: JointRequest) -> Array:
    """Return the motion of the request, with at least the rows that the motors require."""
    n = robot.n
    higher = np.array(request.message.higher_derivatives)
    if n and higher.size % n:
        raise ShapeError(
            'higher_derivatives',
            f'(rows * {n},): derivatives 5 and up of {n} joints',
            higher.shape,
        )
    further = higher.reshape(-1, n)
    jet = np.zeros((max(robot.required_rows, 5 + len(further)), n))
    request.fill(jet)
    jet[5 : 5 + len(further)] = further[:, request.order]
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


def _deflections(robot: Robot, request: JointRequest) -> dict[str, float] | None:
    if not len(request.message.deflection):
        return None
    row = request.row('deflection')
    damped = robot.motors.damped_names
    return {name: float(row[robot.joint_names.index(name)]) for name in damped} or None


def _message(motors: MotorFeedforward, robot: Robot, request: JointRequest) -> Any:
    """Return the message, with joints and motors in the order of the request."""
    table, joints = robot.motors, request.back
    chosen = np.concatenate([np.flatnonzero(table.joint_of_motor == j) for j in joints])
    rows = {
        'gear_ratio': table.gear_ratios,
        'motor_position': motors.motor_position,
        'motor_velocity': motors.motor_velocity,
        'motor_acceleration': motors.motor_acceleration,
        'motor_effort': motors.motor_effort,
        'deflection': motors.deflection,
    }
    message = interfaces.msg.MotorFeedforward(
        joint_names=[robot.joint_names[j] for j in joints],
        motor_names=[table.names[i] for i in chosen],
        **{field: double_array(row[chosen]) for field, row in rows.items()},
    )
    efforts = zip(('effort', 'effort_dot', 'effort_ddot'), motors.effort_jet, strict=False)
    for field, row in efforts:
        setattr(message, field, double_array(row[joints]))
    return message

# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Handlers of the services for frames and forward dynamics; they raise ScrewDynamicsError."""

from typing import Any

import numpy as np
from geometry_msgs.msg import Pose

from screw_dynamics.arrays import Array
from screw_dynamics.dynamics import EffortFormat, forward_dynamics, forward_dynamics_jet
from screw_dynamics.errors import InputError
from screw_dynamics.kinematics import frame_jacobian, frame_jacobian_jet, frame_pose, frame_twist
from screw_dynamics.lie import log_so3
from screw_dynamics.messages.joints import double_array
from screw_dynamics.model.other_models import JointedModel
from screw_dynamics.model.records import REPRESENTATIONS
from screw_dynamics.nodes.dynamics_server.requests import (
    EFFORTS,
    MOTION,
    JointRequest,
    require_tree,
    wrench_jets,
)
from screw_dynamics.robot import Robot
from screw_dynamics.scalars import require_choice

# as Python, this order takes seconds
_MOST_DERIVATIVES = 20


def get_frame_motion(robot: Robot, request: JointRequest, response: Any) -> None:
    """Handle GetFrameMotion."""
    message, model = request.message, robot.model
    if message.derivative_order > 0:
        require_tree(robot, 'derivative_order above 0')
    representation = require_choice(
        'representation', message.representation or 'body', REPRESENTATIONS
    )
    jet = request.jet(MOTION, int(message.derivative_order) + 2)
    pose = frame_pose(model, request.position, message.frame)
    if isinstance(model, JointedModel):
        jacobians = frame_jacobian(model, request.position, message.frame, representation)[None]
        twists = jacobians @ jet[1]
    else:
        twists = frame_twist(model, jet, message.frame, representation)
        jacobians = frame_jacobian_jet(model, jet[:-1], message.frame, representation)
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


def get_forward_dynamics(
    effort_format: EffortFormat, robot: Robot, request: JointRequest, response: Any
) -> None:
    """Handle GetForwardDynamics: the way back of GetInverseDynamics."""
    message = request.message
    k = int(message.derivative_order)
    if k > _MOST_DERIVATIVES:
        raise InputError(f'derivative_order: expected 0 to {_MOST_DERIVATIVES}, got {k}')
    if k > 0 or message.wrenches:
        require_tree(robot, 'derivative_order above 0, or wrenches')
    model, efforts = effort_format.efforts_of_bodies(robot.model, request.jet(EFFORTS, k + 1))
    position, velocity = request.position, request.row('velocity')
    if isinstance(model, JointedModel):
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

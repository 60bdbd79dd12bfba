# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`answer`: the response to a request of any service, or the code and the text of an error."""

from collections.abc import Callable
from typing import Any

from screw_dynamics.control.limit_checks import check_positions
from screw_dynamics.drives.robot import Robot
from screw_dynamics.errors import ScrewDynamicsError
from screw_dynamics.nodes.dynamics_server import services
from screw_dynamics.nodes.dynamics_server.requests import (
    DynamicsServerParameters,
    JointRequest,
    NoModelError,
    error_code,
)
from screw_dynamics.nodes.dynamics_server.trajectory_services import (
    compute_trajectory_torques,
    retime_trajectory,
)
from screw_dynamics_interfaces import srv

OF_TRAJECTORIES: dict[type, Callable[..., str | None]] = {
    srv.ComputeTrajectoryTorques: compute_trajectory_torques,
    srv.RetimeTrajectory: retime_trajectory,
}
HANDLERS: dict[type, Callable[..., str | None]] = {
    srv.GetMassMatrix: services.get_mass_matrix,
    srv.GetDynamicTerms: services.get_dynamic_terms,
    srv.GetFrameMotion: services.get_frame_motion,
    srv.GetForwardDynamics: services.get_forward_dynamics,
    srv.GetInverseDynamics: services.get_inverse_dynamics,
    srv.GetMotorFeedforward: services.get_motor_feedforward,
    **OF_TRAJECTORIES,
}


def answer(
    robot: Robot | None,
    problem: str,
    parameters: DynamicsServerParameters,
    service: Any,
    request: Any,
) -> tuple[Any, str]:
    """Return the response of a service, and a warning; without a robot the problem is the text."""
    handler, response = HANDLERS[service], service.Response(success=True)
    try:
        if robot is None:
            raise NoModelError(f'no robot model: {problem}')
        if service in OF_TRAJECTORIES:
            return response, handler(robot, parameters, request, response) or ''
        read = JointRequest.read(robot, parameters, request)
        warning = check_positions(robot.model, read.position, parameters.check_limits)
        return response, handler(read, response) or warning
    except ScrewDynamicsError as error:
        return service.Response(error_code=error_code(error), message=str(error)), ''

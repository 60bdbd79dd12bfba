# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Node `dynamics_server`: dynamics and kinematics of a robot as services."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from rclpy.node import Node

from screw_dynamics.control.limit_checks import check_positions
from screw_dynamics.control.report import OK, Report
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
from screw_dynamics.nodes.shared.diagnostics import Diagnostics, ModelInfoOutput
from screw_dynamics.nodes.shared.executor import destroyed_on_error, run_node
from screw_dynamics.nodes.shared.loaded_robot import LoadedRobot, require_supported
from screw_dynamics.nodes.shared.model_build import warm_up_efforts
from screw_dynamics.nodes.shared.model_source import ModelSource
from screw_dynamics.nodes.shared.parameters import NodeParameters
from screw_dynamics_interfaces import srv

NAME = 'dynamics_server'

Handler = Callable[[Robot, DynamicsServerParameters, Any, Any], str | None]
OF_TRAJECTORIES: tuple[Handler, ...] = compute_trajectory_torques, retime_trajectory
HANDLERS: dict[type, Handler] = {
    srv.GetMassMatrix: services.get_mass_matrix,
    srv.GetDynamicTerms: services.get_dynamic_terms,
    srv.GetFrameMotion: services.get_frame_motion,
    srv.GetForwardDynamics: services.get_forward_dynamics,
    srv.GetInverseDynamics: services.get_inverse_dynamics,
    srv.GetMotorFeedforward: services.get_motor_feedforward,
    srv.ComputeTrajectoryTorques: compute_trajectory_torques,
    srv.RetimeTrajectory: retime_trajectory,
}


class DynamicsServerNode(Node):
    """Answers requests about inverse and forward dynamics, matrices and frames of a robot."""

    def __init__(self) -> None:
        super().__init__(NAME)
        with destroyed_on_error(self):
            self._settings = NodeParameters(self, DynamicsServerParameters)
            self._answered = self._failed = 0
            self._last_failure = ''
            self._ready = False
            self._names: list[str] = []
            self._model_info = ModelInfoOutput(self)
            self._source = ModelSource(
                self,
                self._settings,
                lambda loaded: warm_up_efforts(loaded.robot),
                self._on_model,
                self._require_supported,
            )
            for kind, handler in HANDLERS.items():
                name = f'~/{handler.__name__}'
                self.create_service(kind, name, partial(self._answer, handler, kind))
                self._names.append(self.resolve_service_name(name))
            tasks = {'requests': self._requests_report}
            self._diagnostics = Diagnostics(self, self._settings, self._source, tasks)

    def _answer(self, handler: Handler, service: Any, request: Any, response: Any) -> Any:
        """Return the response filled in by a handler, or an empty one with the error."""
        try:
            if self._source.loaded is None:
                raise NoModelError(f'no robot model: {self._source.problem}')
            robot = self._source.loaded.robot
            if handler not in OF_TRAJECTORIES:
                request = self._with_position(robot, request)
            self._warn(handler(robot, self._settings.values, request, response))
        except ScrewDynamicsError as error:
            response = service.Response(error_code=error_code(error), message=str(error))
            self._failed += 1
            self._last_failure = str(error)
            return response
        self._answered += 1
        response.success = True
        return response

    def _with_position(self, robot: Robot, message: Any) -> JointRequest:
        """Read a request and check its positions."""
        request = JointRequest.read(message, robot.joint_names)
        mode = self._settings.values.check_limits
        self._warn(check_positions(robot.model, request.position, mode))
        return request

    def _warn(self, text: str | None) -> None:
        if text:
            self.get_logger().warning(text, throttle_duration_sec=1.0)

    def _require_supported(self, loaded: LoadedRobot) -> None:
        require_supported(loaded.robot, np.inf)
        self._settings.values.require_joints(loaded.robot)

    def _on_model(self, loaded: LoadedRobot) -> None:
        self._model_info.publish(loaded)
        if not self._ready:
            self._ready = True
            self.get_logger().info(f'Ready: answers on {", ".join(self._names)}')

    def _requests_report(self) -> Report:
        message = f'last failure: {self._last_failure}' if self._failed else 'ok'
        return Report(OK, message, {'answered': self._answered, 'failed': self._failed})


main = partial(run_node, DynamicsServerNode, NAME, parameters=DynamicsServerParameters)

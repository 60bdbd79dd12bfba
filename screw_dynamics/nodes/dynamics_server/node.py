# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Node `dynamics_server`: dynamics and kinematics of a robot as services."""

from collections.abc import Callable
from functools import partial
from typing import Any

from screw_dynamics.control.limit_checks import check_positions
from screw_dynamics.control.report import OK, Report
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
from screw_dynamics.nodes.shared.executor import run_node
from screw_dynamics.nodes.shared.loaded_robot import LoadedRobot
from screw_dynamics.nodes.shared.robot_node import RobotNode
from screw_dynamics_interfaces import srv

NAME = 'dynamics_server'

Handler = Callable[..., str | None]
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


class DynamicsServerNode(RobotNode[DynamicsServerParameters]):
    """Answers requests about inverse and forward dynamics, matrices and frames of a robot."""

    _tells_model = True

    def __init__(self) -> None:
        self._answered = self._failed = 0
        self._last_failure = ''
        super().__init__(NAME, DynamicsServerParameters)

    def _set_up(self) -> dict[str, Callable[[], Report]]:
        for kind, handler in HANDLERS.items():
            name = f'~/{handler.__name__}'
            self.create_service(kind, name, partial(self._answer, handler, kind))
        return {'requests': self._requests_report}

    def _answer(self, handler: Handler, service: Any, request: Any, response: Any) -> Any:
        """Return the response filled in by a handler, or an empty one with the error."""
        try:
            if self._source.loaded is None:
                raise NoModelError(f'no robot model: {self._source.problem}')
            robot, values = self._source.loaded.robot, self._values
            if handler in OF_TRAJECTORIES:
                self._warn(handler(robot, values, request, response))
            else:
                read = JointRequest.read(robot, values, request)
                self._warn(check_positions(robot.model, read.position, values.check_limits))
                self._warn(handler(read, response))
        except ScrewDynamicsError as error:
            response = service.Response(error_code=error_code(error), message=str(error))
            self._failed += 1
            self._last_failure = str(error)
            return response
        self._answered += 1
        response.success = True
        return response

    def _warn(self, text: str | None) -> None:
        if text:
            self.get_logger().warning(text, throttle_duration_sec=1.0)

    def _require(self, loaded: LoadedRobot) -> None:
        super()._require(loaded)
        self._values.require_joints(loaded.robot)

    def _on_model(self, loaded: LoadedRobot) -> None:
        names = (self.resolve_service_name(f'~/{one.__name__}') for one in HANDLERS.values())
        self.get_logger().info(f'Ready: answers on {", ".join(names)}')

    def _requests_report(self) -> Report:
        message = f'last failure: {self._last_failure}' if self._failed else 'ok'
        return Report(OK, message, {'answered': self._answered, 'failed': self._failed})


main = partial(run_node, DynamicsServerNode, NAME, parameters=DynamicsServerParameters)

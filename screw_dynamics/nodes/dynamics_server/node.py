# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Node `dynamics_server`: dynamics and kinematics of a robot as services."""

from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any

import numpy as np
from rclpy.node import Node

from screw_dynamics.control.limit_checks import check_positions
from screw_dynamics.control.report import OK, Report
from screw_dynamics.dynamics import (
    EffortFormat,
    bias_forces,
    coriolis_matrix,
    forward_dynamics,
    gravity_forces,
    mass_matrix,
)
from screw_dynamics.errors import ScrewDynamicsError, SingularMassMatrixError
from screw_dynamics.jit import BackgroundCompiler, uncompiled
from screw_dynamics.kinematics import frame_jacobian_jet, frame_pose, frame_twist
from screw_dynamics.nodes.dynamics_server import services, trajectory_services
from screw_dynamics.nodes.dynamics_server.requests import (
    DynamicsServerParameters,
    JointRequest,
    NoModelError,
    error_code,
)
from screw_dynamics.nodes.shared.diagnostics import Diagnostics, ModelInfoOutput
from screw_dynamics.nodes.shared.executor import destroyed_on_error, run_node
from screw_dynamics.nodes.shared.loaded_robot import LoadedRobot, require_supported
from screw_dynamics.nodes.shared.model_build import compile_efforts
from screw_dynamics.nodes.shared.model_source import ModelSource
from screw_dynamics.nodes.shared.parameters import NodeParameters
from screw_dynamics.robot import Robot
from screw_dynamics_interfaces import srv

NAME = 'dynamics_server'

Answer = Callable[[Robot, Any, Any], None]


def compile_services(loaded: LoadedRobot) -> None:
    """Compile all kernels that requests use."""
    model = loaded.robot.model
    compile_efforts(loaded.robot)
    zeros = np.zeros(model.n)
    mass_matrix(model, zeros)
    gravity_forces(model, zeros)
    bias_forces(model, zeros, zeros)
    frame_pose(model, zeros, model.base_link)
    if loaded.segments is None:
        _compile_tree_services(loaded)
    with suppress(SingularMassMatrixError):
        forward_dynamics(model, zeros, zeros, zeros)


def _compile_tree_services(loaded: LoadedRobot) -> None:
    """Compile the kernels that only rigid robots have."""
    model = loaded.robot.model
    zeros = np.zeros(model.n)
    coriolis_matrix(model, zeros, zeros)
    for of_motion in (frame_twist, frame_jacobian_jet):
        of_motion(model, np.zeros((2, model.n)), model.base_link)


class DynamicsServerNode(Node):
    """Answers requests about inverse and forward dynamics, matrices and frames of a robot."""

    def __init__(self) -> None:
        super().__init__(NAME)
        with destroyed_on_error(self):
            self._settings = NodeParameters(self, DynamicsServerParameters)
            self._answered = self._failed = 0
            self._last_failure = ''
            self._background = BackgroundCompiler()
            self._ready = False
            self._names: list[str] = []
            self._model_info = ModelInfoOutput(self)
            self._source = ModelSource(
                self,
                self._settings,
                compile_services,
                self._on_model,
                self._require_supported,
            )
            positioned = self._with_position
            for service, name, answer in (
                (srv.GetMassMatrix, 'get_mass_matrix', positioned(services.get_mass_matrix)),
                (srv.GetDynamicTerms, 'get_dynamic_terms', positioned(services.get_dynamic_terms)),
                (
                    srv.GetFrameMotion,
                    'get_frame_motion',
                    positioned(services.get_frame_motion),
                ),
                (
                    srv.GetForwardDynamics,
                    'get_forward_dynamics',
                    positioned(self._with_format(services.get_forward_dynamics)),
                ),
                (
                    srv.GetInverseDynamics,
                    'get_inverse_dynamics',
                    positioned(self._with_format(services.get_inverse_dynamics)),
                ),
                (
                    srv.ComputeTrajectoryTorques,
                    'compute_trajectory_torques',
                    self._compute_trajectory_torques,
                ),
                (srv.RetimeTrajectory, 'retime_trajectory', self._retime_trajectory),
                (srv.GetMotorFeedforward, 'get_motor_feedforward', self._get_motor_feedforward),
            ):
                self.create_service(service, f'~/{name}', partial(self._answer, answer, service))
                self._names.append(self.resolve_service_name(f'~/{name}'))
            tasks = {'requests': self._requests_report}
            self._diagnostics = Diagnostics(self, self._settings, self._source, tasks)

    def _answer(self, answer: Answer, service: Any, request: Any, response: Any) -> Any:
        """Return the response filled in by `answer`, or an empty one with the error."""
        try:
            if self._source.loaded is None:
                raise NoModelError(f'no robot model: {self._source.problem}')
            robot = self._source.loaded.robot
            # an order that is requested for the first time is compiled in the background
            with uncompiled() as postponed:
                answer(robot, request, response)
            self._background.compile(postponed.kernels)
        except ScrewDynamicsError as error:
            response = service.Response(error_code=error_code(error), message=str(error))
            self._failed += 1
            self._last_failure = str(error)
            return response
        self._answered += 1
        response.success = True
        return response

    def _with_position(self, answer: Callable[[Robot, JointRequest, Any], None]) -> Answer:
        """Return a handler that reads the request once and checks its positions."""

        def checked(robot: Robot, message: Any, response: Any) -> None:
            request = JointRequest.read(message, robot.joint_names)
            mode = self._settings.values.check_limits
            self._warn(check_positions(robot.model, request.position, mode))
            answer(robot, request, response)

        return checked

    def _warn(self, text: str) -> None:
        if text:
            self.get_logger().warning(text, throttle_duration_sec=1.0)

    def _compute_trajectory_torques(self, robot: Robot, request: Any, response: Any) -> None:
        settings = self._settings.values
        trajectory_services.compute_trajectory_torques(robot, settings, request, response)
        self._warn(response.message)

    def _retime_trajectory(self, robot: Robot, request: Any, response: Any) -> None:
        trajectory_services.retime_trajectory(robot, self._settings.values, request, response)

    def _require_supported(self, loaded: LoadedRobot) -> None:
        require_supported(loaded.robot, np.inf)
        self._settings.values.require_joints(loaded.robot)

    def _with_format(
        self, answer: Callable[[EffortFormat, Robot, JointRequest, Any], None]
    ) -> Callable[[Robot, JointRequest, Any], None]:
        """Return a handler that gets the present format of the efforts."""
        return lambda robot, request, response: answer(
            self._settings.values.effort_format, robot, request, response
        )

    def _get_motor_feedforward(self, robot: Robot, request: Any, response: Any) -> None:
        if robot.drives is None:
            raise NoModelError("no elastic joints: parameter 'elastic_joints_path' is empty")
        handler = partial(services.get_motor_feedforward, self._settings.values)
        self._with_position(handler)(robot, request, response)
        self._warn(response.message)

    def _on_model(self, loaded: LoadedRobot) -> None:
        self._model_info.publish(loaded)
        if not self._ready:
            self._ready = True
            self.get_logger().info(f'Ready: answers on {", ".join(self._names)}')

    def _requests_report(self) -> Report:
        message = f'last failure: {self._last_failure}' if self._failed else 'ok'
        return Report(OK, message, {'answered': self._answered, 'failed': self._failed})


main = partial(run_node, DynamicsServerNode, NAME, parameters=DynamicsServerParameters)

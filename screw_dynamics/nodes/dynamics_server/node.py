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
from screw_dynamics.dynamics import (
    EffortFormat,
)
from screw_dynamics.errors import InputError, ScrewDynamicsError
from screw_dynamics.nodes.dynamics_server import motion_services, services, trajectory_services
from screw_dynamics.nodes.dynamics_server.parameters import DynamicsServerParameters
from screw_dynamics.nodes.dynamics_server.requests import JointRequest, NoModelError, error_code
from screw_dynamics.nodes.shared import interfaces
from screw_dynamics.nodes.shared.diagnostics import Diagnostics, ModelInfoOutput, model_report
from screw_dynamics.nodes.shared.executor import destroyed_on_error
from screw_dynamics.nodes.shared.loaded_robot import LoadedRobot, require_supported
from screw_dynamics.nodes.shared.model_build import warm_up_efforts
from screw_dynamics.nodes.shared.model_source import ModelSource
from screw_dynamics.nodes.shared.parameters import NodeParameters
from screw_dynamics.robot import Robot

NAME = 'dynamics_server'

Answer = Callable[[Robot, Any, Any], None]


class DynamicsServerNode(Node):
    """Service server for the dynamics of one robot; returns NO_MODEL until a model is loaded."""

    def __init__(self) -> None:
        super().__init__(NAME)
        with destroyed_on_error(self):
            self._settings = NodeParameters(self, DynamicsServerParameters)
            if interfaces.srv is None:
                raise InputError(f'{NAME} has nothing to offer: {interfaces.MISSING}')
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
            self._settings.add_check(self._source.check_settings)
            self._settings.on_change(self._on_parameters)
            srv, positioned = interfaces.srv, self._with_position
            for service, name, answer in (
                (srv.GetMassMatrix, 'get_mass_matrix', positioned(services.get_mass_matrix)),
                (srv.GetDynamicTerms, 'get_dynamic_terms', positioned(services.get_dynamic_terms)),
                (
                    srv.GetFrameMotion,
                    'get_frame_motion',
                    positioned(motion_services.get_frame_motion),
                ),
                (
                    srv.GetForwardDynamics,
                    'get_forward_dynamics',
                    positioned(self._with_format(motion_services.get_forward_dynamics)),
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
            self._diagnostics = Diagnostics(
                self,
                {'model': lambda: model_report(self._source), 'requests': self._requests_report},
                self._settings,
            )

    def _answer(self, answer: Answer, service: Any, request: Any, response: Any) -> Any:
        """Return the response filled in by `answer`, or an empty one with the error."""
        try:
            if self._source.loaded is None:
                raise NoModelError(f'no robot model: {self._source.problem}')
            robot = self._source.loaded.robot
            answer(robot, request, response)
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

    def _on_parameters(self, old: DynamicsServerParameters, new: DynamicsServerParameters) -> None:
        if old.model_settings != new.model_settings:
            self._source.apply_settings()

    def _requests_report(self) -> Report:
        message = f'last failure: {self._last_failure}' if self._failed else 'ok'
        return Report(OK, message, {'answered': self._answered, 'failed': self._failed})

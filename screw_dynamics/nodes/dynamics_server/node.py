# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Node `dynamics_server`: dynamics and kinematics of a robot as services."""

from collections.abc import Callable
from functools import partial
from typing import Any

from screw_dynamics.control.report import OK, Report
from screw_dynamics.nodes.dynamics_server.answers import HANDLERS, answer
from screw_dynamics.nodes.dynamics_server.requests import DynamicsServerParameters
from screw_dynamics.nodes.shared.executor import run_node
from screw_dynamics.nodes.shared.loaded_robot import LoadedRobot
from screw_dynamics.nodes.shared.robot_node import RobotNode

NAME = 'dynamics_server'


class DynamicsServerNode(RobotNode[DynamicsServerParameters]):
    """Answers requests about inverse and forward dynamics, matrices and frames of a robot."""

    _tells_model = True

    def __init__(self) -> None:
        self._answered = self._failed = 0
        self._last_failure = ''
        super().__init__(NAME, DynamicsServerParameters)

    def _set_up(self) -> dict[str, Callable[[], Report]]:
        for service, handler in HANDLERS.items():
            name = f'~/{handler.__name__}'
            self.create_service(service, name, partial(self._answer, service))
        return {'requests': self._requests_report}

    def _answer(self, service: Any, request: Any, _: Any) -> Any:
        loaded, problem = self._source.loaded, self._source.problem
        robot = None if loaded is None else loaded.robot
        response, warning = answer(robot, problem, self._values, service, request)
        if warning:
            self.get_logger().warning(warning, throttle_duration_sec=1.0)
        self._answered += response.success
        if not response.success:
            self._failed += 1
            self._last_failure = response.message
        return response

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

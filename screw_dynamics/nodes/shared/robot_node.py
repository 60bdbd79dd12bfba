# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`RobotNode`: what all nodes with a robot model have in common."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import Any, Generic

import numpy as np
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
from rclpy.node import Node

from screw_dynamics import __version__
from screw_dynamics.control.report import Report
from screw_dynamics.drives.robot import Robot
from screw_dynamics.nodes.shared.endpoints import LATCHED, steady_timer
from screw_dynamics.nodes.shared.executor import destroyed_on_error
from screw_dynamics.nodes.shared.loaded_robot import (
    LoadedRobot,
    require_supported,
    warm_up_efforts,
)
from screw_dynamics.nodes.shared.model_source import ROBOT, ModelSource
from screw_dynamics.nodes.shared.parameters import NodeParameters, Values
from screw_dynamics.recordings.messages.joints import double_array
from screw_dynamics_interfaces.msg import ModelInfo


class RobotNode(Node, ABC, Generic[Values]):
    """
    A node with parameters, a robot model, and reports on /diagnostics as by diagnostic_updater.

    Subclasses override `_set_up` to `_on_parameters`, which are called after their own attributes
    are set; those with `_tells_model` have the topic ``~/model_info``.
    """

    _tells_model = False

    def __init__(self, name: str, record: type[Values]) -> None:
        super().__init__(name)
        with destroyed_on_error(self):
            settings = self._settings = NodeParameters(self, record)
            if self._tells_model:
                self._model_info = self.create_publisher(ModelInfo, '~/model_info', LATCHED)
            tasks = self._set_up()
            self._source = ModelSource(
                self, settings, self._prepare, self._use, self._require, self._check_load
            )
            self._tasks = {'model': self._source.report, **tasks}
            settings.add_check(self._check)
            settings.on_change(self._on_parameters)
            self._diagnostics = self.create_publisher(DiagnosticArray, '/diagnostics', 1)
            self._start_to_report()
            settings.on_change(self._on_period)

    @abstractmethod
    def _set_up(self) -> Mapping[str, Callable[[], Report]]:
        """Create the endpoints; return the reports of the node by name."""

    @property
    def _values(self) -> Values:
        return self._settings.values

    def _now(self) -> int:
        """Return the time of the node [ns]."""
        now: int = self.get_clock().now().nanoseconds
        return now

    def _require(self, loaded: LoadedRobot) -> Any:
        """Raise ScrewDynamicsError if the node cannot use a model."""
        require_supported(loaded.robot, np.inf)

    def _check_load(self, robot: Robot) -> None:
        """Raise ScrewDynamicsError if a robot with another payload would stop or drop the arm."""

    def _prepare(self, loaded: LoadedRobot) -> None:
        """Compute once what callbacks will compute, in a thread of its own."""
        warm_up_efforts(loaded.robot)

    def _use(self, loaded: LoadedRobot) -> None:
        if self._tells_model:
            self._model_info.publish(model_info(loaded))
        self._on_model(loaded)

    @abstractmethod
    def _on_model(self, loaded: LoadedRobot) -> None:
        """Use a model."""

    def _check(self, values: Values) -> None:
        """Raise ScrewDynamicsError to reject changed parameters."""

    def _on_parameters(self, old: Values, new: Values) -> None:
        """Apply changed parameters."""

    def _start_to_report(self) -> None:
        self._report_timer = steady_timer(self, self._values.diagnostics_period, self._report_all)

    def _on_period(self, old: Values, new: Values) -> None:
        if old.diagnostics_period != new.diagnostics_period:
            self.destroy_timer(self._report_timer)
            self._start_to_report()

    def _report_all(self) -> None:
        message = DiagnosticArray()
        message.header.stamp = self.get_clock().now().to_msg()
        reports = {name: task() for name, task in self._tasks.items()}
        robot = str(reports['model'].values.get(ROBOT, 'none'))
        message.status = [status(self, *item, robot) for item in reports.items()]
        self._diagnostics.publish(message)


def status(node: Node, name: str, report: Report, robot: str = 'none') -> DiagnosticStatus:
    """Return a report of a node, and of the robot that it has, as a message."""
    return DiagnosticStatus(
        level=report.level,
        name=f'{node.get_fully_qualified_name().lstrip("/")}: {name}',
        message=report.message,
        hardware_id=robot,
        values=[KeyValue(key=key, value=str(value)) for key, value in report.values.items()],
    )


def model_info(loaded: LoadedRobot) -> ModelInfo:
    """Return a model as a message."""
    model = loaded.robot.model
    return ModelInfo(
        joint_names=list(model.joint_names),
        joint_types=list(model.coordinate_types),
        effort_limits=double_array(model.limits.effort),
        base_link=model.base_link,
        gravity=model.gravity,
        urdf_sha256=loaded.sha256,
        package_version=__version__,
    )

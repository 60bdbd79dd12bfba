# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Reports of nodes: DiagnosticArray on /diagnostics, and the model in use on ``~/model_info``."""

from collections.abc import Callable, Mapping
from typing import Any

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
from rclpy.node import Node

from screw_dynamics import __version__
from screw_dynamics.control.model_parameters import ModelParameters
from screw_dynamics.control.report import Report
from screw_dynamics.nodes.shared.endpoints import LATCHED, steady_timer
from screw_dynamics.nodes.shared.loaded_robot import LoadedRobot
from screw_dynamics.nodes.shared.model_source import ROBOT, ModelSource
from screw_dynamics.nodes.shared.parameters import NodeParameters
from screw_dynamics.recordings.messages.joints import double_array
from screw_dynamics_interfaces.msg import ModelInfo


def status(node: Node, name: str, report: Report, robot: str = 'none') -> DiagnosticStatus:
    """Return a report of a node, and of the robot that it has, as a message."""
    return DiagnosticStatus(
        level=report.level,
        name=f'{node.get_fully_qualified_name().lstrip("/")}: {name}',
        message=report.message,
        hardware_id=robot,
        values=[KeyValue(key=key, value=str(value)) for key, value in report.values.items()],
    )


class Diagnostics:
    """Publishes the reports on model and tasks periodically, like diagnostic_updater."""

    def __init__(
        self,
        node: Node,
        settings: NodeParameters[Any],
        source: ModelSource,
        tasks: Mapping[str, Callable[[], Report]],
    ) -> None:
        self._node, self._tasks = node, {'model': source.report, **tasks}
        self._publisher = node.create_publisher(DiagnosticArray, '/diagnostics', 1)
        self._start(settings.values.diagnostics_period)
        settings.on_change(self._on_parameters)

    def _start(self, period: float) -> None:
        self._timer = steady_timer(self._node, period, self._publish)

    def _on_parameters(self, old: ModelParameters, new: ModelParameters) -> None:
        if old.diagnostics_period != new.diagnostics_period:
            self._node.destroy_timer(self._timer)
            self._start(new.diagnostics_period)

    def _publish(self) -> None:
        """Publish the reports of all tasks."""
        message = DiagnosticArray()
        message.header.stamp = self._node.get_clock().now().to_msg()
        reports = {name: task() for name, task in self._tasks.items()}
        robot = str(reports['model'].values.get(ROBOT, 'none'))
        message.status = [status(self._node, *item, robot) for item in reports.items()]
        self._publisher.publish(message)


class ModelInfoOutput:
    """Publishes ModelInfo once per model."""

    def __init__(self, node: Node) -> None:
        self._publisher = node.create_publisher(ModelInfo, '~/model_info', LATCHED)

    def publish(self, loaded: LoadedRobot) -> None:
        """Publish a model."""
        model = loaded.robot.model
        message = ModelInfo(
            joint_names=list(model.joint_names),
            joint_types=list(model.coordinate_types),
            effort_limits=double_array(model.limits.effort),
            base_link=model.base_link,
            gravity=model.gravity,
            urdf_sha256=loaded.sha256,
            package_version=__version__,
        )
        self._publisher.publish(message)

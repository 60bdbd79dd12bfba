# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Reports and models of nodes as messages."""

from diagnostic_msgs.msg import DiagnosticStatus, KeyValue
from rclpy.node import Node

from screw_dynamics import __version__
from screw_dynamics.control.report import Report
from screw_dynamics.nodes.shared.loaded_robot import LoadedRobot
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

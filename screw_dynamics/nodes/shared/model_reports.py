# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Reports of the model in use: ``~/model_info`` and a diagnostic task."""

from __future__ import annotations

from typing import Any

from rclpy.node import Node

import screw_dynamics
from screw_dynamics.messages.fields import double_array
from screw_dynamics.nodes.shared import interfaces
from screw_dynamics.nodes.shared.diagnostics import OK, WARN, Report
from screw_dynamics.nodes.shared.endpoints import LATCHED
from screw_dynamics.nodes.shared.loaded_robot import LoadedRobot
from screw_dynamics.nodes.shared.model_source import ModelSource


def model_info(loaded: LoadedRobot) -> Any:
    """Return the ModelInfo message of a model."""
    model = loaded.robot.model
    return interfaces.msg.ModelInfo(
        joint_names=list(model.joint_names),
        joint_types=list(model.coordinate_types),
        effort_limits=double_array(model.limits.effort),
        base_link=model.base_link,
        gravity=model.gravity,
        urdf_sha256=loaded.sha256,
        package_version=screw_dynamics.__version__,
    )


class ModelInfoOutput:
    """Publishes ModelInfo once per model; does nothing if the message type is not built."""

    def __init__(self, node: Node) -> None:
        self._publisher = None
        if interfaces.msg is not None:
            self._publisher = node.create_publisher(
                interfaces.msg.ModelInfo,
                '~/model_info',
                LATCHED,
            )

    def publish(self, loaded: LoadedRobot) -> None:
        """Publish a model."""
        if self._publisher is not None:
            self._publisher.publish(model_info(loaded))


def model_report(source: ModelSource) -> Report:
    """Return a report; WARN if there is no model, or a new one was rejected."""
    if source.loaded is None:
        return Report(WARN, source.problem)
    model = source.loaded.robot.model
    return Report(
        WARN if source.problem and not source.busy else OK,
        source.problem or 'loaded',
        {
            'source': source.loaded.source,
            'robot': model.name,
            'joints': ', '.join(model.joint_names),
            'base_link': model.base_link,
            'urdf_sha256': source.loaded.sha256,
        },
    )

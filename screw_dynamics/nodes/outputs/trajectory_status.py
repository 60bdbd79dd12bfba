# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""``~/trajectory_status``: acceptance or rejection of every trajectory, for its sender."""

from __future__ import annotations

from collections.abc import Mapping

from diagnostic_msgs.msg import DiagnosticStatus, KeyValue
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile

from screw_dynamics.nodes.endpoints import DEPTH

NAME = 'trajectory_status'
# late subscribers still receive the newest statuses
QOS = QoSProfile(depth=DEPTH, durability=DurabilityPolicy.TRANSIENT_LOCAL)
ACCEPTED = 'accepted'
FRAME_ID = 'header.frame_id'


class TrajectoryStatusOutput:
    """
    Publishes one DiagnosticStatus per trajectory.

    The level is OK or WARN (accepted, with a warning) or ERROR (rejected); the message is
    'accepted' and the warnings, or the reason. The values identify the trajectory: its
    header.frame_id, which the sender may choose freely, stamp, points, start and end.
    """

    def __init__(self, node: Node) -> None:
        self._node = node
        self._publisher = node.create_publisher(DiagnosticStatus, f'~/{NAME}', QOS)

    def publish(self, level: bytes, message: str, values: Mapping[str, object]) -> None:
        """Publish a status; the values are printed with str()."""
        self._publisher.publish(
            DiagnosticStatus(
                level=level,
                name=f'{self._node.get_fully_qualified_name().lstrip("/")}: trajectory',
                message=message,
                hardware_id='none',
                values=[KeyValue(key=key, value=str(value)) for key, value in values.items()],
            )
        )

    def destroy(self) -> None:
        """Destroy the publisher."""
        self._node.destroy_publisher(self._publisher)

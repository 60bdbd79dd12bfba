# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`StateOutput`: publisher of a JointState that is filled in place."""

from __future__ import annotations

from collections.abc import Sequence

from rclpy.node import Node
from sensor_msgs.msg import JointState

from screw_dynamics.arrays import Array
from screw_dynamics.messages.fields import field_view
from screw_dynamics.messages.times import set_stamp
from screw_dynamics.nodes.shared.endpoints import MessageOutput

_FIELDS = ('position', 'velocity', 'effort')


class StateOutput(MessageOutput):
    """Publishes position, velocity and effort of named joints or motors."""

    def __init__(self, node: Node, topic: str, names: Sequence[str]) -> None:
        super().__init__(node, JointState(name=list(names)), topic)
        self._views = [field_view(self._message, field, len(names)) for field in _FIELDS]

    def publish(self, time: int, state: tuple[Array, Array, Array]) -> None:
        """Publish position, velocity and effort with a stamp [ns]."""
        set_stamp(self._message.header.stamp, time)
        for view, values in zip(self._views, state, strict=True):
            view[:] = values
        self._publisher.publish(self._message)

# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`StateOutput`: a JointState that is made once and filled in place."""

from __future__ import annotations

from collections.abc import Sequence

from rclpy.node import Node
from rclpy.qos_overriding_options import QoSOverridingOptions
from sensor_msgs.msg import JointState

from screw_dynamics.arrays import Array
from screw_dynamics.nodes.conversions import field_view, set_stamp

_FIELDS = ('position', 'velocity', 'effort')


class StateOutput:
    """
    Publishes position, velocity and effort of named joints or motors.

    Parameters
    ----------
    node : Node
    topic : str
    names : sequence of str

    """

    def __init__(self, node: Node, topic: str, names: Sequence[str]) -> None:
        self._node, self._message = node, JointState(name=list(names))
        self._views = [field_view(self._message, field, len(names)) for field in _FIELDS]
        self._publisher = node.create_publisher(
            JointState,
            topic,
            10,
            qos_overriding_options=QoSOverridingOptions.with_default_policies(),
        )

    def publish(self, time: int, state: tuple[Array, Array, Array]) -> None:
        """
        Publish a state.

        Parameters
        ----------
        time : int
            [ns].
        state : tuple of three ndarray
            Position, velocity and effort.

        """
        set_stamp(self._message.header.stamp, time)
        for view, values in zip(self._views, state, strict=True):
            view[:] = values
        self._publisher.publish(self._message)

    def destroy(self) -> None:
        """Destroy the publisher."""
        self._node.destroy_publisher(self._publisher)

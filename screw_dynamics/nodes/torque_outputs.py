# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The messages that carry a torque sample; each is made once and filled in place per tick."""

from __future__ import annotations

from typing import Any, Protocol

from rclpy.node import Node
from rclpy.qos_overriding_options import QoSOverridingOptions
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray, MultiArrayDimension

from screw_dynamics.arrays import Array
from screw_dynamics.nodes import interfaces
from screw_dynamics.nodes.conversions import field_view, set_stamp
from screw_dynamics.nodes.reference import Reference, Source

_DEPTH = 10


class TorqueOutput(Protocol):
    """Something that publishes torque samples."""

    def publish(self, time: int, source: Source) -> None:
        """
        Publish what the shared arrays hold.

        Parameters
        ----------
        time : int
            Instant that the values belong to [ns].
        source : Source

        """

    def destroy(self) -> None:
        """Destroy the publisher."""


class _Output:
    """A publisher, its one message, and the rows that are copied into it."""

    def __init__(self, node: Node, message: Any, topic: str) -> None:
        self._node, self._message = node, message
        self._publisher = node.create_publisher(
            type(message),
            topic,
            _DEPTH,
            qos_overriding_options=QoSOverridingOptions.with_default_policies(),
        )
        self._copies: list[tuple[Array, Array]] = []

    def _carry(self, owner: Any, field: str, row: Array) -> None:
        """Have a field of the message filled from a row of the sample."""
        self._copies.append((field_view(owner, field, len(row)), row))

    def _send(self) -> None:
        for view, row in self._copies:
            view[:] = row
        self._publisher.publish(self._message)

    def destroy(self) -> None:
        """Destroy the publisher."""
        self._node.destroy_publisher(self._publisher)


class FeedforwardTorqueOutput(_Output):
    """
    ``~/feedforward``: effort, its derivatives and the reference used.

    Parameters
    ----------
    node : Node
    joint_names : tuple of str
    jet : (5, n) ndarray
        Shared array of the reference.
    tau : (k + 1, n) ndarray
        Shared array of the efforts.
    reference : Reference

    """

    def __init__(
        self,
        node: Node,
        joint_names: tuple[str, ...],
        jet: Array,
        tau: Array,
        reference: Reference,
    ) -> None:
        message = interfaces.msg.FeedforwardTorque(joint_names=list(joint_names))
        super().__init__(node, message, '~/feedforward')
        self._reference = reference
        for field, row in zip(('effort', 'effort_dot', 'effort_ddot'), tau, strict=False):
            self._carry(message, field, row)
        for field, row in zip(('positions', 'velocities', 'accelerations'), jet, strict=False):
            self._carry(message.reference, field, row)
        self._carry(message, 'reference_jerk', jet[3])
        self._carry(message, 'reference_snap', jet[4])

    def publish(self, time: int, source: Source) -> None:
        """Publish; see `TorqueOutput`."""
        message = self._message
        set_stamp(message.header.stamp, time)
        set_stamp(message.reference.time_from_start, round(1e9 * self._reference.time_from_start))
        message.reference_continuity = self._reference.continuity
        message.source = int(source)
        self._send()


class JointEffortOutput(_Output):
    """
    ``~/joint_effort``: position and velocity of the reference, effort; for tools that plot.

    Parameters
    ----------
    node : Node
    joint_names : tuple of str
    jet : (5, n) ndarray
    tau : (k + 1, n) ndarray

    """

    def __init__(self, node: Node, joint_names: tuple[str, ...], jet: Array, tau: Array) -> None:
        message = JointState(name=list(joint_names))
        super().__init__(node, message, '~/joint_effort')
        self._carry(message, 'position', jet[0])
        self._carry(message, 'velocity', jet[1])
        self._carry(message, 'effort', tau[0])

    def publish(self, time: int, source: Source) -> None:
        """Publish; see `TorqueOutput`."""
        set_stamp(self._message.header.stamp, time)
        self._send()


class CommandsOutput(_Output):
    """
    ``~/commands``: the effort alone, as effort controllers take it.

    Parameters
    ----------
    node : Node
    joint_names : tuple of str
    tau : (k + 1, n) ndarray

    """

    def __init__(self, node: Node, joint_names: tuple[str, ...], tau: Array) -> None:
        n = len(joint_names)
        message = Float64MultiArray()
        message.layout.dim = [MultiArrayDimension(label='joints', size=n, stride=n)]
        super().__init__(node, message, '~/commands')
        self._carry(message, 'data', tau[0])

    def publish(self, time: int, source: Source) -> None:
        """Publish; see `TorqueOutput`."""
        self._send()

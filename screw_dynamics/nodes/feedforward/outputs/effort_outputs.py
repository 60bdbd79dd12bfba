# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Messages with an effort sample, created once and filled in place per tick."""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

import numpy as np
from rclpy.node import Node
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray, MultiArrayDimension

from screw_dynamics.arrays import Array
from screw_dynamics.messages.fields import field_view
from screw_dynamics.messages.times import set_stamp
from screw_dynamics.nodes.feedforward.outputs.trajectory_effort_output import (
    TrajectoryEffortOutput,
)
from screw_dynamics.nodes.feedforward.parameters import FeedforwardParameters
from screw_dynamics.nodes.shared import interfaces
from screw_dynamics.nodes.shared.endpoints import make_publisher
from screw_dynamics.reference.reference import Source
from screw_dynamics.trajectory import JET_ROWS

LEAST_ROWS = 3  # efforts require accelerations


class TorqueSample(NamedTuple):
    """
    Metadata of the sample in the shared arrays.

    `instant` and `time_from_start` (0 for a stream) are in ns. The positions of the reference are
    C^continuity. `rows` is the number of known rows of the reference: 3 (to acceleration), 4 or 5
    (to snap); the effort has the derivatives that they allow.
    """

    instant: int
    source: Source
    continuity: int
    time_from_start: int = 0
    rows: int = JET_ROWS


class TorqueOutput(Protocol):
    """Publisher of effort samples."""

    def publish(self, sample: TorqueSample) -> None:
        """Publish the sample in the shared arrays."""

    def destroy(self) -> None:
        """Destroy the publisher."""


class MessageOutput:
    """A publisher, its reused message, and the rows that are copied into it."""

    def __init__(self, node: Node, message: Any, topic: str) -> None:
        self._node, self._message = node, message
        self._publisher = make_publisher(node, type(message), topic)
        self._copies: list[tuple[Array, Array]] = []

    def _carry(self, owner: Any, field: str, row: Array) -> None:
        """Copy a row of the sample to a field of every message."""
        self._copies.append((field_view(owner, field, len(row)), row))

    def _send(self) -> None:
        for view, row in self._copies:
            view[:] = row
        self._publisher.publish(self._message)

    def destroy(self) -> None:
        """Destroy the publisher."""
        self._node.destroy_publisher(self._publisher)


class FeedforwardTorqueOutput(MessageOutput):
    """
    ``~/feedforward``: effort, its derivatives and the reference used.

    `jet` (5, n) and `tau` (k + 1, n) are the shared arrays of the reference and the efforts.
    """

    def __init__(self, node: Node, joint_names: tuple[str, ...], jet: Array, tau: Array) -> None:
        messages = {
            rows: interfaces.msg.FeedforwardTorque(joint_names=list(joint_names))
            for rows in range(LEAST_ROWS, JET_ROWS + 1)
        }
        super().__init__(node, messages[JET_ROWS], '~/feedforward')
        self._variants = {}
        for rows, message in messages.items():
            self._copies = []
            known = zip(('effort', 'effort_dot', 'effort_ddot'), tau[: rows - 2], strict=False)
            for field, row in known:
                self._carry(message, field, row)
            for field, row in zip(('positions', 'velocities', 'accelerations'), jet, strict=False):
                self._carry(message.reference, field, row)
            for field, row in zip(('reference_jerk', 'reference_snap'), jet[3:rows], strict=False):
                self._carry(message, field, row)
            self._variants[rows] = message, self._copies

    def publish(self, sample: TorqueSample) -> None:
        """Publish; see `TorqueOutput`."""
        message, self._copies = self._variants[sample.rows]
        self._message = message
        set_stamp(message.header.stamp, sample.instant)
        set_stamp(message.reference.time_from_start, sample.time_from_start)
        message.reference_continuity = sample.continuity
        message.source = int(sample.source)
        self._send()


class JointEffortOutput(MessageOutput):
    """
    ``~/joint_effort``: effort with position and velocity of the reference, for plotting tools.

    `jet` (5, n) and `tau` (k + 1, n) are the shared arrays of the reference and the efforts.
    """

    def __init__(self, node: Node, joint_names: tuple[str, ...], jet: Array, tau: Array) -> None:
        message = JointState(name=list(joint_names))
        super().__init__(node, message, '~/joint_effort')
        self._carry(message, 'position', jet[0])
        self._carry(message, 'velocity', jet[1])
        self._carry(message, 'effort', tau[0])

    def publish(self, sample: TorqueSample) -> None:
        """Publish; see `TorqueOutput`."""
        set_stamp(self._message.header.stamp, sample.instant)
        self._send()


class CommandsOutput(MessageOutput):
    """``~/commands``: row 0 of the shared array `tau` (k + 1, n), for effort controllers."""

    def __init__(self, node: Node, joint_names: tuple[str, ...], tau: Array) -> None:
        n = len(joint_names)
        message = Float64MultiArray()
        message.layout.dim = [MultiArrayDimension(label='joints', size=n, stride=n)]
        super().__init__(node, message, '~/commands')
        self._carry(message, 'data', tau[0])

    def publish(self, sample: TorqueSample) -> None:
        """Publish; see `TorqueOutput`."""
        self._send()


class TorquePublishers:
    """
    The outputs selected by parameters, and their shared array of efforts.

    `jet` (5, n) is the shared array of the reference.
    """

    def __init__(
        self,
        node: Node,
        joint_names: tuple[str, ...],
        jet: Array,
        parameters: FeedforwardParameters,
    ) -> None:
        order = parameters.derivative_order
        tau = np.zeros((order + 1, len(joint_names)))
        self._arrays = {}
        for rows in range(LEAST_ROWS, JET_ROWS + 1):
            known = min(order, rows - LEAST_ROWS)
            self._arrays[rows] = jet[: known + LEAST_ROWS], tau[: known + 1]
        self._outputs: list[TorqueOutput] = []
        self.trajectory: TrajectoryEffortOutput | None = None
        if interfaces.msg is not None:
            self._outputs.append(FeedforwardTorqueOutput(node, joint_names, jet, tau))
        if parameters.publish_joint_state:
            self._outputs.append(JointEffortOutput(node, joint_names, jet, tau))
        if parameters.publish_commands and parameters.commands_content == 'link_efforts':
            self._outputs.append(CommandsOutput(node, joint_names, tau))
        if parameters.publish_trajectory_effort:
            self.trajectory = TrajectoryEffortOutput(node)

    @staticmethod
    def differ(old: FeedforwardParameters, new: FeedforwardParameters) -> bool:
        """Return True if changed parameters require other publishers."""
        names = (
            'derivative_order',
            'publish_joint_state',
            'publish_commands',
            'commands_content',
            'publish_trajectory_effort',
        )
        return any(getattr(old, name) != getattr(new, name) for name in names)

    def arrays(self, rows: int) -> tuple[Array, Array]:
        """
        Return the parts of the shared arrays to compute with: `jet` (k + 3, n), `tau` (k + 1, n).

        `rows` is the number of known rows of the reference: 3, 4 or 5.
        """
        return self._arrays[rows]

    def publish(self, sample: TorqueSample) -> None:
        """Publish the sample in the shared arrays."""
        for output in self._outputs:
            output.publish(sample)

    def destroy(self) -> None:
        """Destroy the publishers."""
        for output in self._outputs:
            output.destroy()
        self._outputs.clear()
        if self.trajectory is not None:
            self.trajectory.destroy()
            self.trajectory = None

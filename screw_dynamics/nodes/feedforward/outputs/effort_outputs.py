# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Publishers of efforts; messages of ticks are created once and filled in place."""

from typing import NamedTuple

import numpy as np
from rclpy.node import Node
from rclpy.publisher import Publisher
from sensor_msgs.msg import JointState
from trajectory_msgs.msg import JointTrajectory

from screw_dynamics.arrays import Array
from screw_dynamics.control.guards import EffortGuard
from screw_dynamics.errors import InputError
from screw_dynamics.model import ScrewModel
from screw_dynamics.nodes.feedforward.parameters import FeedforwardParameters
from screw_dynamics.nodes.shared import interfaces
from screw_dynamics.nodes.shared.endpoints import STATE_FIELDS, MessageOutput, make_publisher
from screw_dynamics.nodes.shared.reused_message import STAMP, ReusedMessage
from screw_dynamics.reference.reference import Source
from screw_dynamics.trajectory import JET_ROWS

LEAST_ROWS = 3  # efforts require accelerations


_EFFORTS = ('effort', 'effort_dot', 'effort_ddot')
_MOTIONS = tuple(f'reference.{name}' for name in ('positions', 'velocities', 'accelerations'))
_HIGHER = ('reference_jerk', 'reference_snap')
_TIMES = (*STAMP, 'reference.time_from_start')
NUMBERS = ('reference_continuity', 'source')


class EffortSample(NamedTuple):
    """Metadata of the sample in the shared arrays."""

    instant: int  # [ns]
    source: Source
    continuity: int  # the positions of the reference are C^continuity
    time_from_start: int = 0  # [ns], 0 for a stream
    rows: int = JET_ROWS  # known ones of the reference, at least `LEAST_ROWS`
    continues: bool = False  # its trajectory continues the reference before it
    first: bool = False  # of its trajectory


class FeedforwardOutput(MessageOutput):
    """``~/feedforward``: the shared arrays of the reference (5, n) and the efforts (k + 1, n)."""

    def __init__(self, node: Node, joint_names: tuple[str, ...], jet: Array, tau: Array) -> None:
        super().__init__(node, interfaces.msg.FeedforwardTorque, '~/feedforward')
        self._variants = {}
        for rows in range(LEAST_ROWS, JET_ROWS + 1):
            message = interfaces.msg.FeedforwardTorque(joint_names=list(joint_names))
            known, higher = min(len(tau), rows - 2), rows - LEAST_ROWS
            carried = {
                _EFFORTS[:known]: tau[:known],
                _MOTIONS: jet[:LEAST_ROWS],
                _HIGHER[:higher]: jet[LEAST_ROWS:rows],
            }
            self._variants[rows] = ReusedMessage(message, carried, _TIMES, NUMBERS)

    def publish(self, sample: EffortSample) -> None:
        """Publish the sample in the shared arrays."""
        times = sample.instant, sample.time_from_start
        numbers = sample.continuity, sample.source
        self._publisher.publish(self._variants[sample.rows].written(times, numbers))


class JointEffortOutput(MessageOutput):
    """``~/joint_effort``: effort, position and velocity of the reference, for plotting tools."""

    def __init__(self, node: Node, joint_names: tuple[str, ...], jet: Array, tau: Array) -> None:
        super().__init__(node, JointState, '~/joint_effort')
        carried = {STATE_FIELDS[:2]: jet[:2], STATE_FIELDS[2:]: tau[:1]}
        message = JointState(name=list(joint_names))
        self._message = ReusedMessage(message, carried, STAMP)

    def publish(self, sample: EffortSample) -> None:
        """Publish the sample in the shared arrays."""
        self._publisher.publish(self._message.written((sample.instant,)))


class _Arrays(NamedTuple):
    """Parts of the shared arrays for a number of known rows of the reference."""

    jet: Array  # (k + 3, n)
    tau: Array  # (k + 1, n)
    sent_jet: Array  # (s + 3, n), s <= k
    sent_tau: Array  # (s + 1, n)
    sent: Array  # (s + 1, n), as the robot takes them
    work: Array  # (2, s + 1, n)


class EffortPublishers:
    """
    The outputs selected by parameters, for the shared array `jet` (5, n) of the reference.

    `guard` tells whether efforts need rates that are not published.
    """

    def __init__(
        self, node: Node, guard: EffortGuard, jet: Array, parameters: FeedforwardParameters
    ) -> None:
        self._node, order = node, parameters.derivative_order
        robot = guard.robot
        self._format, joint_names = parameters.effort_format, robot.joint_names
        rows_sent = max(order, 1 if parameters.needs_rates else 0) + 1
        most = max(rows_sent - 1, 1 if guard.needs_rates else 0)
        tau = np.zeros((most + 1, robot.n))
        sent = tau[:rows_sent] if self._format.trivial else np.zeros((rows_sent, robot.n))
        self._arrays = {}
        for rows in range(LEAST_ROWS, JET_ROWS + 1):
            k, s = (min(known, rows - LEAST_ROWS) for known in (most, rows_sent - 1))
            self._arrays[rows] = _Arrays(
                jet[: k + LEAST_ROWS],
                tau[: k + 1],
                jet[: s + LEAST_ROWS],
                tau[: s + 1],
                sent[: s + 1],
                np.zeros((2, s + 1, robot.n)),
            )
        self._outputs: list[FeedforwardOutput | JointEffortOutput] = []
        self.trajectory: Publisher | None = None
        if interfaces.msg is not None:
            self._outputs.append(FeedforwardOutput(node, joint_names, jet, sent[: order + 1]))
        if parameters.publish_joint_state:
            self._outputs.append(JointEffortOutput(node, joint_names, jet, sent))
        if parameters.publish_trajectory_effort:
            self.trajectory = make_publisher(node, JointTrajectory, TOPIC)

    @staticmethod
    def differ(old: FeedforwardParameters, new: FeedforwardParameters) -> bool:
        """Return True if changed parameters require other publishers."""
        names = 'derivative_order', 'publish_joint_state', 'publish_trajectory_effort'
        return any(getattr(old, name) != getattr(new, name) for name in names)

    def arrays(self, rows: int) -> tuple[Array, Array]:
        """Return the parts `jet` (k + 3, n), `tau` (k + 1, n) for a number of known rows."""
        return self._arrays[rows][:2]

    def publish(self, sample: EffortSample, model: ScrewModel) -> Array:
        """Publish and return the efforts of the sample (k + 1, n) as the robot takes them."""
        arrays = self._arrays[sample.rows]
        if not self._format.trivial:
            self._format.convert(
                model, arrays.sent_jet, arrays.sent_tau, out=arrays.sent, work=arrays.work
            )
        for output in self._outputs:
            output.publish(sample)
        return arrays.sent

    def destroy(self) -> None:
        """Destroy the publishers."""
        for output in self._outputs:
            output.destroy()
        self._outputs.clear()
        if self.trajectory is not None:
            self._node.destroy_publisher(self.trajectory)
            self.trajectory = None


TOPIC = '~/joint_trajectory_effort'
INPUT = '~/joint_trajectory'


def require_two_topics(node: Node, parameters: FeedforwardParameters) -> None:
    """Raise InputError if the node would receive the trajectories that it publishes."""
    topic = node.resolve_topic_name(TOPIC)
    if parameters.publish_trajectory_effort and topic == node.resolve_topic_name(INPUT):
        raise InputError(
            f"parameter 'publish_trajectory_effort': expected two topics, got {topic} for both "
            f'{INPUT} and {TOPIC}: the node would receive what it publishes'
        )

# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Messages and reports of nodes under random input."""

from __future__ import annotations

import numpy as np
from diagnostic_msgs.msg import DiagnosticArray
from rclpy.node import Node
from rclpy.qos import QoSProfile
from std_msgs.msg import Float64MultiArray

from screw_dynamics.common.times import nanoseconds
from screw_dynamics_interfaces.msg import FeedforwardTorque

STREAMS = ('joint_reference', 'joint_state_reference', 'external_wrench')
COUNTERS = ('accepted', 'rejected', 'ignored', 'ignored for a newer command')


class Heard:
    """The outputs of `feedforward` and the diagnostics of both nodes."""

    def __init__(self, node: Node, qos: QoSProfile) -> None:
        self.samples = self.not_finite = 0
        self.last: FeedforwardTorque | None = None
        self.steady = 0  # samples in a row that agree on the start: the speed is 1
        self.counts = (0, 0)  # trajectories accepted, rejected
        self.rejection = ''
        self.models: dict[str, str] = {}  # sha256 of the description by status
        self.streamed: dict[str, int] = {}  # samples accepted, ignored or rejected by topic
        node.create_subscription(FeedforwardTorque, '/feedforward/feedforward', self._torque, qos)
        node.create_subscription(Float64MultiArray, '/feedforward/commands', self._commands, qos)
        node.create_subscription(DiagnosticArray, '/diagnostics', self._diagnostics, 10)

    def _torque(self, message: FeedforwardTorque) -> None:
        self.samples += 1
        same = self.last is not None and abs(start_of(message) - start_of(self.last)) <= 2
        self.steady = self.steady + 1 if same else 0
        self.last = message
        point = message.reference
        rows = (message.effort, message.effort_dot, message.effort_ddot, point.positions,
                point.velocities, point.accelerations, message.reference_jerk,
                message.reference_snap)  # fmt: skip
        self.not_finite += not all(np.isfinite(row).all() for row in rows)

    def _commands(self, message: Float64MultiArray) -> None:
        self.not_finite += not np.isfinite(message.data).all()

    def _diagnostics(self, message: DiagnosticArray) -> None:
        for status in message.status:
            values = {item.key: item.value for item in status.values}
            node, _, task = status.name.partition(': ')
            if task == 'model':
                self.models[node] = values.get('urdf_sha256', '')
            elif task == 'trajectory':
                self.counts = int(values['accepted']), int(values['rejected'])
                self.rejection = status.message
            elif task in STREAMS:
                self.streamed[task] = sum(int(values.get(key, 0)) for key in COUNTERS)


def start_of(sample: FeedforwardTorque) -> int:
    """Return the instant at which the motion of a sample has begun, rounded twice [ns]."""
    return nanoseconds(sample.header.stamp) - nanoseconds(sample.reference.time_from_start)

# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Messages of the node `drive_commands`: samples in, arrays of commands out."""

from typing import Any

import numpy as np
from rclpy.node import Node
from std_msgs.msg import Float64MultiArray, MultiArrayDimension

from screw_dynamics.common.arrays import Array
from screw_dynamics.common.times import nanoseconds, seconds
from screw_dynamics.control.drive_records import FeedforwardSample, MotorSample
from screw_dynamics.errors import InputError
from screw_dynamics.nodes.shared.endpoints import MessageOutput, ReusedMessage, await_delivery
from screw_dynamics_interfaces.msg import FeedforwardTorque


def feedforward_sample(message: Any) -> FeedforwardSample:
    """Return a FeedforwardTorque as a record, or raise InputError."""
    n, point = len(message.joint_names), message.reference
    rows = [point.positions, point.velocities, point.accelerations]
    if len(message.reference_jerk):
        rows.append(message.reference_jerk)
    jet = np.stack([_row('reference', row, n) for row in rows])
    kind = FeedforwardTorque
    return FeedforwardSample(
        nanoseconds(message.header.stamp),
        int(message.motion),
        seconds(point.time_from_start) if message.source == kind.SOURCE_TRAJECTORY else np.inf,
        jet,
        _row('effort', message.effort, n),
        _optional('effort_dot', message.effort_dot, n),
        _optional('gravity_effort', message.gravity_effort, n),
        message.source == kind.SOURCE_MEASURED,
    )


def motor_sample(message: Any) -> MotorSample:
    """Return a MotorFeedforward as a record, or raise InputError."""
    m = len(message.motor_names)
    names = 'motor_position', 'motor_velocity', 'motor_acceleration'
    ratios = _row('gear_ratio', message.gear_ratio, m)
    if not (np.abs(ratios) > 0.0).all():
        raise InputError(f'gear_ratio: expected numbers other than 0, got {list(ratios)}')
    return MotorSample(
        nanoseconds(message.header.stamp),
        int(message.motion),
        np.stack([_row(name, getattr(message, name), m) for name in names]),
        _row('motor_effort', message.motor_effort, m),
        _row('deflection', message.deflection, m),
        ratios,
        _optional('motor_effort_dot', message.motor_effort_dot, m),
    )


def _row(name: str, values: Any, count: int) -> Array:
    if len(values) != count:
        raise InputError(f'{name}: expected {count} values, got {len(values)}')
    return np.frombuffer(values) if count else np.zeros(0)


def _optional(name: str, values: Any, count: int) -> Array | None:
    return _row(name, values, count) if len(values) else None


class RowsOutput(MessageOutput):
    """A topic with rows of fields (f, m); `label` names the m entries."""

    def __init__(self, node: Node, topic: str, label: str, rows: Array) -> None:
        f, m = rows.shape
        message = Float64MultiArray()
        message.layout.dim = [MultiArrayDimension(label=label, size=m, stride=m)]
        if f > 1:
            message.layout.dim.insert(0, MultiArrayDimension(label='fields', size=f, stride=f * m))
        super().__init__(node, Float64MultiArray, topic)
        self._rows = rows
        self._message = ReusedMessage(message, {('data',): rows.reshape(1, -1)})

    def send(self) -> None:
        """Publish the rows."""
        self._publisher.publish(self._message.written())

    def end(self, latest: float) -> None:
        """Destroy the publisher when the last command is received, or at a monotonic time [s]."""
        await_delivery(self._publisher, latest)
        self.destroy()

# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Messages with motor commands, created once and filled in place per tick."""

from __future__ import annotations

from rclpy.node import Node
from std_msgs.msg import Float64MultiArray, MultiArrayDimension

from screw_dynamics.elastic import MotorFeedforward
from screw_dynamics.messages.fields import double_array, field_view
from screw_dynamics.messages.times import set_stamp
from screw_dynamics.nodes.feedforward.outputs.effort_outputs import MessageOutput, TorqueSample
from screw_dynamics.nodes.shared import interfaces

_EFFORTS = ('effort', 'effort_dot', 'effort_ddot')
_MOTIONS = ('motor_position', 'motor_velocity', 'motor_acceleration')


class MotorFeedforwardOutput(MessageOutput):
    """
    ``~/motor_feedforward``: motion and effort of the motors, and efforts on the links.

    `variants` maps the number of known rows of the reference to the shared arrays.
    """

    def __init__(
        self,
        node: Node,
        joint_names: tuple[str, ...],
        variants: dict[int, MotorFeedforward],
    ) -> None:
        self._variants = {}
        messages = {
            rows: interfaces.msg.MotorFeedforward(
                joint_names=list(joint_names),
                motor_names=list(motors.motor_names),
                gear_ratio=double_array(motors.gear_ratios),
            )
            for rows, motors in variants.items()
        }
        super().__init__(node, next(iter(messages.values())), '~/motor_feedforward')
        for rows, motors in variants.items():
            self._copies = []
            for fields, jet in ((_EFFORTS, motors.effort_jet), (_MOTIONS, motors.motor_jet)):
                for field, row in zip(fields, jet, strict=False):
                    self._carry(messages[rows], field, row)
            self._carry(messages[rows], 'motor_effort', motors.motor_effort)
            self._carry(messages[rows], 'deflection', motors.deflection)
            self._variants[rows] = messages[rows], self._copies

    def publish(self, sample: TorqueSample, rows: int) -> None:
        """Publish the arrays computed from this number of rows of the reference."""
        self._message, self._copies = self._variants[rows]
        set_stamp(self._message.header.stamp, sample.instant)
        self._message.reference_continuity = sample.continuity
        self._message.source = int(sample.source)
        self._send()


class MotorCommandsOutput(MessageOutput):
    """``~/commands``: efforts of the motors, on the joint side of the gear."""

    def __init__(self, node: Node, variants: dict[int, MotorFeedforward]) -> None:
        m = len(next(iter(variants.values())).motor_names)
        message = Float64MultiArray()
        message.layout.dim = [MultiArrayDimension(label='motors', size=m, stride=m)]
        super().__init__(node, message, '~/commands')
        view = field_view(message, 'data', m)
        self._variants = {rows: [(view, motors.motor_effort)] for rows, motors in variants.items()}

    def publish(self, sample: TorqueSample, rows: int) -> None:
        """Publish; see `MotorFeedforwardOutput.publish`."""
        self._copies = self._variants[rows]
        self._send()

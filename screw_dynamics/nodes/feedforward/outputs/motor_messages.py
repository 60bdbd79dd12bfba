# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Messages of the motors, and the side of the gear on which they count."""

import numpy as np
from rclpy.node import Node
from sensor_msgs.msg import JointState

from screw_dynamics.arrays import Array
from screw_dynamics.elastic import MotorFeedforward
from screw_dynamics.messages.joints import double_array
from screw_dynamics.nodes.feedforward.outputs.effort_outputs import NUMBERS, EffortSample
from screw_dynamics.nodes.feedforward.parameters import FeedforwardParameters
from screw_dynamics.nodes.shared import interfaces
from screw_dynamics.nodes.shared.endpoints import STATE_FIELDS, MessageOutput
from screw_dynamics.nodes.shared.reused_message import STAMP, ReusedMessage
from screw_dynamics.robot import Robot

_EFFORTS = ('effort', 'effort_dot', 'effort_ddot')
_MOTOR_EFFORTS = ('motor_effort', 'motor_effort_dot', 'motor_effort_ddot')
_MOTIONS = ('motor_position', 'motor_velocity', 'motor_acceleration')


class MotorFeedforwardOutput(MessageOutput):
    """``~/motor_feedforward``; `variants` are the shared arrays by known rows of the reference."""

    def __init__(
        self, node: Node, joint_names: tuple[str, ...], variants: dict[int, MotorFeedforward]
    ) -> None:
        kind = interfaces.msg.MotorFeedforward
        super().__init__(node, kind, '~/motor_feedforward')
        self._variants = {}
        for rows, motors in variants.items():
            message = kind(
                joint_names=list(joint_names),
                motor_names=list(motors.motor_names),
                gear_ratio=double_array(motors.gear_ratios),
            )
            carried = {
                fields[: len(jet)]: jet[: len(fields)]
                for fields, jet in (
                    (_EFFORTS, motors.effort_jet),
                    (_MOTIONS, motors.motor_jet),
                    (_MOTOR_EFFORTS, motors.motor_effort_jet),
                    (('deflection',), motors.deflection_jet),
                )
            }
            self._variants[rows] = ReusedMessage(message, carried, STAMP, NUMBERS)

    def publish(self, sample: EffortSample, rows: int) -> None:
        """Publish the arrays computed from this number of rows of the reference."""
        numbers = sample.continuity, sample.source
        self._publisher.publish(self._variants[rows].written((sample.instant,), numbers))


class GearSide:
    """
    Converts values of motors from the joint side of the gear to that on which they are sent.

    `ratios` (m,) are those of the gears, None if values are sent as they are; `offsets` of
    efforts are in the unit that is sent.
    """

    def __init__(self, ratios: Array | None, offsets: Array) -> None:
        self._ratios, self._offsets = ratios, offsets

    @classmethod
    def of_motors(cls, robot: Robot, parameters: FeedforwardParameters) -> 'GearSide':
        """Return the side that the parameters name."""
        rotor = parameters.motor_side == 'rotor'
        return cls(robot.motors.gear_ratios if rotor else None, parameters.effort_format.offsets)

    def motion(self, values: Array, out: Array) -> None:
        """Write positions or velocities (m,) to `out`."""
        np.multiply(values, 1.0 if self._ratios is None else self._ratios, out=out)

    def effort(self, values: Array, out: Array) -> None:
        """Write efforts (m,), as the robot takes them, to `out`."""
        if self._ratios is None:
            out[:] = values
            return
        np.subtract(values, self._offsets, out=out)
        np.divide(out, self._ratios, out=out)
        np.add(out, self._offsets, out=out)


class MotorStateOutput(MessageOutput):
    """``~/motor_effort``: effort, position and velocity of the motors, for drivers and tools."""

    def __init__(self, node: Node, side: GearSide, variants: dict[int, MotorFeedforward]) -> None:
        self._side, self._variants = side, variants
        names = next(iter(variants.values())).motor_names
        super().__init__(node, JointState, '~/motor_effort')
        self._rows = np.zeros((3, len(names)))
        message = JointState(name=list(names))
        self._message = ReusedMessage(message, {STATE_FIELDS: self._rows}, STAMP)

    def publish(self, sample: EffortSample, rows: int) -> None:
        """Publish the arrays computed from this number of rows of the reference."""
        motors = self._variants[rows]
        for d in range(2):
            self._side.motion(motors.motor_jet[d], self._rows[d])
        self._side.effort(motors.motor_effort_jet[0], self._rows[2])
        self._publisher.publish(self._message.written((sample.instant,)))

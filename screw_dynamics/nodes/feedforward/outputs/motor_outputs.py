# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Commands to the motors at each tick, and their publishers."""

from collections.abc import Mapping

import numpy as np
from rclpy.node import Node
from std_msgs.msg import Float64MultiArray, MultiArrayDimension

from screw_dynamics.arrays import Array
from screw_dynamics.elastic import (
    DeflectionFilter,
    MotorFeedforward,
    feedforward_from_efforts,
    link_efforts,
)
from screw_dynamics.elastic.springs import AdjustableSpring
from screw_dynamics.errors import ScrewDynamicsError
from screw_dynamics.messages.joints import double_array, field_view
from screw_dynamics.messages.times import set_stamp
from screw_dynamics.nodes.feedforward.outputs.effort_outputs import EffortSample
from screw_dynamics.nodes.feedforward.outputs.limits import LimitGuard
from screw_dynamics.nodes.feedforward.outputs.stiffness_transition import StiffnessTransition
from screw_dynamics.nodes.feedforward.parameters import FeedforwardParameters
from screw_dynamics.nodes.shared import interfaces
from screw_dynamics.nodes.shared.diagnostics import OK, WARN, Report
from screw_dynamics.nodes.shared.endpoints import MessageOutput
from screw_dynamics.reference.reference import Source
from screw_dynamics.robot import Robot
from screw_dynamics.trajectory import JET_ROWS

_EFFORTS = ('effort', 'effort_dot', 'effort_ddot')
_MOTOR_EFFORTS = ('motor_effort', 'motor_effort_dot', 'motor_effort_ddot')
_MOTIONS = ('motor_position', 'motor_velocity', 'motor_acceleration')


class MotorFeedforwardOutput(MessageOutput):
    """``~/motor_feedforward``; `variants` are the shared arrays by known rows of the reference."""

    def __init__(
        self, node: Node, joint_names: tuple[str, ...], variants: dict[int, MotorFeedforward]
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
            for fields, jet in (
                (_EFFORTS, motors.effort_jet),
                (_MOTIONS, motors.motor_jet),
                (_MOTOR_EFFORTS, motors.motor_effort_jet),
            ):
                for field, row in zip(fields, jet, strict=False):
                    self._carry(messages[rows], field, row)
            self._carry(messages[rows], 'deflection', motors.deflection)
            self._variants[rows] = messages[rows], self._copies

    def publish(self, sample: EffortSample, rows: int) -> None:
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

    def publish(self, sample: EffortSample, rows: int) -> None:
        """Publish; see `MotorFeedforwardOutput.publish`."""
        self._copies = self._variants[rows]
        self._send()


class MotorPipeline:
    """
    Motor commands for the reference in the shared array `jet` (5, n), and their publishers.

    Commands are not published, with one warning per interruption, if they cannot be computed (too
    few derivatives, or an effort that a spring cannot transmit) or are beyond a limit, see
    `LimitGuard`.
    """

    def __init__(
        self, node: Node, robot: Robot, jet: Array, parameters: FeedforwardParameters
    ) -> None:
        assert robot.drives is not None
        self._node, self._jet, self._drives = node, jet, robot.drives
        self._least = robot.required_rows
        # a joint with a damper in parallel requires one derivative less
        counts = sorted({self._least, JET_ROWS})
        self.stiffness = StiffnessTransition(
            {
                name: spring
                for name in robot.motors.variable_names
                if isinstance(spring := robot.drives.joints[name].spring, AdjustableSpring)
            }
        )
        self.stiffness.check(parameters.stiffness)
        self._rows = self._origin = 0
        self._problem = ''
        self._start: Mapping[str, float] | None = None
        self._filters: dict[int, DeflectionFilter | None] = {}
        self._motors = {rows: robot.drives.buffers(robot.model, rows) for rows in counts}
        self._guard = LimitGuard(robot, node.get_logger().warning)
        self._published = self._failed = 0
        self._outputs: list[MotorFeedforwardOutput | MotorCommandsOutput] = []
        self._with_commands = False
        if interfaces.msg is not None:
            self._outputs.append(MotorFeedforwardOutput(node, robot.joint_names, self._motors))
        self.set_robot(robot)
        self.apply(parameters)

    def apply(self, parameters: FeedforwardParameters) -> None:
        """Apply the parameters of ~/commands and of the stiffness."""
        self.stiffness.set_target(parameters.stiffness, parameters.stiffness_transition)
        wanted = parameters.publish_commands and parameters.commands_content == 'motor_efforts'
        if wanted and not self._with_commands:
            self._outputs.append(MotorCommandsOutput(self._node, self._motors))
        elif self._with_commands and not wanted:
            self._outputs.pop().destroy()
        self._with_commands = wanted

    def set_robot(self, robot: Robot) -> None:
        """Continue with another model that has the same joints."""
        self._model = robot.model
        self._start = self._deflections()
        damped = bool(robot.motors.damped_names)
        self._filters = {
            rows: DeflectionFilter(robot.model, self._drives, rows) if damped else None
            for rows in self._motors
        }
        self._rows = 0

    def forget(self) -> None:
        """Reset; at the next sample damped joints start quasi-steady."""
        self._rows = self._origin = 0
        self._start = None
        self._problem = ''
        self._guard.forget()

    @property
    def stopped(self) -> bool:
        """True if no motor commands are published for the current motion."""
        return bool(self._problem or self._guard.reason)

    def publish(
        self, sample: EffortSample, wrenches: Mapping[str, Array], efforts: Array | None = None
    ) -> MotorFeedforward | None:
        """
        Publish the motor commands of the sample; return them even if a limit prevents that.

        `wrenches` (6,) act ON the links, by frame; `efforts` (k + 1, n) are those under the
        wrenches, if known. The result, in shared arrays, is None if it cannot be computed.
        """
        self._guard.follow(sample.source)
        if sample.rows < self._least:
            self._fail(
                f'expected references with derivatives up to order {self._least - 1}, got them '
                f'up to order {sample.rows - 1}'
            )
            return None
        rows = JET_ROWS if sample.rows == JET_ROWS else self._least
        try:
            self._compute(sample, rows, wrenches, efforts)
        except ScrewDynamicsError as error:
            self._fail(str(error))
            if sample.source is Source.TRAJECTORY and self._jet[1].any():
                self._guard.stop(str(error))  # resuming in motion would be a jump
            return None
        motors = self._motors[rows]
        stopped = self.stopped
        self._problem = ''
        if not self._guard.passes(motors):
            self._failed += 1
            return motors
        if stopped:
            self._node.get_logger().info('Motor commands are published again')
        self._published += 1
        for output in self._outputs:
            output.publish(sample, rows)
        return motors

    def _compute(
        self, sample: EffortSample, rows: int, wrenches: Mapping[str, Array], efforts: Array | None
    ) -> None:
        damper = self._filters[rows]
        if damper is not None and rows != self._rows:
            # in the state of the previous filter, if there was one
            damper.reset(self._deflections() or self._start)
            self._origin = sample.instant
        self._rows = rows
        jet, motors = self._jet[:rows], self._motors[rows]
        stiffness = self.stiffness.sample(sample.instant)
        if efforts is None or len(efforts) < rows - 2 or self._drives.rotor_coupling:
            jets = {frame: _constant(wrench, rows - 2) for frame, wrench in wrenches.items()}
            efforts = link_efforts(
                self._model,
                self._drives,
                jet,
                jets or None,
                stiffness_jets=stiffness,
                out=motors.effort_jet,
            )
        feedforward_from_efforts(
            self._model,
            self._drives,
            jet,
            efforts[: len(motors.effort_jet)],
            stiffness_jets=stiffness,
            times=1e-9 * (sample.instant - self._origin),
            deflection=damper,
            out=motors,
        )

    def _deflections(self) -> dict[str, float] | None:
        damper = self._filters.get(self._rows)
        if damper is None:
            return None
        _, jets, _ = damper.state
        return dict(zip(damper.joint_names, jets[:, 0].tolist(), strict=True))

    def _fail(self, reason: str) -> None:
        self._failed += 1
        self._rows, self._start = 0, None
        if not self._problem and not self._guard.reason:
            self._node.get_logger().warning(f'No motor commands are published: {reason}')
        self._problem = reason

    def report(self) -> Report:
        """Return the report for /diagnostics; WARN while nothing is published."""
        values = {'published': self._published, 'not published': self._failed}
        problem = self._guard.reason or self._problem
        return Report(WARN if problem else OK, problem or 'ok', values)

    def destroy(self) -> None:
        """Destroy the publishers."""
        for output in self._outputs:
            output.destroy()
        self._outputs.clear()


def _constant(wrench: Array, rows: int) -> Array:
    jet = np.zeros((rows, 6))
    jet[0] = wrench
    return jet

# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Commands to the motors at each tick, and their publishers."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from rclpy.node import Node

from screw_dynamics.arrays import Array
from screw_dynamics.elastic import (
    DeflectionFilter,
    MotorFeedforward,
    feedforward_from_efforts,
    link_efforts,
)
from screw_dynamics.elastic.springs import AdjustableSpring
from screw_dynamics.errors import ScrewDynamicsError
from screw_dynamics.feasibility.quantities import motor_limits
from screw_dynamics.messages.joints import double_array
from screw_dynamics.messages.times import set_stamp
from screw_dynamics.nodes.feedforward.measurements import JointStateBuffer
from screw_dynamics.nodes.feedforward.outputs.effort_outputs import (
    CommandsOutput,
    EffortSample,
    make_commands,
)
from screw_dynamics.nodes.feedforward.outputs.guards import MotorGuard
from screw_dynamics.nodes.feedforward.outputs.motor_feedback import (
    MotorFeedback,
    feedback_gains,
)
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


class MotorPipeline:
    """
    Motor commands for the reference in the shared array `jet` (5, n), and their publishers.

    Commands are not published, with one warning per interruption, if they cannot be computed (too
    few derivatives, or an effort that a spring cannot transmit) or are beyond a limit, see
    `MotorGuard`. `links` are the measured joints; `feedback` is None without ``~/commands``.
    """

    def __init__(
        self,
        node: Node,
        robot: Robot,
        jet: Array,
        links: JointStateBuffer,
        parameters: FeedforwardParameters,
    ) -> None:
        assert robot.drives is not None
        self._node, self._jet, self._drives, self._links = node, jet, robot.drives, links
        self.least_rows = robot.required_rows
        # a joint with a damper in parallel requires one derivative less
        counts = sorted({self.least_rows, JET_ROWS})
        self.stiffness = StiffnessTransition(
            {
                name: spring
                for name in robot.motors.variable_names
                if isinstance(spring := robot.drives.joints[name].spring, AdjustableSpring)
            }
        )
        self.feedback: MotorFeedback | None = None
        self._rows = self._origin = 0
        self._problem = ''
        self._start: Mapping[str, float] | None = None
        self._filters: dict[int, DeflectionFilter | None] = {}
        self._motors = {rows: robot.drives.buffers(robot.model, rows) for rows in counts}
        self._format = parameters.effort_format
        self._sent = self._motors
        if not self._format.trivial:
            self._sent = {
                rows: replace(motors, motor_effort_jet=np.zeros_like(motors.motor_effort_jet))
                for rows, motors in self._motors.items()
            }
        self._work = {
            rows: np.zeros((2, *motors.motor_effort_jet.shape))
            for rows, motors in self._motors.items()
        }
        self._guard = MotorGuard(robot, node.get_logger().warning)
        self.check(parameters)
        self._published = self._failed = 0
        self._outputs: list[MotorFeedforwardOutput] = []
        self._commands: CommandsOutput | None = None
        if interfaces.msg is not None:
            self._outputs.append(MotorFeedforwardOutput(node, robot.joint_names, self._sent))
        self.set_robot(robot)
        self.apply(parameters)

    def check(self, parameters: FeedforwardParameters) -> None:
        """Raise InputError unless stiffness and feedback fit the robot."""
        self.stiffness.check(parameters.stiffness)
        feedback_gains(self._guard.robot.motors, parameters)

    def apply(self, parameters: FeedforwardParameters) -> None:
        """Apply the parameters of ~/commands, of feedback and of the stiffness."""
        self.stiffness.set_target(parameters.stiffness, parameters.stiffness_transition)
        wanted = parameters.publish_commands and parameters.commands_content == 'motor_efforts'
        if self._commands is not None and not wanted:
            self._commands.destroy()
            self._commands = self.feedback = None
        elif self._commands is None and wanted:
            robot, logger = self._guard.robot, self._node.get_logger()
            table = robot.motors
            rates = motor_limits(robot).effort_rates[table.joint_of_motor]
            self._commands = make_commands(self._node, 'motors', table.names, rates, parameters)
            self.feedback = MotorFeedback(robot, self._links, logger, parameters)
        if self._commands is not None:
            self._commands.ramp.duration = parameters.ramp_time
        if self.feedback is not None:
            self.feedback.apply(parameters)

    def set_robot(self, robot: Robot) -> None:
        """Continue with another model that has the same joints."""
        self._model = robot.model
        self._guard.set_robot(robot)
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

    def withhold(self, sample: EffortSample) -> None:
        """Register a sample whose efforts are not published."""
        self._guard.follow(sample.source)
        self._guard.stop('the efforts are not published')
        self._rows, self._start = 0, None

    def release(self, now: int) -> bool:
        """Ramp commands out; return False if there is nothing more to publish."""
        if self.feedback is not None:
            self.feedback.pause()
        return self._commands is not None and self._commands.release(now)

    @property
    def stopped(self) -> bool:
        """True if no motor commands are published for the current motion."""
        return bool(self._problem or self._guard.reason)

    def publish(
        self,
        sample: EffortSample,
        wrenches: Mapping[str, Array],
        now: int,
        efforts: Array | None = None,
    ) -> MotorFeedforward | None:
        """
        Publish the motor commands of the sample; return them even if a limit prevents that.

        `wrenches` (6,) act ON the links, by frame; `efforts` (k + 1, n) are those under the
        wrenches, if known. The result, in shared arrays, is None if it cannot be computed.
        """
        self._guard.follow(sample.source)
        motors = self._checked(sample, wrenches, efforts)
        if motors is None or self.stopped:
            self.release(now)
            return motors
        self._published += 1
        rows = self._rows
        if not self._format.trivial:
            jet, work = self._jet[: len(motors.motor_effort_jet) + 2], self._work[rows]
            out = self._sent[rows].motor_effort_jet
            self._format.convert(self._model, jet, motors.motor_effort_jet, out=out, work=work)
        for output in self._outputs:
            output.publish(sample, rows)
        if self._commands is not None:
            efforts = self._sent[rows].motor_effort
            if self.feedback is not None and self.feedback.acts:
                instant, stiffness = sample.instant, self.stiffness.values
                efforts = self.feedback.added(motors, efforts, stiffness, instant, now)
            self._commands.publish(efforts, now)
        return motors

    def _checked(
        self, sample: EffortSample, wrenches: Mapping[str, Array], efforts: Array | None
    ) -> MotorFeedforward | None:
        """Return the motor commands of the sample, if any, and compare them with the limits."""
        if sample.rows < self.least_rows:
            self._fail(
                f'expected references with derivatives up to order {self.least_rows - 1}, got '
                f'them up to order {sample.rows - 1}'
            )
            return None
        rows = JET_ROWS if sample.rows == JET_ROWS else self.least_rows
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
        elif stopped:
            self._node.get_logger().info('Motor commands are published again')
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
        for output in (*self._outputs, *([] if self._commands is None else [self._commands])):
            output.destroy()
        self._outputs.clear()
        self._commands = None


def _constant(wrench: Array, rows: int) -> Array:
    jet = np.zeros((rows, 6))
    jet[0] = wrench
    return jet

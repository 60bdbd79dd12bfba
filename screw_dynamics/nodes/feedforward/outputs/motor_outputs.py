# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Commands to the motors at each tick, and their publishers."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from rclpy.node import Node

from screw_dynamics.arrays import Array
from screw_dynamics.control.guards import MotorGuard
from screw_dynamics.control.measurements import JointStateBuffer
from screw_dynamics.control.report import OK, WARN, Report
from screw_dynamics.control.stiffness_transition import StiffnessTransition
from screw_dynamics.elastic import (
    DeflectionFilter,
    MotorFeedforward,
    elastic_feedforward,
    feedforward_from_efforts,
)
from screw_dynamics.elastic.springs import AdjustableSpring
from screw_dynamics.errors import ScrewDynamicsError
from screw_dynamics.nodes.feedforward.outputs.commands import CommandsOutput, updated_commands
from screw_dynamics.nodes.feedforward.outputs.effort_outputs import EffortSample
from screw_dynamics.nodes.feedforward.outputs.motor_feedback import (
    MotorFeedback,
    feedback_gains,
)
from screw_dynamics.nodes.feedforward.outputs.motor_messages import (
    GearSide,
    MotorFeedforwardOutput,
    MotorStateOutput,
)
from screw_dynamics.nodes.feedforward.parameters import FeedforwardParameters
from screw_dynamics.nodes.shared import interfaces
from screw_dynamics.reference.reference import Source
from screw_dynamics.robot import Robot
from screw_dynamics.trajectory import JET_ROWS


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
        self._jets = {rows: jet[:rows] for rows in counts}
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
        self.guard = MotorGuard(robot, node.get_logger().warning)
        if parameters.mode == 'compensate':
            self.guard.resumption = 'after ~/clear'
        self.check(parameters)
        self._published = self._failed = 0
        self._outputs: list[MotorFeedforwardOutput | MotorStateOutput] = []
        self._commands: CommandsOutput | None = None
        if interfaces.msg is not None:
            self._outputs.append(MotorFeedforwardOutput(node, robot.joint_names, self._sent))
        if parameters.publish_motor_state:
            side = GearSide.of_motors(robot, parameters)
            self._outputs.append(MotorStateOutput(node, side, self._sent))
        self.set_robot(robot)
        self.apply(parameters)

    def check(self, parameters: FeedforwardParameters) -> None:
        """Raise InputError unless stiffness and feedback fit the robot."""
        self.stiffness.check(parameters.stiffness)
        feedback_gains(self.guard.robot.motors, parameters)

    def apply(self, parameters: FeedforwardParameters) -> None:
        """Apply the parameters of ~/commands, of feedback and of the stiffness."""
        self.stiffness.set_target(parameters.stiffness, parameters.stiffness_transition)
        commands, robot, node = self._commands, self.guard.robot, self._node
        self._commands = updated_commands(
            commands, 'motor_efforts', node, robot, self._jet, self._links, parameters
        )
        if self._commands is None:
            self.feedback = None
        elif self._commands is not commands:
            self.feedback = MotorFeedback(robot, self._links, node.get_logger(), parameters)
        if self.feedback is not None:
            self.feedback.apply(parameters)

    def set_robot(self, robot: Robot) -> None:
        """Continue with another model that has the same joints."""
        self._model = robot.model
        self.guard.set_robot(robot)
        self._start = self._deflections()
        damped = bool(robot.motors.damped_names)
        self._filters = {
            rows: DeflectionFilter(robot.model, self._drives, rows) if damped else None
            for rows in self._motors
        }
        self._rows = 0
        if self._commands is not None:
            self._commands.retarget()

    def forget(self) -> None:
        """Reset; at the next sample damped joints start quasi-steady."""
        self._rows = self._origin = 0
        self._start = None
        self._problem = ''
        self.guard.forget()
        if self._commands is not None:
            self._commands.forget()

    def withhold(self, sample: EffortSample) -> None:
        """Register a sample whose efforts are not published."""
        self.guard.follow(sample.source, sample.continues, sample.first)
        self.guard.stop('the efforts are not published')
        self._rows, self._start = 0, None

    def release(self, now: int) -> bool:
        """Ramp commands out; return False if there is nothing more to publish."""
        self.guard.pause()
        if self.feedback is not None:
            self.feedback.pause()
        return self._commands is not None and self._commands.release(now)

    @property
    def stopped(self) -> bool:
        """True if no motor commands are published for the current motion."""
        return bool(self._problem or self.guard.reason)

    @property
    def driven(self) -> bool:
        """True if the motors follow the current motion."""
        return not self.stopped and (self._commands is None or self._commands.driven)

    @property
    def commands(self) -> CommandsOutput | None:
        """The output of motor commands, if there is one."""
        return self._commands

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
        self.guard.follow(sample.source, sample.continues, sample.first)
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
            effort, *rates = self._sent[rows].motor_effort_jet
            if self.feedback is not None and self.feedback.acts:
                instant, stiffness = sample.instant, self.stiffness.values
                effort = self.feedback.added(motors, effort, stiffness, instant, now)
            rate = rates[0] if rates else None
            self._commands.publish(sample, effort, rate, motors.motor_jet, now)
            if self.feedback is not None and not self._commands.driven:
                self.feedback.pause()  # it begins with the commands
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
                self.guard.stop(str(error))  # resuming in motion would be a jump
            return None
        motors = self._motors[rows]
        stopped = self.stopped
        self._problem = ''
        if not self.guard.passes(motors, sample.instant):
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
        jet, motors = self._jets[rows], self._motors[rows]
        stiffness = self.stiffness.sample(sample.instant)
        time, count = 1e-9 * (sample.instant - self._origin), len(motors.effort_jet)
        if efforts is None or len(efforts) < count or self._drives.rotor_coupling:
            jets = {frame: _constant(wrench, rows - 2) for frame, wrench in wrenches.items()}
            elastic_feedforward(
                self._model,
                self._drives,
                jet,
                jets or None,
                stiffness_jets=stiffness,
                times=time,
                deflection=damper,
                out=motors,
            )
            return
        feedforward_from_efforts(
            self._model,
            self._drives,
            jet,
            efforts if len(efforts) == count else efforts[:count],
            stiffness_jets=stiffness,
            times=time,
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
        if not self._problem and not self.guard.reason:
            self._node.get_logger().warning(f'No motor commands are published: {reason}')
        self._problem = reason

    def report(self) -> Report:
        """Return the report for /diagnostics; WARN while nothing is published."""
        values = {'published': self._published, 'not published': self._failed}
        problem = self.guard.reason or self._problem
        return Report(WARN if problem else OK, problem or 'ok', values)

    def destroy(self, latest: float) -> None:
        """Destroy the publishers; see `CommandsOutput.destroy`."""
        for output in self._outputs:
            output.destroy()
        if self._commands is not None:
            self._commands.destroy(latest)
        self._outputs.clear()
        self._commands = None


def _constant(wrench: Array, rows: int) -> Array:
    jet = np.zeros((rows, 6))
    jet[0] = wrench
    return jet

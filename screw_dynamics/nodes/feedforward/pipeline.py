# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`FeedforwardPipeline`: sampling of the motion, computation and publication of the efforts."""

from dataclasses import replace

import numpy as np
from rclpy.node import Node
from rclpy.publisher import Publisher

from screw_dynamics.arrays import Array
from screw_dynamics.control.guards import EffortGuard
from screw_dynamics.control.limit_watch import LimitWatch
from screw_dynamics.control.measurements import ExternalWrenches, JointStateBuffer
from screw_dynamics.elastic import MotorFeedforward
from screw_dynamics.model import ScrewModel
from screw_dynamics.nodes.feedforward.followed_motion import FollowedMotion
from screw_dynamics.nodes.feedforward.outputs.commands import CommandsOutput, updated_commands
from screw_dynamics.nodes.feedforward.outputs.effort_outputs import (
    LEAST_ROWS,
    EffortPublishers,
    EffortSample,
)
from screw_dynamics.nodes.feedforward.outputs.motor_outputs import MotorPipeline
from screw_dynamics.nodes.feedforward.outputs.spline_output import SplineOutput
from screw_dynamics.nodes.feedforward.outputs.thread_tensions import TensionOutput
from screw_dynamics.nodes.feedforward.parameters import FeedforwardParameters
from screw_dynamics.nodes.shared import interfaces
from screw_dynamics.nodes.shared.endpoints import delivery_end
from screw_dynamics.nodes.shared.loaded_robot import with_stiffness
from screw_dynamics.nodes.shared.tick_timer import Seldom
from screw_dynamics.reference.reference import Source
from screw_dynamics.robot import Robot
from screw_dynamics.soft.segments.thread_set import threads_of
from screw_dynamics.trajectory import JET_ROWS


class FeedforwardPipeline:
    """The reference of a robot and the publishers of its efforts and motor commands."""

    def __init__(self, node: Node, robot: Robot, parameters: FeedforwardParameters) -> None:
        robot = replace(robot, limits_motors=parameters.output_guard != 'off')
        self._node, self._parameters, self._robot = node, parameters, robot
        self.followed = FollowedMotion(robot, parameters)
        self.reference, self.streamed = self.followed.reference, self.followed.streamed
        self.wrenches = ExternalWrenches(robot.model, self._warn_of_expired_wrench)
        self.measured = JointStateBuffer(robot.joint_names)
        self._jet = np.zeros((JET_ROWS, robot.n))
        self._velocities = np.zeros(robot.n)  # measured
        self._compensated: int | None = None  # time of the last sample [ns]
        self._uncompensated = Seldom(10.0)
        if interfaces.msg is None:
            node.get_logger().warning(f'~/feedforward is not published: {interfaces.MISSING}')
        self.guard = EffortGuard(robot, node.get_logger().warning)
        if parameters.mode == 'compensate':
            self.guard.resumption = 'after ~/clear'
        self._publishers = EffortPublishers(node, self.guard, self._jet, parameters)
        self._commands = self._updated_commands(None)
        self.motors = (
            None
            if robot.drives is None
            else MotorPipeline(node, robot, self._jet, self.measured, parameters)
        )
        self.limits = LimitWatch(robot)
        threads = threads_of(robot.model)
        self._tensions = None if threads is None else TensionOutput(node, robot, threads)
        self.spline: SplineOutput | None = None
        if parameters.publish_spline:
            self.spline = SplineOutput(node, self.reference, robot.joint_names, parameters)

    @property
    def model(self) -> ScrewModel:
        """The model of the robot."""
        return self._robot.model

    @property
    def robot(self) -> Robot:
        """The robot with the stiffness of the parameters."""
        return with_stiffness(self._robot, self._parameters.stiffness)

    def apply(self, parameters: FeedforwardParameters) -> None:
        """Apply changed parameters; replace the publishers only if they differ."""
        old, self._parameters = self._parameters, parameters
        later = round(1e9 * parameters.lead) - round(1e9 * old.lead)
        self.guard.shift(later)
        if self.motors is not None:
            self.motors.guard.shift(later)
        self.followed.apply(parameters, self._node.get_clock().now().nanoseconds)
        if self._publishers.differ(old, parameters):
            publishers = self._publishers
            # if this raises, the old publishers stay in use
            self._publishers = EffortPublishers(self._node, self.guard, self._jet, parameters)
            publishers.destroy()
        self._commands = self._updated_commands(self._commands)
        if self.motors is not None:
            self.motors.apply(parameters)
        if self.spline is not None:
            self.spline.apply(parameters)

    def _updated_commands(self, commands: CommandsOutput | None) -> CommandsOutput | None:
        return updated_commands(
            commands, 'link_efforts', self._node, self._robot, self._jet, self.measured,
            self._parameters,
        )  # fmt: skip

    @property
    def commands(self) -> CommandsOutput | None:
        """The output of commands to joints or motors, if there is one."""
        return self._commands if self.motors is None else self._commands or self.motors.commands

    def replace_model(self, model: ScrewModel) -> bool:
        """Continue with another model; return False, with no change, if its joints differ."""
        old = self.model
        if (model.joint_names, model.coordinate_types) != (old.joint_names, old.coordinate_types):
            return False
        self._robot = self._robot.with_model(model)
        self.wrenches.set_model(model)
        self.limits.set_robot(self._robot)
        self.guard.set_robot(self._robot)
        if self._tensions is not None:
            self._tensions.set_robot(self._robot)
        if self._commands is not None:
            self._commands.retarget()
        if self.motors is not None:
            self.motors.set_robot(self._robot)
        return True

    def publish(self, now: int, withheld: bool = False) -> None:
        """Publish this tick's sample, if any; raise NotFiniteError before if it is not finite."""
        sample = None if withheld else self.followed.sample(now, self._jet)
        if sample is None:
            following = self.followed.waits(now)
            if following and not withheld:
                self._wait(now)
                return
            if not following:
                self._forget_stops()
            self.release(now)
            return
        self._publish(sample, now)
        if self.spline is not None:
            reference = self.reference
            self.spline.watch(None if reference.driven else reference.sampled)

    def _forget_stops(self) -> None:
        """Let the next sample begin a motion."""
        self.guard.forget()
        if self._commands is not None:
            self._commands.forget()
        if self.motors is not None:
            self.motors.forget()

    def _wait(self, now: int) -> None:
        """Wait for the next sample of a stream; continue the ramp of commands that have ended."""
        if self.guard.reason:
            self.release(now)
        elif self.motors is not None and not self.motors.driven:
            self.motors.release(now)
        if self._commands is not None and not self._commands.driven:
            self._commands.release(now)

    def _publish(self, sample: EffortSample, now: int) -> None:
        jet, tau = self._publishers.arrays(sample.rows)
        self.wrenches.inverse_dynamics(jet, tau, now, self._parameters.external_wrench_timeout)
        if not self._guarded(sample, tau):
            self.reference.driven = False
            if self.motors is not None:
                self.motors.withhold(sample)
            self.release(now)
            return
        efforts = self._publishers.publish(sample, self.model)
        if self._tensions is not None:
            self._tensions.publish(sample.instant, jet, tau)
        if self._commands is not None:
            rate = efforts[1] if len(efforts) > 1 else None
            self._commands.publish(sample, efforts[0], rate, self._jet, now)
        self.reference.driven = self._commands is None or self._commands.driven
        watched = self._parameters.check_limits != 'off'
        if watched:
            self.limits.add(jet, tau)
        if self.motors is not None:
            motors = self._publish_motors(self.motors, sample, tau, now)
            self.reference.driven = self.motors.driven and self.reference.driven
            if watched and motors is not None:
                self.limits.add_motors(motors)

    def _publish_motors(
        self, motors: MotorPipeline, sample: EffortSample, tau: Array, now: int
    ) -> MotorFeedforward | None:
        efforts: Array | None = tau
        if sample.source is Source.MEASURED and motors.least_rows == LEAST_ROWS:
            self._jet[1] = self._velocities  # for friction
        elif sample.source is Source.MEASURED:
            sample, efforts = sample._replace(rows=JET_ROWS), None
        return motors.publish(sample, self.wrenches.in_force(), now, efforts)

    def compensate(self, now: int) -> None:
        """
        Publish the efforts that carry the robot in its measured state; raise NotFiniteError.

        Nothing is published until all joints are measured. Motors overcome their friction at the
        measured velocities; springs are taken as at rest.
        """
        self._jet[:] = 0.0
        if not self.measured.write(now, self._parameters.max_joint_state_age, self._jet[:2]):
            return
        self._velocities[:] = self._jet[1]
        if not self._parameters.compensate_coriolis:
            self._jet[1] = 0.0
        self._publish(EffortSample(now, Source.MEASURED, 0, rows=LEAST_ROWS), now)
        self._compensated = now  # not if that has raised: then commands are ramped out

    def watch_measured(self, now: int) -> None:
        """Ramp commands out after a stop and, with a warning, where measurements are missing."""
        if self.guard.reason:
            self.release(now)
            return
        age = self._parameters.max_joint_state_age
        if self._compensated is None or now - self._compensated <= age * 1e9:
            return
        if self._uncompensated.due():
            self._node.get_logger().warning(
                f'Nothing is compensated: no joint_states for {age:g} s'
            )
        self.guard.forget()
        self.release(now)

    def _guarded(self, sample: EffortSample, tau: Array) -> bool:
        """Return True if the efforts of a sample may be published."""
        if self._parameters.output_guard == 'off':
            return True
        stopped = bool(self.guard.reason)
        self.guard.follow(sample.source, sample.continues, sample.first)
        passes = self.guard.passes(tau, sample.instant)
        if passes and stopped:
            self._node.get_logger().info('Efforts are published again')
        return passes

    def release(self, now: int) -> bool:
        """Ramp commands out where nothing is published; return False once that is done."""
        self.guard.pause()
        released = self._commands is not None and self._commands.release(now)
        return (self.motors is not None and self.motors.release(now)) or released

    @property
    def trajectory_output(self) -> Publisher | None:
        """Publisher of accepted trajectories with efforts; None if it is disabled."""
        return self._publishers.trajectory

    def clear(self) -> None:
        """Stop following; a stream is followed again after it has paused, efforts after a stop."""
        self._forget_stops()
        self.followed.clear()

    def forget(self) -> None:
        """Drop all state after a jump of the clock."""
        self.followed.forget()
        self.measured.clear()
        self.wrenches.clear()
        self._forget_stops()
        if self.motors is not None:
            self.motors.stiffness.forget()

    def _warn_of_expired_wrench(self, frame: str) -> None:
        self._node.get_logger().warning(
            f'~/external_wrench: the wrench on {frame!r} is older than '
            f'{self._parameters.external_wrench_timeout:g} s: it is no longer in force',
            throttle_duration_sec=1.0,
        )

    def destroy(self) -> None:
        """Destroy the publishers; receivers of what they sent last are waited for once."""
        latest = delivery_end()
        if self.spline is not None:
            self.spline.destroy(latest)
        self._publishers.destroy()
        if self._tensions is not None:
            self._tensions.destroy()
        if self._commands is not None:
            self._commands.destroy(latest)
        if self.motors is not None:
            self.motors.destroy(latest)

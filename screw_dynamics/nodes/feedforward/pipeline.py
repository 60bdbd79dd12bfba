# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`FeedforwardPipeline`: sampling of the reference, computation and publication of the efforts."""

from dataclasses import replace

import numpy as np
from rclpy.node import Node
from rclpy.publisher import Publisher

from screw_dynamics.arrays import Array
from screw_dynamics.elastic import MotorFeedforward
from screw_dynamics.model import ScrewModel
from screw_dynamics.nodes.feedforward.measurements import ExternalWrenches, JointStateBuffer
from screw_dynamics.nodes.feedforward.outputs.commands import CommandsOutput, updated_commands
from screw_dynamics.nodes.feedforward.outputs.effort_outputs import (
    LEAST_ROWS,
    EffortPublishers,
    EffortSample,
)
from screw_dynamics.nodes.feedforward.outputs.guards import EffortGuard
from screw_dynamics.nodes.feedforward.outputs.limits import LimitWatch
from screw_dynamics.nodes.feedforward.outputs.motor_outputs import MotorPipeline
from screw_dynamics.nodes.feedforward.outputs.thread_tensions import TensionOutput
from screw_dynamics.nodes.feedforward.parameters import FeedforwardParameters
from screw_dynamics.nodes.shared import interfaces
from screw_dynamics.nodes.shared.loaded_robot import with_stiffness
from screw_dynamics.reference.interpolation import INTERPOLATIONS
from screw_dynamics.reference.reference import Reference, Source
from screw_dynamics.reference.streamed_reference import StreamedReference
from screw_dynamics.robot import Robot
from screw_dynamics.soft.segments.thread_set import threads_of
from screw_dynamics.trajectory import JET_ROWS


class FeedforwardPipeline:
    """The reference of a robot and the publishers of its efforts and motor commands."""

    def __init__(self, node: Node, robot: Robot, parameters: FeedforwardParameters) -> None:
        robot = replace(robot, limits_motors=parameters.output_guard != 'off')
        self._node, self._parameters, self._robot = node, parameters, robot
        self.continuous = tuple(
            name
            for name, kind in zip(robot.joint_names, robot.model.coordinate_types, strict=True)
            if kind == 'continuous'
        )
        self.reference = Reference(
            robot.n, INTERPOLATIONS[parameters.interpolation], self.continuous
        )
        self.streamed = StreamedReference(
            self.reference, np.isin(robot.joint_names, self.continuous), parameters.stream_settings
        )
        self.wrenches = ExternalWrenches(robot.model, self._warn_of_expired_wrench)
        self.measured = JointStateBuffer(robot.joint_names)
        self._jet = np.zeros((JET_ROWS, robot.n))
        self._velocities = np.zeros(robot.n)  # measured
        self._compensated: int | None = None  # time of the last sample [ns]
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
        self.streamed.apply(
            parameters.stream_settings, self.sampled(self._node.get_clock().now().nanoseconds)
        )
        if self._publishers.differ(old, parameters):
            publishers = self._publishers
            # if this raises, the old publishers stay in use
            self._publishers = EffortPublishers(self._node, self.guard, self._jet, parameters)
            publishers.destroy()
        self._commands = self._updated_commands(self._commands)
        if self.motors is not None:
            self.motors.apply(parameters)

    def _updated_commands(self, commands: CommandsOutput | None) -> CommandsOutput | None:
        return updated_commands(
            commands, 'link_efforts', self._node, self._robot, self._jet, self.measured,
            self._parameters,
        )  # fmt: skip

    @property
    def commands(self) -> CommandsOutput | None:
        """The output of commands to joints or motors, if there is one."""
        return self._commands if self.motors is None else self._commands or self.motors.commands

    def sampled(self, now: int) -> int:
        """Return the instant sampled by a tick at this time [ns]."""
        return now + round(1e9 * self._parameters.lead)

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
        sample = None if withheld else self._sample(now)
        if sample is None:
            following = self.streamed.followed is not None and not self.streamed.stale(now)
            if following and not withheld:
                self._wait(now)
                return
            if not following:
                self._forget_stops()
            self.release(now)
            return
        self._publish(sample, now)

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
        self._node.get_logger().warning(
            f'Nothing is compensated: no joint_states for {age:g} s', throttle_duration_sec=10.0
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

    def _sample(self, now: int) -> EffortSample | None:
        """Write the joint jet of this tick; return None if there is nothing to publish."""
        time = self.sampled(now)
        if self.streamed.followed is not None:
            streamed = self.streamed.sample(now, time, self._jet)
            if streamed is None:
                return None
            return EffortSample(
                streamed.instant, Source.STREAM, streamed.continuity, rows=streamed.rows
            )
        source = self.reference.sample(time, self._jet)
        if source is None or (source is Source.HOLD and self._idle()):
            return None
        return EffortSample(
            time,
            source,
            self.reference.continuity,
            round(1e9 * self.reference.time_from_start),
            continues=self.reference.continues,
            first=self.reference.first,
        )

    @property
    def trajectory_output(self) -> Publisher | None:
        """Publisher of accepted trajectories with efforts; None if it is disabled."""
        return self._publishers.trajectory

    def _idle(self) -> bool:
        timeout = self._parameters.idle_timeout
        held_too_long = 0.0 < timeout < self.reference.held_for
        return held_too_long or not self._parameters.hold_when_idle

    def add_positions(self, positions: Array, now: int) -> bool:
        """Add positions (n,) received at `now` [ns]; see `StreamedReference.add_positions`."""
        return self.streamed.add_positions(positions, now, self.sampled(now))

    def clear(self) -> None:
        """Stop following; a stream is followed again after it has paused, efforts after a stop."""
        self._forget_stops()
        self.reference.clear()
        self.streamed.supersede()

    def forget(self) -> None:
        """Drop all state after a jump of the clock."""
        self.reference.clear()
        self.streamed.reset()
        self.measured.clear()
        self.wrenches.clear()
        self._forget_stops()
        if self.motors is not None:
            self.motors.stiffness.forget()

    @property
    def empty(self) -> bool:
        """True if there is nothing to follow, now or later."""
        return self.reference.empty and self.streamed.followed is None

    def _warn_of_expired_wrench(self, frame: str) -> None:
        self._node.get_logger().warning(
            f'~/external_wrench: the wrench on {frame!r} is older than '
            f'{self._parameters.external_wrench_timeout:g} s: it is no longer in force',
            throttle_duration_sec=1.0,
        )

    def destroy(self) -> None:
        """Destroy the publishers."""
        self._publishers.destroy()
        if self._tensions is not None:
            self._tensions.destroy()
        if self._commands is not None:
            self._commands.destroy()
        if self.motors is not None:
            self.motors.destroy()

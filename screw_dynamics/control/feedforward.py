# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`Feedforward`: the node `feedforward` without ROS, threads and clocks."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from enum import Enum
from typing import Any

import numpy as np

from screw_dynamics.common.arrays import Array
from screw_dynamics.control.feedforward_parameters import FeedforwardParameters
from screw_dynamics.control.followed_motion import FollowedMotion
from screw_dynamics.control.goals import Goals
from screw_dynamics.control.heard_commands import HeardCommands
from screw_dynamics.control.inputs import (
    Clear,
    ClockJumped,
    CommandsHeard,
    FeedforwardInput,
    JointStates,
    ParametersChanged,
    RobotChanged,
    Speed,
    Stop,
    StreamMessage,
    TaskDone,
    Tick,
    WrenchMessage,
    same_joints,
)
from screw_dynamics.control.limit_checks import Load, require_bearable
from screw_dynamics.control.measurements import WRENCH_TOPIC, ExternalWrenches, JointStateBuffer
from screw_dynamics.control.motor_samples import RESUMPTION, MotorSamples
from screw_dynamics.control.outputs import Outputs, Publication, Verdict
from screw_dynamics.control.report import Counts
from screw_dynamics.control.sample_guard import SampleGuard
from screw_dynamics.control.streams import StreamReader
from screw_dynamics.control.tasks import Running, TrajectoryMessage
from screw_dynamics.control.trajectory_queue import DEPTH, TrajectoryQueue
from screw_dynamics.drives.robot import Robot
from screw_dynamics.dynamics import gravity_forces
from screw_dynamics.errors import InputError, ScrewDynamicsError
from screw_dynamics.recordings.messages.feedforward import Course, FeedforwardSample
from screw_dynamics.trajectory import JET_ROWS
from screw_dynamics.trajectory.reference.reference import Source
from screw_dynamics.trajectory.reference.streamed_reference import Stream


class State(str, Enum):
    """What is published."""

    IDLE = 'IDLE'
    MOVING = 'MOVING'
    HOLDING = 'HOLDING'
    STREAMING = 'STREAMING'
    STOPPED = 'STOPPED'


_STATES = {Source.HOLD: State.HOLDING, Source.STREAM: State.STREAMING}


class Feedforward:
    """
    Follows trajectories, poses and streams; samples efforts with two derivatives, and motors.

    `jet` (5, n), `efforts` (3, n) and `gravity` (1, n) hold the last sample. `number` is that of
    the first motion.
    """

    def __init__(
        self,
        robot: Robot,
        uncontrolled_joints: Mapping[str, str],
        parameters: FeedforwardParameters,
        number: int,
    ) -> None:
        guarded = parameters.limits != 'off'
        plain = robot.with_limited_motors(guarded)
        self.parameters, n = parameters, plain.n
        self.outputs = Outputs()
        self.jet, self.efforts = np.zeros((JET_ROWS, n)), np.zeros((JET_ROWS - 2, n))
        self.gravity = np.zeros((1, n))
        self.followed = FollowedMotion(plain, parameters, number)
        self.reference, self.streamed = self.followed.reference, self.followed.streamed
        self.measured = JointStateBuffer(plain.joint_names)
        self.wrenches = ExternalWrenches(plain.model)
        self.guard = SampleGuard(plain)
        self.motors: MotorSamples | None = None
        if plain.drives is not None:
            self.motors = MotorSamples(plain, self.jet, self.outputs, guarded=guarded)
            self.motors.stiffness.check(parameters.stiffness)
            self.motors.stiffness.set_target(parameters.stiffness, 0.0)
        self.goals = Goals(self.outputs, self._running, self._clear, parameters)
        forwards = 'joint_trajectory_effort' in parameters.outputs
        self.queue = TrajectoryQueue(self.outputs, self._running, self.goals, forwards=forwards)
        self.goals.queue = self.queue
        self.counts = {topic: Counts() for topic in (*(s.value for s in Stream), WRENCH_TOPIC)}
        self.cleared = ''
        self.state = State.IDLE
        self.commands = HeardCommands()
        self._kept: deque[TrajectoryMessage] = deque()  # trajectories, until commands rest
        self._published, self._speed = Publication(self.outputs), 1.0
        self._flowing: Stream | None = None  # stream of the last sample
        self._silent = ''  # stream that has ended
        self.failure, self.failed = '', 0  # why the last tick has failed, and how many have
        self._use_robot(plain, uncontrolled_joints)

    def step(self, now: int, inputs: Sequence[FeedforwardInput] = ()) -> Outputs:
        """Take inputs at an instant [ns]; return what is to be done, valid until the next step."""
        outputs = self.outputs
        outputs.clear()
        self.goals.now = now
        for item in inputs:
            self._take(item, now)
        if self._published.last is not None:
            outputs.verdicts[:] = self.commands.warned(outputs.verdicts, now)
        return outputs

    def _take(self, item: FeedforwardInput, now: int) -> None:
        match item:
            case Tick():
                self._tick(now)
            case JointStates(message):
                self._measure(now, message)
            case StreamMessage(message, stream):
                self._stream(now, message, stream)
            case WrenchMessage(message):
                self._load(now, message)
            case Speed(factor):
                self._set_speed(now, factor)
            case CommandsHeard(condition, positions):
                self.commands.hear(now, condition, positions=positions)
            case TrajectoryMessage():
                self._add_trajectory(now, item)
            case TaskDone(number, answer):
                self.queue.answered(number, answer, now)
            case RobotChanged(robot, others):
                self._change_robot(robot, others)
            case ParametersChanged(values):
                self._change_parameters(now, values)
            case Clear(reason):
                self._clear_all(reason)
            case ClockJumped(reason):
                self._forget(reason)
            case Stop(reason):
                self._stop(now, reason)
            case _:
                self.goals.take(item, now)

    def _use_robot(self, robot: Robot, others: Mapping[str, str]) -> None:
        self.robot, self._others = robot, others
        self._reader = StreamReader(robot.model, others)

    def _change_robot(self, robot: Robot, others: Mapping[str, str]) -> None:
        """Continue with another model that has the same joints."""
        robot = robot.with_limited_motors(self.robot.limits_motors)
        self._published.jumped |= robot.model != self.robot.model
        self._use_robot(robot, others)
        self.wrenches.set_model(robot.model)
        self.guard.set_robot(robot)
        if self.motors is not None:
            self.motors.set_robot(robot)

    def check(self, parameters: FeedforwardParameters) -> None:
        """Raise InputError if changed parameters do not fit the robot."""
        parameters.require_joints(self.robot)
        if self.motors is not None:
            self.motors.stiffness.check(parameters.stiffness)

    def _change_parameters(self, now: int, values: FeedforwardParameters) -> None:
        """Apply checked parameters."""
        self.parameters = values
        self.followed.apply(values, now)
        if self.motors is not None:
            self.motors.stiffness.set_target(values.stiffness, values.stiffness_transition)

    def _running(self, now: int) -> Running:
        followed = self.reference, self.streamed
        return Running(*followed, self.measured, self.parameters, self.robot, self._others, now)

    def _measure(self, now: int, message: Any) -> None:
        """Take over a JointState with measurements."""
        try:
            self.measured.update(message, now)
        except InputError as error:
            self.outputs.log('warning', f'{error}: ignored')

    def _add_trajectory(self, now: int, message: TrajectoryMessage) -> None:
        """Follow a trajectory as soon as it is fitted."""
        if self._kept or self.commands.lead_out(now):
            self._kept.append(message)  # where the robot rests is not known yet
            self._refuse_kept(f'{DEPTH} newer trajectories arrived before it was fitted', DEPTH)
        else:
            self.queue.add(message, now)

    def _stream(self, now: int, message: Any, stream: Stream) -> None:
        """Follow a sample of a stream: JointReference, or JointState for positions."""
        counts = self.counts[stream.value]
        try:
            followed = self._reader.follow(message, stream, now, self.parameters, self.followed)
        except ScrewDynamicsError as error:
            counts.reject(str(error))
            self.outputs.log('error', f'{stream.value} rejected: {error}')
            return
        counts.accepted += followed
        counts.ignored += not followed

    def _load(self, now: int, message: Any) -> None:
        """Apply a WrenchStamped."""
        counts = self.counts[WRENCH_TOPIC]
        try:
            read = self.wrenches.read(message, now, self.parameters.input_timeout)
            self._require_bearable(now, self.robot, {read[0]: read[1]})
            again = self.wrenches.add(*read)
        except ScrewDynamicsError as error:
            counts.reject(str(error))
            self.outputs.log('warning', f'{WRENCH_TOPIC} ignored: {error}')
            return
        counts.accepted += 1
        if again:
            frame = message.header.frame_id
            self.outputs.log('info', f'{WRENCH_TOPIC}: a wrench on {frame!r} is in force again')

    def check_load(self, now: int, robot: Robot) -> None:
        """Raise LimitError if a payload would stop the present motion, or drop the arm."""
        if self.parameters.limits != 'off' and same_joints(self.robot, robot):
            self._require_bearable(now, robot, {})

    def _require_bearable(self, now: int, robot: Robot, more: Mapping[str, Array]) -> None:
        """Raise LimitError if a load is too heavy at the reference, else the measured pose."""
        known = self._published.last is not None
        jet = self.jet if known else self.measured.state(now, self.parameters.input_timeout)
        if jet is None or self.parameters.limits == 'off':
            return
        before = Load(self.robot, self.wrenches.in_force())
        require_bearable(before, Load(robot, {**before.wrenches, **more}), jet[:3])

    def _set_speed(self, now: int, factor: float) -> None:
        """Set the factor of the speed, 0 (pause) to 2; it is reached within 0.1 s."""
        leads = self._published.last is not None and self.parameters.leads_speed
        try:
            self.followed.set_speed(now, factor, leads=leads)
        except InputError as error:
            self.outputs.log('warning', f'{error}: ignored')
        self._follow_speed()

    def _follow_speed(self) -> None:
        """Register the speed that has been reached, which jumps where a controller scales it."""
        reference = self.reference
        if reference.speed != self._speed:
            self._published.jumped |= not self.parameters.leads_speed
            self._speed = reference.speed
            self.queue.follow_speed(reference.speed, reference.speed_since)

    def _clear_all(self, reason: str) -> None:
        """Stop following; `cleared` tells what was dropped."""
        self.queue.drop(f'{reason} before it was fitted')
        self.cleared = 'there was no motion' if self.followed.empty else 'the motion is dropped'
        if any(goal.asked for goal in self.goals.live):
            self.cleared += '; the controller still executes its goal: cancel that at the action'
        elif self.parameters.forwards and not self.followed.empty:
            self.cleared += '; its controller executes it on'
        self._clear(reason)

    def _clear(self, reason: str = 'its goal has ended') -> None:
        """Stop following; a stream is followed again after it has paused."""
        self._published.finish(Course.ENDED, reason)
        self._refuse_kept(reason)
        self.followed.clear()
        if self.motors is not None:
            self.motors.pause()

    def _refuse_kept(self, reason: str, most: int = 0) -> None:
        """Reject the oldest trajectories that wait for commands, but for a number of them."""
        while len(self._kept) > most:
            self.outputs.verdicts.append(Verdict(self._kept.popleft().header, reason))

    def _stop(self, now: int, reason: str) -> None:
        """Stop following and abort all goals."""
        self.queue.drop(reason)
        self.goals.stop(now, reason)
        self._clear(reason)

    def _forget(self, reason: str) -> None:
        """Drop what was received: earlier stamps are not valid any more."""
        if not self.followed.empty:
            self.outputs.log('warning', f'{reason}: the active trajectory is dropped')
        self._clear(reason)
        self.queue.drop(f'{reason} before it was fitted')
        self.followed.forget()
        self.measured.clear()
        self.wrenches.clear()
        if self.motors is not None:
            self.motors.forget()

    def _tick(self, now: int) -> None:
        """Compute the next sample."""
        self.queue.tick(now)
        while self._kept and not self.commands.lead_out(now):
            self.queue.add(self._kept.popleft(), now)
        self.followed.lead_speed(now)
        self._follow_speed()
        try:
            sample = self.followed.sample(now, self.jet)
            if sample is None:
                self._pause(now)
            else:
                self._tell_of_streams(sample)
                self._compute(sample, now)
            self.failure = ''
        except ScrewDynamicsError as error:  # not finite
            self.failed += 1
            if not self.failure:
                self.outputs.log('error', f'Nothing published: {error}')
            self.failure = str(error)
            self.outputs.sample = None
            self._halt(self.followed.number, f'{error}; {RESUMPTION}')
        sample = self.outputs.sample
        if sample is not None:
            self.state = _STATES.get(Source(sample.source), State.MOVING)
        else:
            self.state = State.STOPPED if self.guard.reason else State.IDLE

    def _halt(self, motion: int, reason: str) -> None:
        """Publish nothing until another motion begins from rest."""
        self.guard.stop(motion, reason)
        self._published.finish(Course.STOPPED, reason)

    def _pause(self, now: int) -> None:
        """Publish nothing, and tell what has ended."""
        if self.streamed.flows(now):
            return
        if self.motors is not None:
            self.motors.pause()
        reason = 'it has been held for hold_time'
        if self._flowing is not None and self.streamed.followed is self._flowing:
            self._silent = self._flowing.value
            timeout = self.parameters.input_timeout
            reason = f'{self._silent} has ended: no sample for {timeout:g} s'
            self.outputs.log('warning', f'{reason}; nothing is published until the next motion')
        self._flowing = None
        self.followed.end()
        self._published.finish(Course.ENDED, reason)

    def _tell_of_streams(self, sample: FeedforwardSample) -> None:
        if sample.source is not Source.STREAM:
            self._flowing, self._silent = None, ''
            return
        self._flowing = self.streamed.followed
        if self._silent and not self.guard.reason:
            self.outputs.log('info', f'{self._silent} is followed again')
            self._silent = ''

    def _compute(self, sample: FeedforwardSample, now: int) -> None:
        rows = sample.rows
        jet, efforts = self.jet[:rows], self.efforts[: rows - 2]
        timeout = self.parameters.input_timeout
        for frame in self.wrenches.inverse_dynamics(jet, efforts, now, timeout):
            text = f'the wrench on {frame!r} is older than {timeout:g} s'
            self.outputs.log('warning', f'{WRENCH_TOPIC}: {text}: it is no longer in force')
        if not self._passes(sample, efforts):
            self.reference.driven = False
            if self.motors is not None:
                self.motors.pause()
            return
        gravity_forces(self.robot.model, self.jet[0], out=self.gravity[0])
        outputs, published = self.outputs, self._published
        published.jumped |= self.wrenches.changed
        self.wrenches.changed = False
        published.publish(sample, efforts, self.gravity[0])
        driven = not self.commands.away(now)
        if self.motors is not None:
            outputs.rows = self.motors.compute(sample, self.wrenches.in_force(), efforts)
            outputs.motors = outputs.rows > 0
            driven &= outputs.motors
            if outputs.motors:
                published.with_motors()
            else:
                published.finish_motors(Course.STOPPED, self.motors.report().message)
        self.reference.driven = driven

    def _passes(self, sample: FeedforwardSample, efforts: Array) -> bool:
        """Return whether the efforts of a sample may be published."""
        guard = self.guard
        if guard.stops(sample):
            return False
        limited = self.parameters.limits != 'off'
        violation = guard.violation(self.jet[: sample.rows], efforts) if limited else ''
        if violation:
            self._halt(sample.motion, f'limit exceeded: {violation}; {RESUMPTION}')
            self.outputs.log('warning', f'No efforts are published: {guard.reason}')
            return False
        if guard.reason:
            guard.forget()
            self.outputs.log('info', 'Efforts are published again')
        return True

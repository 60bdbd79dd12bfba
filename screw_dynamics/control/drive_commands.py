# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`DriveCommands`: decisions of the node `drive_commands`, without ROS, threads and clocks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from screw_dynamics.common.arrays import Array
from screw_dynamics.common.times import SECOND
from screw_dynamics.control.drive_intake import SampleIntake, StartGate
from screw_dynamics.control.drive_output import DriveOutput
from screw_dynamics.control.drive_parameters import DriveCommandsParameters
from screw_dynamics.control.drive_records import Condition, Outputs, State
from screw_dynamics.control.drive_target import DriveTarget
from screw_dynamics.control.following import FollowingWatch
from screw_dynamics.control.inputs import (
    ClockJumped,
    DriveCommandsInput,
    Enable,
    JointStates,
    ParametersChanged,
    RobotChanged,
    Steady,
    Stop,
)
from screw_dynamics.control.last_guard import LastGuard
from screw_dynamics.control.report import OK, WARN, Line, Report
from screw_dynamics.control.sent_commands import SentCommands
from screw_dynamics.drives.robot import Robot
from screw_dynamics.errors import ScrewDynamicsError
from screw_dynamics.recordings.messages.feedforward import (
    AnySample,
    Course,
    FeedforwardSample,
    MotorSample,
)

RESUMPTION = (
    'they begin again with another motion from rest, within the limits; ~/clear of the node that '
    'sends the motion begins one'
)


class DriveCommands:
    """
    Commands of drives from samples of a feedforward; see `State`.

    `joints` are the names in the samples, `motors` those in samples of motors, None if joints are
    commanded.
    """

    def __init__(
        self,
        robot: Robot,
        joints: Sequence[str],
        motors: Sequence[str] | None,
        settings: DriveCommandsParameters,
    ) -> None:
        self._joints, self._motors = tuple(joints), tuple(motors or ())
        self._robot, self._settings = robot, settings
        names = self._motors if settings.motors else self._joints
        settings.require(joints, names)
        guard = self._guard = LastGuard(robot, self._joints, self._motors, settings)
        n = len(joints)
        self.target = DriveTarget(guard, n, settings)
        self._output = DriveOutput(robot, names, settings)
        self._gate = StartGate(joints, guard.kinds)
        self._watch = FollowingWatch(joints, guard.kinds)
        self._sent = SentCommands(guard, self.target, settings)
        self._place, self._room = np.zeros(n), np.zeros(n)  # where joints are sent
        self.state, self._reason = State.SILENT, ''
        self._followed, self._jumps = -1, 0  # motion and jumps of the sample before
        self._barred, self._ended = -1, -1  # motions up to a number, and one
        self.enabled, self._closing = True, False
        self._due = self._blind = False
        self._now: int | None = None
        self._steady = 0  # monotonic time [ns]
        self._heard = 0  # ns, when the newest sample was received
        self._samples = SampleIntake(motors=settings.motors)
        self._problem = ''
        self._warned: set[str] = set()
        self._lines: list[Line] = []
        self._counts = {'sent': 0, 'rejected joint_states': 0, 'unmarked jumps': 0}

    @property
    def rows(self) -> Array:
        """The shared array of the commands (fields, m)."""
        return self._output.rows

    def step(self, now: int, inputs: Sequence[DriveCommandsInput] = ()) -> Outputs:
        """Let time pass until `now` [ns]; return what to send of the newest of several samples."""
        before, self._steady = self._steady, now
        for item in inputs:
            self._receive(item, now)
        elapsed = 0.0 if self._now is None else 1e-9 * max(self._steady - before, 0)
        self._now = now
        driving = self.state is State.DRIVING
        while (found := self._samples.next(now, self._settings.input_timeout)) is not None:
            self._take(*found, now)
        if self._samples.problem:
            self._say('warning', 'age', self._samples.problem)
            self._samples.problem = ''
        if self.state is State.DRIVING:
            if now - self._heard > self._settings.input_timeout * SECOND:
                self._fall_silent()
            elif driving:
                self._look_at_states(now)
        if self.state is State.LEADING_OUT:
            self._due = True
            if not self._sent.lead_out(elapsed):
                self.state = State.SILENT
        return self._outputs()

    def _receive(self, item: DriveCommandsInput, now: int) -> None:
        match item:
            case FeedforwardSample() | MotorSample():
                self._samples.add(item)
            case JointStates(message):
                self._measure(message, now)
            case Steady(time):
                self._steady = time
            case Enable(wanted, reason):
                self._enable(wanted, reason)
            case ClockJumped(reason):
                self._forget(reason)
            case Stop(reason):
                self._closing = True
                self._end(reason, level='info')
            case ParametersChanged(values):
                self._apply(values)
            case RobotChanged(robot, _):
                self._change_robot(robot)

    def _measure(self, message: Any, now: int) -> None:
        """Take over a JointState received at `now` [ns]."""
        try:
            self._gate.measured.update(message, now)
        except ScrewDynamicsError as error:
            self._counts['rejected joint_states'] += 1
            self._say('error', 'joint_states', f'joint_states rejected: {error}')
            return
        if self.state is State.DRIVING and not self.target.measured:
            self._follow_up(now)

    def _enable(self, wanted: bool, reason: str) -> None:
        """Let commands begin, or lead them out for a reason and let none begin."""
        self.enabled = wanted
        if wanted:
            return
        self._end(reason)
        measured = self._gate.measured.positions(self._now or 0, self._settings.input_timeout)
        if not (self._settings.moves or np.isfinite(measured).all()):
            self._ended = self._samples.motion  # nobody knows where the robot will be

    def _forget(self, reason: str) -> None:
        """Drop what was received: earlier stamps are not valid any more."""
        self._samples.forget()
        self._gate.measured.clear()
        self._barred = self._ended = -1
        self._end(reason)

    def _apply(self, settings: DriveCommandsParameters) -> None:
        """Apply changed parameters."""
        before, self._settings = self._settings, settings
        self._sent.settings, m = settings, len(self._guard.names)
        if (settings.gains(m) != before.gains(m)).any():
            self._sent.gains.start(settings.gains(m), settings.ramp_time)
        self._output.limit = settings.servo_limit
        if settings.limits != before.limits:
            self._change_robot(self._robot)

    def _change_robot(self, robot: Robot) -> None:
        """Continue with another model, if it has the joints that are commanded."""
        try:
            guard = LastGuard(robot, self._joints, self._motors, self._settings)
        except ScrewDynamicsError as error:
            self._say('error', 'model', f'The limits stay as they are: {error}')
            return
        self._robot = robot
        self._guard = self.target.guard = self._sent.guard = guard
        self._output.set_robot(self._robot)

    def _take(self, sample: AnySample, motors: MotorSample | None, now: int) -> None:
        """Follow the next sample, or the end of its motion."""
        samples = self._samples
        if sample.state != Course.FOLLOWS:
            if sample.motion == samples.motion and sample.motion != self._ended:
                self._ended = sample.motion
                samples.let_others()
                stopped = sample.state == Course.STOPPED
                word, level = ('stopped', 'warning') if stopped else ('ended', 'info')
                self._end(f'the motion has {word}: {sample.reason}', level=level)
            return
        assert isinstance(sample, FeedforwardSample)
        new = sample.motion != self._followed
        jumps = new or sample.jumps != self._jumps
        if new:
            self._warned.clear()
        self._followed, self._jumps = sample.motion, sample.jumps
        if self.state is State.DRIVING and samples.step > self._settings.input_timeout:
            self._fall_silent()
        self._heard = now
        self.target.set(sample, motors)
        if self.state is State.DRIVING:
            self._continue(samples.step, new, jumps)
        if self.state is not State.DRIVING:
            self._consider(sample, new, now)

    def _continue(self, step: float, new: bool, jumps: bool) -> None:
        """Follow the next sample, or stop."""
        target = self.target
        jump = target.step_text(self._settings.start_tolerance, step, jumps=jumps)
        if jump and new:
            self._end(f'another motion begins elsewhere: {jump}')
            return
        reason = jump or target.violation() or self._output.violation(target)
        if reason:
            self._stop(f'limit exceeded: {reason}')
            return
        if not jumps and target.leaps(step):
            jumps = True
            self._counts['unmarked jumps'] += 1
            self._once('jump', 'Efforts jump, and their sample does not say so: they are blended')
        self._sent.follow(step, self._steady, jumps=jumps)
        self._register()

    def _register(self) -> None:
        """Register where the joints are sent."""
        self._due = True
        target, guard = self.target, self._guard
        place, room = self._place, self._room
        place[:], room[:] = target.joint_jet[0], 0.0
        if self._settings.moves:
            place[guard.owner] += self._sent.motion[0] - target.jet[0]
        if target.deflection is not None:
            np.maximum.at(room, guard.owner, np.abs(target.deflection))
        if self._output.servos:
            np.maximum.at(room, guard.owner, np.abs(self._output.offset))
        self._watch.record(self._samples.instant, place, target.joint_jet[1], room)

    def _follow_up(self, now: int) -> None:
        """Compare a new state with where the robot was sent."""
        settings = self._settings
        tolerance, age = settings.start_tolerance, settings.input_timeout
        text = self._watch.obstacle(self._gate.measured, tolerance, now, age)
        if not text or settings.follow == 'off':
            return
        if settings.stops_away:
            self._stop(text, back=self._watch.away[self._guard.owner])
        else:
            self._once('follow', f'The robot does not follow: {text}')

    def _look_at_states(self, now: int) -> None:
        """Warn where states cease while positions are sent, and do then as `follow` says."""
        settings = self._settings
        if not settings.moves or settings.follow == 'off' or self.target.measured:
            return
        age = now - int(self._gate.measured.stamps.min())
        if age <= settings.input_timeout * SECOND:
            return
        text = f'joint_states of every joint within {settings.input_timeout:g} s'
        self._once('states', f'Nobody knows whether the robot follows: expected {text}, got none')
        if settings.stops_away and age > 2.0 * settings.input_timeout * SECOND:
            self._stop(f'expected {text}, got none: nobody knows whether the robot follows')

    def _consider(self, sample: FeedforwardSample, new: bool, now: int) -> None:
        """Begin if a sample allows that; else wait."""
        if self._closing or sample.motion <= self._barred or sample.motion == self._ended:
            return
        if not self.enabled:
            self._problem = 'they are not enabled (~/enable, and the safety topic)'
            return
        first = new and self.target.begins(sample.since_start)
        rests = self.target.rests()
        if not (first or rests):
            # where another reason has kept them from beginning, that one is logged already
            self._wait(
                'moving',
                'expected the first sample of a motion from rest, or a reference at rest, got one '
                'that moves',
                quiet=bool(self._warned),
            )
            return
        begins = self.state is State.SILENT
        found = self.target.violation() or self._output.violation(self.target, begins=begins)
        if found:
            self._wait('limit', f'limit exceeded: {found}')
        elif self._is_near(now, rests):
            self._begin()

    def _is_near(self, now: int, rests: bool) -> bool:
        """Return True if every joint is measured near the reference, where needed; else wait."""
        settings, gate = self._settings, self._gate
        kind, text, passing = gate.obstacle(
            self.target.joint_jet[0], now, settings.input_timeout, settings.start_tolerance
        )
        if kind == 'unmeasured' and not settings.moves:
            if not self._blind:
                self._blind = True
                self._say('warning', 'blind', f'Efforts begin wherever the robot is: {text}')
            return True
        if kind:
            self._wait(kind, text, quiet=passing and rests)
        return not kind

    def _wait(self, kind: str, text: str, quiet: bool = False) -> None:
        """Log why commands do not begin, once per kind and motion."""
        self._problem = self._problem if quiet and self._problem else text
        if not quiet:
            self._once(kind, f'Commands do not begin: {text}')

    def _begin(self) -> None:
        """Begin at rest where the robot is, or at a command that still ends."""
        owner, gate = self._guard.owner, self._gate
        if self.state is State.SILENT:
            self._sent.rest_at(gate.turns[owner], gate.distance[owner])
        elif self._output.servos:
            self._sent.effort[0] = self._output.effort_of_offset(self._sent.motion[1])
        self.state = State.DRIVING
        self._watch.forget()
        self._sent.begin(gate.turns[owner], self._steady)
        self._register()
        self._problem, self._reason, self._barred = '', '', -1
        self._warned.clear()
        self._say('info', 'begin', 'Commands begin')

    def _fall_silent(self) -> None:
        self._end(
            f'no feedforward for {self._settings.input_timeout:g} s',
            level='info' if self.target.rests() else 'warning',
        )

    def _stop(self, reason: str, back: Array | None = None) -> None:
        """End commands, and let no motion begin that is not newer."""
        self._barred = self._samples.motion
        self._end(reason, after=f'; {RESUMPTION}', back=back)

    def _end(
        self, reason: str, *, level: str = 'warning', after: str = '', back: Array | None = None
    ) -> None:
        """Lead efforts and velocities to 0; positions come to rest, or go `back` by (m,)."""
        if self.state is not State.DRIVING:
            return
        self.state, self._reason = State.LEADING_OUT, reason
        falls = 'position' not in self._settings.fields and self.target.falls()
        remark = '; the arm is not held' if falls else ''
        self._say(level, 'end', f'Commands end: {reason}{remark}{after}')
        self._sent.end(self._output.command[1], back)

    def _say(self, level: str, key: str, text: str) -> None:
        self._lines.append(Line(level, text, key))

    def _once(self, key: str, text: str) -> None:
        """Log a warning once per motion."""
        if key not in self._warned:
            self._warned.add(key)
            self._say('warning', key, text)

    @property
    def condition(self) -> Condition:
        """What others are told."""
        return Condition(self.state, self._samples.motion, self._reason, self.enabled)

    def _outputs(self) -> Outputs:
        rows = state = tensions = None
        driving = self.state is State.DRIVING
        if self._due:
            self._counts['sent'] += 1
            output, sent = self._output, self._sent
            gains = sent.gains.values
            rows = output.write(sent.motion, sent.effort, self.target, gains, ends=not driving)
            state = output.state
            if output.threads is not None:
                tensions, problem = output.threads.write(
                    self.target.joint_jet,
                    sent.effort + [self.target.added, np.zeros(len(self._guard.names))],
                    rates=driving and self.target.jerks_known,
                )
                if problem:
                    self._say('warning', 'threads', problem)
        instant = self._samples.instant if driving else self._now or 0
        lines, self._lines, self._due = tuple(self._lines), [], False
        busy = self.state is State.LEADING_OUT
        return Outputs(rows, state, tensions, instant, self.condition, lines, busy)

    def report(self) -> Report:
        """Return the report for /diagnostics; WARN while commands are stopped or do not begin."""
        values = {'motion': self._samples.motion, 'enabled': self.enabled}
        values |= {'blends': self._sent.blends, **self._counts, **self._samples.counts}
        if self._problem and self.state is not State.DRIVING:
            return Report(WARN, f'commands do not begin: {self._problem}', values)
        if self._barred >= 0:
            return Report(WARN, f'stopped: {self._reason}', values)
        text = self.state.name.lower().replace('_', ' ')
        return Report(OK, f'{text}: {self._reason}' if self._reason else text, values)

# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`DriveCommands`: decisions of the node `drive_commands`, without ROS, threads and clocks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from screw_dynamics.common.arrays import Array
from screw_dynamics.common.times import SECOND
from screw_dynamics.control.blends import STEEPEST, Blend, Transition
from screw_dynamics.control.drive_intake import SampleIntake, StartGate
from screw_dynamics.control.drive_output import DriveOutput
from screw_dynamics.control.drive_parameters import DriveCommandsParameters
from screw_dynamics.control.drive_records import FeedforwardSample, Outputs, State
from screw_dynamics.control.drive_target import DriveTarget
from screw_dynamics.control.last_guard import LastGuard
from screw_dynamics.control.report import OK, WARN, Line, Report
from screw_dynamics.drives.robot import Robot
from screw_dynamics.errors import ScrewDynamicsError

_LEAST_TIME = 1e-3  # s between samples
_SHARE = 0.5  # of a limit of a rate or velocity, for a blend


class DriveCommands:
    """
    Commands of drives from samples of a feedforward; see `State`.

    All that is not the motion itself (begin, end, payload, wrench, speed, model, gains) leads to
    its value by a blend, which takes longer where a limit would be exceeded. `joints` are the
    names in the samples, `motors` those in samples of motors, None if joints are commanded.
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
        m, n = len(names), len(joints)
        self.target = DriveTarget(guard, n, settings)
        self._output = DriveOutput(robot, names, settings)
        self._gate = StartGate(joints, guard.kinds)
        self._motion_blend, self._effort_blend = Blend(m), Blend(m)
        self._gains = Transition(settings.gains(m))
        self._out = Transition(np.zeros((2, m)))  # efforts and velocities that end
        self._left = Transition(np.zeros(m))  # velocities of a motion before, with a new begin
        self._motion, self._effort = np.zeros((2, m)), np.zeros((2, m))  # as sent, without offsets
        self._ahead, self._blended = np.zeros((2, m)), np.zeros((2, m))
        self._turns, self._none, self._total = np.zeros(m), np.zeros(m), np.zeros(m)
        self.state, self._stopped, self._reason = State.SILENT, -1, ''
        self._leading = self._over = self._due = self._waited = False
        self._now: int | None = None
        self._heard = 0  # ns, when the newest sample was received
        self._samples = SampleIntake(motors=settings.motors)
        self.add = self._samples.add
        self._problem = ''
        self._warned: set[str] = set()
        self._lines: list[Line] = []
        self._counts = {'sent': 0, 'rejected joint_states': 0}

    @property
    def rows(self) -> Array:
        """The shared array of the commands (fields, m)."""
        return self._output.rows

    # time ----------------------------------------------------------------------------------------

    def step(self, now: int) -> Outputs:
        """Let time pass until `now` [ns]; return what to send of the newest of several samples."""
        elapsed = 0.0 if self._now is None else 1e-9 * max(now - self._now, 0)
        self._now = now
        self._receive(now)
        if self._driving and now - self._heard > self._settings.input_timeout * SECOND:
            self._gap()
        if not self._driving:
            self._lead_out(elapsed)
        return self._outputs()

    # inputs of the next step ---------------------------------------------------------------------

    def measure(self, message: Any, now: int) -> None:
        """Take over a JointState received at `now` [ns]."""
        try:
            self._gate.measured.update(message, now)
        except ScrewDynamicsError as error:
            self._counts['rejected joint_states'] += 1
            self._say('error', 'joint_states', f'joint_states rejected: {error}')

    def forget(self, reason: str) -> None:
        """Drop what was received: earlier stamps are not valid any more."""
        self._samples.forget()
        self._gate.measured.clear()
        if self._driving:
            self._say('warning', 'jump', f'{reason}: commands are led to rest')
            self._end(State.RAMP_OUT)

    def shut_down(self) -> None:
        """End commands for good."""
        self._over = True
        if self._driving:
            self._end(State.RAMP_OUT)

    def apply(self, settings: DriveCommandsParameters) -> None:
        """Apply changed parameters."""
        before, self._settings = self._settings, settings
        m = self._motion.shape[1]
        if (settings.gains(m) != before.gains(m)).any():
            self._gains.start(settings.gains(m), settings.ramp_time)
        self._output.limit = settings.servo_limit
        if settings.limits != before.limits:
            self.change_robot(self._robot)

    def change_robot(self, robot: Robot) -> None:
        """Continue with another model, if it has the joints that are commanded."""
        try:
            guard = LastGuard(robot, self._joints, self._motors, self._settings)
        except ScrewDynamicsError as error:
            self._say('error', 'model', f'The limits stay as they are: {error}')
            return
        self._robot = robot
        self._guard = self.target.guard = guard
        self._output.set_robot(self._robot)

    # samples -------------------------------------------------------------------------------------

    @property
    def silent(self) -> bool:
        """True if nothing is sent."""
        return not (self._driving or self._leading)

    @property
    def _driving(self) -> bool:
        return self.state in (State.RAMP_IN, State.ACTIVE)

    def _receive(self, now: int) -> None:
        """Follow the next sample, if there is one."""
        samples, before = self._samples, self._samples.motion
        found = samples.next(now, self._settings.input_timeout)
        if samples.problem:
            self._say('warning', 'age', samples.problem)
            samples.problem = ''
        if found is None:
            return
        sample, motors = found
        new = sample.motion != before
        if new:
            self._warned.clear()
        passed = samples.step - samples.lead_step
        if self._driving and passed > self._settings.input_timeout:
            self._gap()
        self._heard = now
        self.target.set(sample, motors)
        if self._driving:
            self._continue(sample, samples.step, new)
        if not self._driving and not self._over:
            self._consider(sample, new, now)

    def _continue(self, sample: FeedforwardSample, step: float, new: bool) -> None:
        """Follow the next sample, or stop."""
        target = self.target
        jump = target.step_text(self._settings.start_tolerance, step)
        if jump and new:  # a motion that does not continue this one
            self._end(State.RAMP_OUT)
            return
        reason = jump or target.violation() or self._output.violation(target)
        if reason:
            self._stopped, self._reason = sample.motion, reason
            self._say(
                'warning',
                'stop',
                f'Commands stop: limit exceeded: {reason}; they begin again with another motion, '
                'from rest within the limits',
            )
            self._end(State.STOPPED)
            return
        # at least the time of a fast tick
        step = max(step - self._samples.lead_step, min(step, _LEAST_TIME))
        change = target.effort_change(step)
        if change is not None:
            length = self._length(change, self._guard.rates)
            self._effort_blend.add(-change, self._none, length)
        shift = target.motion_change(step) if self._settings.moves else None
        if shift is not None:
            length = self._length(shift[0], self._guard.speeds)
            self._motion_blend.add(-shift[0], -shift[1], length)
        self._gains.advance(step)
        self._send(step)

    def _length(self, change: Array, rates: Array) -> float:
        """Return the length of a blend of a change (m,) that keeps a part of rates (m,) [s]."""
        slowest = float(np.max(np.abs(change) / rates, initial=0.0))
        return max(self._settings.ramp_time, STEEPEST / _SHARE * slowest)

    def _send(self, step: float) -> None:
        """Set what is sent `step` s after the sample before, 0 for the first one."""
        target, guard = self.target, self._guard
        np.add(target.motion[0], self._turns, out=self._ahead[0])
        self._ahead[1] = target.motion[1]
        if self._left.moving:
            self._left.advance(step)
            self._ahead[1] += self._left.values
        if self._motion_blend.moving:
            self._motion_blend.advance(step)
            self._motion_blend.write(self._ahead, self._blended)
            guard.keep_motion(self._blended, self._motion, step, self._ahead)
            self._keep(self._motion_blend, guard.speeds)
        self._motion[:] = self._ahead
        self._ahead[:] = target.effort
        if self._effort_blend.moving or guard.limited:
            self._effort_blend.advance(step)
            self._effort_blend.write(self._ahead, self._blended)
            guard.keep_effort(self._blended, self._total, step, target.added, self._ahead)
            self._keep(self._effort_blend, guard.rates)
        self._effort[:] = self._ahead
        np.add(self._effort[0], target.added, out=self._total)
        blends = self._motion_blend.moving or self._effort_blend.moving or self._left.moving
        self.state = State.RAMP_IN if blends else State.ACTIVE
        self._due = True

    def _keep(self, blend: Blend, rates: Array) -> None:
        """Have a blend begin anew at what may be sent, `_ahead`, instead of `_blended`."""
        np.subtract(self._ahead, self._blended, out=self._blended)
        if self._blended.any():
            length = self._length(self._blended[0], rates)
            blend.add(self._blended[0], self._blended[1], length)

    # begin and end -------------------------------------------------------------------------------

    def _consider(self, sample: FeedforwardSample, new: bool, now: int) -> None:
        """Begin if a sample allows that; else wait."""
        first = new and self.target.begins(sample.since_start)
        if self.state is State.STOPPED:
            if sample.motion == self._stopped or not first:
                return
            if not self._wait_for_limits():
                return
            self.state = State.RAMP_OUT if self._leading else State.SILENT
        rests = self.target.rests()
        if not (first or rests):
            # where another reason has kept them from beginning, that one is logged already
            self._wait(
                'moving',
                'expected the first sample of a motion from rest, or a reference at rest, got one '
                'that moves',
                quiet=bool(self._warned),
            )
        elif self._wait_for_limits() and self._is_near(now, rests):
            self._begin()

    def _wait_for_limits(self) -> bool:
        """Return True if the sample is within the limits; else wait."""
        found = self.target.violation() or self._output.violation(self.target)
        if found:
            self._wait('limit', f'limit exceeded: {found}')
        return not found

    def _is_near(self, now: int, rests: bool) -> bool:
        """Return True if every joint is measured near the reference, where needed; else wait."""
        settings, gate = self._settings, self._gate
        if not settings.moves:
            return True
        kind, text, passing = gate.obstacle(
            self.target.joint_jet[0], now, settings.input_timeout, settings.start_tolerance
        )
        if kind:
            self._wait(kind, text, quiet=passing and rests)
            return False
        self._turns[:] = gate.turns[self._guard.owner]
        return True

    def _wait(self, kind: str, text: str, quiet: bool = False) -> None:
        """Log why commands do not begin, once per kind and motion."""
        self._problem = self._problem if quiet and self._problem else text
        if quiet or kind in self._warned:
            return
        self._warned.add(kind)
        self._waited = True
        self._say('warning', 'wait', f'Commands do not begin: {text}')

    def _begin(self) -> None:
        """Begin at rest where the robot is, or at a command that still ends."""
        target, none = self.target, self._none
        target.forget()
        if not self._leading:
            self._motion[0] = target.motion[0] + self._turns
            self._motion[1] = target.motion[1]
            if self._settings.moves:
                self._motion[0] += self._gate.distance[self._guard.owner]
                self._motion[1] = 0.0
            self._effort[0] = target.effort[0] if self._output.servos else 0.0
        elif self._settings.moves:
            # positions rest, velocities still end
            self._left.values[:] = self._motion[1]
            self._left.start(none, self._settings.ramp_time)
            self._motion[1] = 0.0
        self._leading = False
        self._motion_blend.clear()
        self._effort_blend.clear()
        move = self._motion[0] - target.motion[0] - self._turns
        speed = self._motion[1] - target.motion[1]
        if move.any() or speed.any():
            self._motion_blend.add(move, speed, self._length(move, self._guard.speeds))
        change = self._effort[0] - target.effort[0]
        if change.any():
            self._effort_blend.add(change, none, self._length(change, self._guard.rates))
        if self._waited:
            self._say('info', 'begin', f'Commands begin, with motion {self._samples.motion}')
        self._waited, self._problem, self._reason, self._stopped = False, '', '', -1
        self._warned.clear()
        self._send(0.0)

    def _gap(self) -> None:
        self._say(
            'info' if self.target.rests() else 'warning',
            'gap',
            f'No feedforward for {self._settings.input_timeout:g} s: commands are led to rest',
        )
        self._end(State.RAMP_OUT)

    def _end(self, state: State) -> None:
        """Begin to lead efforts and velocities to rest; positions and gains stay."""
        self.state, self._waited, rest = state, True, np.zeros_like(self._effort)
        self._out.values[0], self._out.values[1] = self._effort[0], self._output.command[1]
        self._effort[1] = 0.0
        if self._output.servos:
            rest[0] = self._effort[0]
        self._out.start(rest, self._length(self._effort[0] - rest[0], self._guard.rates))
        self._leading = self._output.ends
        if not self._leading and state is State.RAMP_OUT:
            self.state = State.SILENT

    def _lead_out(self, elapsed: float) -> None:
        if not self._leading:
            return
        self._out.advance(elapsed)
        self._effort[0], self._motion[1] = self._out.values
        self._leading, self._due = self._out.moving, True
        if not self._leading and self.state is State.RAMP_OUT:
            self.state = State.SILENT

    # outputs -------------------------------------------------------------------------------------

    def _say(self, level: str, key: str, text: str) -> None:
        self._lines.append(Line(level, text, key))

    def _outputs(self) -> Outputs:
        rows = state = tensions = None
        if self._due:
            self._counts['sent'] += 1
            output = self._output
            rows = output.write(
                self._motion, self._effort, self.target, self._gains.values, ends=not self._driving
            )
            state = output.state
            if output.threads is not None:
                tensions, problem = output.threads.write(
                    self.target.joint_jet,
                    self._effort + [self.target.added, self._none],
                    rates=self._driving and self.target.jerks_known,
                )
                if problem:
                    self._say('warning', 'threads', problem)
        instant = self._samples.instant if self._driving else self._now
        lines, self._due = tuple(self._lines), False
        self._lines.clear()
        return Outputs(rows, state, tensions, instant or 0, lines, self._leading)

    def report(self) -> Report:
        """Return the report for /diagnostics; WARN while commands are stopped or do not begin."""
        values = {'motion': self._samples.motion, **self._counts, **self._samples.counts}
        if self.state is State.STOPPED:
            return Report(WARN, f'stopped: limit exceeded: {self._reason}', values)
        if self._problem and not self._driving:
            return Report(WARN, f'commands do not begin: {self._problem}', values)
        return Report(OK, self.state.value, values)

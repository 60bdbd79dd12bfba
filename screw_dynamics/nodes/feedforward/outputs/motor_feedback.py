# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`MotorFeedback`: feedback of measured motors around the motor feedforward."""

from typing import Any

import numpy as np

from screw_dynamics.arrays import Array
from screw_dynamics.control.measurements import JointStateBuffer
from screw_dynamics.control.parameters import values_per_motor
from screw_dynamics.control.ramps import CommandRamp
from screw_dynamics.control.report import OK, WARN, Report
from screw_dynamics.elastic import MotorFeedforward, MotorTable
from screw_dynamics.elastic.spring_efforts import SpringEfforts
from screw_dynamics.errors import InputError
from screw_dynamics.messages.times import SECOND
from screw_dynamics.nodes.feedforward.outputs.motor_history import MotorHistory
from screw_dynamics.nodes.feedforward.parameters import FeedforwardParameters
from screw_dynamics.nodes.shared.motor_states import MotorStateBuffer
from screw_dynamics.robot import Robot

_TOPIC = '~/motor_states'
_KP, _KD, _KT, _LIMIT = range(4)  # rows of the gains
_BEFORE = 'the motion has only begun'


def feedback_gains(table: MotorTable, parameters: FeedforwardParameters) -> Array:
    """Return Kp, Kd, Kt and the limit (4, m); raise InputError if they do not fit the motors."""
    gains = np.array(
        [
            values_per_motor(name, values, table.names)
            for name, values in parameters.feedback_gains.items()
        ]
    )
    for i in np.flatnonzero(gains[_KT]):
        rigid = SpringEfforts(table).rigid[i]
        if rigid and parameters.feedback_effort_source == 'springs':
            raise InputError(
                f"parameter 'feedback.effort': expected 0 for motor {table.names[i]!r}, whose "
                f'joint has no spring, without feedback.effort_source: motor_states, got '
                f'{gains[_KT, i]:g}'
            )
    return gains


class MotorFeedback:
    """
    Adds feedback of the measured motors to the motor efforts of the feedforward.

    ``tau_m + w clip(Kp (theta_d - theta) + Kd (theta_d' - theta') + Kt (tau_d - tau_s), limit)``
    for each motor, on the joint side of the gear, with the efforts tau_d and tau_s of its spring.
    The reference theta_d, theta_d', tau_d is that of the instant of the measurement: that of the
    command, which is `lead_time` and the age of the measurement later, would be ahead by this
    time's motion. w leads from 0 to 1 within ``feedback.ramp_time`` where measurements are there,
    and the feedback leads back to 0 where they end. The sum keeps the limits of the motors, unless
    the feedforward itself is at one.
    """

    def __init__(
        self,
        robot: Robot,
        links: JointStateBuffer,
        logger: Any,
        parameters: FeedforwardParameters,
    ) -> None:
        table = robot.motors
        self._names, self._logger, self._links = table.names, logger, links
        self.states = MotorStateBuffer(table.names)
        self._springs = SpringEfforts(table)
        self._history = MotorHistory(table, self._springs)
        owner = table.joint_of_motor
        kinds = np.array(robot.model.coordinate_types)[owner]
        self._owner, self._turns = owner, np.where(kinds == 'continuous', 2.0 * np.pi, 0.0)
        self._most, self._least = table.max_efforts, -table.max_efforts
        self._link, self._motor_link = np.zeros((2, robot.n)), np.zeros((2, table.m))
        self._errors, self._parts = np.zeros((3, table.m)), np.zeros((3, table.m))
        self._target, self._sum, self._work = np.zeros((3, table.m))
        self._largest = np.zeros(table.m)  # position errors since the last report
        unlimited = np.full((4, table.m), np.inf)
        self._wanted = feedback_gains(table, parameters)
        times = parameters.feedback_ramp_time, parameters.period
        self._gains = CommandRamp(self._wanted, unlimited, *times)
        self._ramp = CommandRamp(np.zeros(table.m), unlimited[0], *times)
        self._table, self._problem, self._begun = table, '', -1
        self._computed = self._saturated = self._clipped = 0
        self._following = False
        self.apply(parameters)

    def apply(self, parameters: FeedforwardParameters) -> None:
        """Apply changed parameters; gains lead to their new values within the ramp time."""
        self._parameters, self._format = parameters, parameters.effort_format
        self.on = parameters.has_feedback
        wanted = feedback_gains(self._table, parameters)
        if (wanted != self._wanted).any():
            self._gains.retarget()
        self._wanted = wanted
        for ramp in (self._gains, self._ramp):
            ramp.duration, ramp.period = parameters.feedback_ramp_time, parameters.period
        self._needed = ['position']  # fields of the messages
        if wanted[_KD].any():
            self._needed.append('velocity')
        if wanted[_KT].any() and parameters.feedback_effort_source == 'motor_states':
            self._needed.append('effort')

    def receive(self, message: Any, now: int) -> None:
        """Store a JointState of the motors received at `now` [ns], or raise InputError."""
        if self.on:
            self.states.update(message, now, self._parameters.feedback_timeout, self._needed)

    @property
    def acts(self) -> bool:
        """True unless there is no feedback and none that is ramped out."""
        return self.on or self._begun >= 0

    def pause(self) -> None:
        """End at once: nothing is published, or what was published is ramped out."""
        if self._begun >= 0:
            self._begun, self._problem, self._following = -1, '', False
            self._ramp.reset()
            self._gains.retarget()  # the clock may have been set back
            self._history.clear()

    def added(
        self, motors: MotorFeedforward, sent: Array, stiffness: Array, instant: int, now: int
    ) -> Array:
        """
        Return motor efforts with feedback (m,), as the robot takes them, in a shared array.

        `motors` are those of the sample for an `instant` [ns], `sent` (m,) their efforts as the
        robot takes them, `stiffness` (V,) that of the variable joints.
        """
        if self._begun < 0:
            self._begun = now
        self._history.add(instant, motors, stiffness)
        problem = self._compute(now) if self.on else ''
        if self.on and not problem:
            self._ramp.follow(self._target, now)
        else:
            self._ramp.release(now)
        self._watch(problem, now)
        total = self._limited(motors.motor_effort)
        if self._format.trivial:
            return total
        np.subtract(total, motors.motor_effort, out=total)
        np.multiply(total, self._format.gains, out=total)
        return np.add(sent, total, out=total)

    def _limited(self, effort: Array) -> Array:
        """Return the efforts (m,) with feedback, as far as the limits of the motors allow."""
        total, bound = self._sum, self._work
        np.add(effort, self._ramp.values, out=total)
        # the feedforward is not clipped
        np.minimum(total, np.maximum(self._most, effort, out=bound), out=total)
        np.maximum(total, np.minimum(self._least, effort, out=bound), out=total)
        np.subtract(np.add(effort, self._ramp.values, out=bound), total, out=bound)
        self._clipped += bool(bound.any())
        return total

    def _compute(self, now: int) -> str:
        """Set the feedback before the ramp; return the reason if that is not possible."""
        timeout = self._parameters.feedback_timeout
        if not self.states.fresh(now, timeout) or self.states.instant is None:
            return f'no usable {_TOPIC} for {timeout:g} s'
        state = self._history.at(self.states.instant)
        if state is None:
            return _BEFORE
        self._gains.follow(self._wanted, now)
        np.subtract(state[:3], self.states.values, out=self._errors)
        self._unwind(self._errors[0])
        if self._gains.values[_KT].any() and self._parameters.feedback_effort_source == 'springs':
            problem = self._compute_efforts(self.states.instant, state)
            if problem:
                return problem
        np.maximum(self._largest, np.abs(self._errors[0], out=self._work), out=self._largest)
        np.multiply(self._errors, self._gains.values[:_LIMIT], out=self._parts)
        np.add.reduce(self._parts, axis=0, out=self._sum)
        limit = self._gains.values[_LIMIT]
        np.minimum(self._sum, limit, out=self._target)
        np.maximum(self._target, np.negative(limit, out=self._work), out=self._target)
        self._computed += 1
        np.subtract(self._sum, self._target, out=self._work)
        self._saturated += bool(self._work.any())
        return ''

    def _compute_efforts(self, instant: int, state: Array) -> str:
        """Set the errors of the efforts by the laws of the springs; return why if impossible."""
        timeout = self._parameters.feedback_timeout
        if not self._links.write_at(instant, timeout, self._link):
            return f'no joint_states within {timeout:g} s of {_TOPIC}'
        np.take(self._link, self._owner, axis=1, out=self._motor_link, mode='clip')
        deflections = np.subtract(self.states.values[:2], self._motor_link, out=self._motor_link)
        self._unwind(deflections[0])
        efforts = self._work
        efforts[:] = state[2]  # of rigid joints
        self._springs.fill(deflections, state[3], efforts)
        np.subtract(state[2], efforts, out=self._errors[2])
        if np.isfinite(self._errors[2]).all():
            return ''
        worst = self._names[int(np.argmax(~np.isfinite(self._errors[2])))]
        return f'the measured deflection of {worst} is outside of the table of its spring'

    def _unwind(self, angles: Array) -> None:
        """Subtract whole turns of continuous joints in place."""
        np.multiply(angles, 0.5 / np.pi, out=self._work)
        np.rint(self._work, out=self._work)
        np.multiply(self._work, self._turns, out=self._work)
        np.subtract(angles, self._work, out=angles)

    def _watch(self, problem: str, now: int) -> None:
        """Log the end and the return of measurements once each."""
        late = self._following or now - self._begun > self._parameters.feedback_timeout * SECOND
        self._following = self.on and not problem
        if problem and problem is not _BEFORE and late and not self._problem:
            self._logger.warning(f'Motor feedback ends: {problem}')
            self._problem = problem
        elif self._problem and not problem:
            if self.on:
                self._logger.info('Motor feedback acts again')
            self._problem = ''

    def report(self) -> Report:
        """Return the report for /diagnostics since the last one."""
        if not self.on:
            return Report(OK, 'off')
        if self._begun < 0:
            return Report(OK, 'not active')
        computed, saturated, clipped = self._computed, self._saturated, self._clipped
        self._computed = self._saturated = self._clipped = 0
        worst = int(np.argmax(self._largest))
        values: dict[str, object] = {
            'largest position error [rad or m]': f'{self._largest[worst]:.6g}',
            'of motor': self._names[worst],
            'samples': computed,
            'samples at feedback.limit': saturated,
            'samples at max_effort': clipped,
        }
        self._largest[:] = 0.0
        if self._problem:
            return Report(WARN, f'no feedback: {self._problem}', values)
        if saturated or clipped:
            limit = 'feedback.limit' if saturated else 'max_effort'
            return Report(WARN, f'at {limit}', values)
        return Report(OK, 'ok', values)

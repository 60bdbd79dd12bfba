# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`CommandsOutput`: fields of commands for drives, on one topic or on one each."""

from __future__ import annotations

import numpy as np
from rclpy.node import Node
from std_msgs.msg import Float64MultiArray, MultiArrayDimension

from screw_dynamics.arrays import Array
from screw_dynamics.control.measurements import JointStateBuffer
from screw_dynamics.control.ramps import CommandRamp, MotionRamp
from screw_dynamics.control.report import OK, WARN, Report
from screw_dynamics.feasibility.quantities import motor_limits
from screw_dynamics.model.records import POSITION_UNITS
from screw_dynamics.nodes.feedforward.outputs.effort_outputs import EffortSample
from screw_dynamics.nodes.feedforward.outputs.motor_messages import GearSide
from screw_dynamics.nodes.feedforward.outputs.position_servos import PositionServos
from screw_dynamics.nodes.feedforward.parameters import FeedforwardParameters
from screw_dynamics.nodes.shared.endpoints import MessageOutput, await_delivery, delivery_end
from screw_dynamics.nodes.shared.reused_message import ReusedMessage
from screw_dynamics.reference.reference import Source
from screw_dynamics.robot import Robot

# Ticks without a fresh state before a warning: after a stall of the node the first one comes
# before it looks at the states in its queue, the next one perhaps while these are still received.
_LOOKS = 3


class _RowsOutput(MessageOutput):
    """A topic with rows of fields (f, m); `label` names the m entries."""

    def __init__(self, node: Node, topic: str, label: str, rows: Array) -> None:
        f, m = rows.shape
        message = Float64MultiArray()
        message.layout.dim = [MultiArrayDimension(label=label, size=m, stride=m)]
        if f > 1:
            message.layout.dim.insert(0, MultiArrayDimension(label='fields', size=f, stride=f * m))
        super().__init__(node, Float64MultiArray, topic)
        self._message = ReusedMessage(message, {('data',): rows.reshape(1, -1)})

    def send(self) -> None:
        """Publish the rows."""
        self._publisher.publish(self._message.written())

    def end(self, latest: float) -> None:
        """Destroy the publisher when the last command is received, or at a monotonic time [s]."""
        await_delivery(self._publisher, latest)
        self.destroy()


class CommandsOutput:
    """
    ``~/commands``: efforts, positions, velocities and gains of the joints or the motors.

    Efforts and changes of gains are ramped, see `CommandRamp`. Commands with positions begin,
    from rest at the measured positions, once these are near the reference, and anew after a step
    of it; where the output ends positions and gains stay, velocities lead to 0. `jet` (5, n) is
    the shared reference.
    """

    def __init__(
        self,
        node: Node,
        robot: Robot,
        jet: Array,
        measured: JointStateBuffer,
        parameters: FeedforwardParameters,
    ) -> None:
        motors = parameters.commands_content == 'motor_efforts'
        names = robot.motors.names if motors else robot.joint_names
        fields, m = parameters.command_fields, len(names)
        self._robot, self._jet, self._measured = robot, jet, measured
        self._logger = node.get_logger()
        self._owner = robot.motors.joint_of_motor if motors else np.arange(robot.n)
        self._rows = np.zeros((len(fields), m))
        rows = dict(zip(fields, self._rows, strict=True))
        self._effort, self._position = rows.get('effort'), rows.get('position')
        self._velocity = rows.get('velocity')
        self._gains = [(i, rows[name]) for i, name in enumerate(('kp', 'kd')) if name in rows]
        self._make_ramps(m, parameters)
        joints = GearSide(None, parameters.effort_format.offsets)
        self._side = GearSide.of_motors(robot, parameters) if motors else joints
        self._servos: PositionServos | None = None
        if parameters.servo_stiffness:
            self._servos = PositionServos(robot, names, parameters, self._logger.warning)
        self._state, self._target = np.zeros((2, robot.n)), np.zeros((2, m))
        self._distance, self._start, self._rest = np.zeros(robot.n), np.zeros(m), np.zeros(m)
        self._last, self._instant = np.zeros((2, m)), 0  # of the sample before
        self._begun, self._problem = False, ''
        self._warned: set[str] = set()  # kinds of problems
        self._unmeasured = 0  # ticks in a row
        self._parameters = parameters
        self.apply(parameters)
        topics = {'~/commands': self._rows}
        if parameters.command_topics == 'apart':
            topics = {
                '~/commands' if field == 'effort' else f'~/{field}_commands': self._rows[i : i + 1]
                for i, field in enumerate(fields)
            }
        label = 'motors' if motors else 'joints'
        self._outputs = [_RowsOutput(node, topic, label, rows) for topic, rows in topics.items()]

    def _make_ramps(self, m: int, parameters: FeedforwardParameters) -> None:
        effort_format, rates = parameters.effort_format, np.full(m, np.inf)
        if self._robot.drives is not None:
            rates = motor_limits(self._robot).effort_rates[self._owner]
        rest = np.zeros(m) + effort_format.offsets
        times = parameters.ramp_time, parameters.period
        self.ramp = CommandRamp(rest, rates * np.abs(effort_format.gains), *times)
        self._motion = MotionRamp(m, *times)
        self._wanted = _gains(parameters, m)
        self._gain_ramp = CommandRamp(self._wanted, np.full((2, m), np.inf), *times)

    def apply(self, parameters: FeedforwardParameters) -> None:
        """Apply changed parameters; gains lead to their new values within the ramp time."""
        # the reference steps if it is sampled further ahead
        self._instant += round(1e9 * (parameters.lead - self._parameters.lead))
        self._parameters = parameters
        for ramp in (self.ramp, self._motion, self._gain_ramp):
            ramp.duration, ramp.period = parameters.ramp_time, parameters.period
        wanted = _gains(parameters, len(self._start))
        if (wanted != self._wanted).any():
            self._wanted = wanted
            self._gain_ramp.retarget()
        if self._servos is not None:
            self._servos.limit = parameters.servo_offset_limit

    def retarget(self) -> None:
        """Blend from the present efforts to the next ones: the load has changed."""
        self.ramp.retarget()

    @property
    def _moves(self) -> bool:
        """True if the commands have positions or velocities."""
        return self._position is not None or self._velocity is not None

    @property
    def driven(self) -> bool:
        """True if the robot follows the sample published last."""
        return self._begun or not self._moves

    def publish(
        self, sample: EffortSample, effort: Array, rate: Array | None, motion: Array, now: int
    ) -> None:
        """
        Publish efforts (m,) as the robot takes them and the motion (3 or more, m) of a sample.

        `rate` (m,) is the time derivative of the efforts, if it is known.
        """
        if self._moves:
            if not self._follows(sample, effort, rate, motion, now):
                self.release(now)
                return
            self._motion.follow(self._target, now)
        if self._effort is not None:
            self.ramp.follow(effort, now)
        if self._gains:
            self._gain_ramp.follow(self._wanted, now)
        self._send()

    def _follows(
        self, sample: EffortSample, effort: Array, rate: Array | None, motion: Array, now: int
    ) -> bool:
        """Set the target of positions and velocities; return False if it is not to be followed."""
        acceleration = motion[2]
        if sample.source is Source.MEASURED:  # held there, so that the drive damps
            self._target[0], self._target[1] = motion[0], self._rest
            acceleration = rate = self._rest
        else:
            self._begun = self._begun and not self._steps(motion, sample.instant)
            self._target[:] = self._last[:] = motion[:2]
            self._instant = sample.instant
        if self._servos is not None:
            self._servos.follow(sample.source, sample.continues, sample.first)
            if not self._servos.passes(effort, rate, acceleration, self._target):
                return False
        if not self._begun:
            self._begun = self._begins(now)
        return self._begun

    def _steps(self, motion: Array, instant: int) -> bool:
        """Return True if a motion does not continue that of the sample before."""
        ahead, half = self._start, 0.5e-9 * (instant - self._instant)
        np.add(self._last[1], motion[1], out=ahead)
        np.multiply(ahead, half, out=ahead)
        np.add(ahead, self._last[0], out=ahead)
        np.subtract(ahead, motion[0], out=ahead)
        return float(np.abs(ahead, out=ahead).max()) > self._parameters.command_start_tolerance

    def _begins(self, now: int) -> bool:
        """Begin where the robot is if the reference is near; else return False, with a warning."""
        self._start[:] = self._target[0]
        if self._position is not None:
            kind = self._distant(now)
            self._unmeasured = self._unmeasured + 1 if kind is _UNKNOWN else 0
            if kind:
                self._wait(kind, now)
                return False
            np.add(self._start, self._distance[self._owner], out=self._start)
            if self._servos is not None:  # at rest
                np.subtract(self._start, self._servos.lead, out=self._start)
        self._motion.begin(self._start, self._target, now)
        if self._problem:
            self._logger.info('Commands begin: the robot is at the reference')
        self._forget_problems()
        return True

    def _distant(self, now: int) -> str:
        """Return the kind of problem if the robot is not measured near the reference."""
        age = self._parameters.max_joint_state_age
        if not self._measured.write(now, age, self._state):
            return _UNKNOWN
        np.subtract(self._state[0], self._jet[0], out=self._distance)
        tolerance = self._parameters.command_start_tolerance
        if max(self._distance.max(), -self._distance.min()) > tolerance:
            return _DISTANT
        return ''

    def _wait(self, kind: str, now: int) -> None:
        """Log a warning once per kind of problem and motion."""
        if self._problem.startswith(kind) or 0 < self._unmeasured < _LOOKS:
            return
        age, names = self._parameters.max_joint_state_age, self._robot.joint_names
        if kind is _UNKNOWN:
            known = np.isfinite(self._measured.positions(now, age))
            missing = [name for name, one in zip(names, known, strict=True) if not one]
            text = f'{", ".join(missing)} within {age:g} s, got none'
        else:
            j = int(np.argmax(np.abs(self._distance)))
            unit = POSITION_UNITS[self._robot.model.coordinate_types[j] == 'prismatic']
            text = (
                f'{names[j]} within {self._parameters.command_start_tolerance:g} {unit} of the '
                f'reference {self._jet[0, j]:.6g}, got {self._state[0, j]:.6g}'
            )
        self._problem = f'{kind} {text}'
        if kind not in self._warned:
            self._warned.add(kind)
            self._logger.warning(f'Commands do not begin: {self._problem}')

    def _forget_problems(self) -> None:
        self._problem, self._unmeasured = '', 0
        self._warned.clear()

    def _send(self) -> None:
        if self._position is not None:
            self._side.motion(self._motion.values[0], self._position)
        if self._velocity is not None:
            self._side.motion(self._motion.values[1], self._velocity)
        if self._effort is not None:
            self._side.effort(self.ramp.values, self._effort)
        for i, row in self._gains:
            row[:] = self._gain_ramp.values[i]
        for output in self._outputs:
            output.send()

    def release(self, now: int) -> bool:
        """
        Lead efforts and velocities to rest; return False if there is nothing more to publish.

        Positions and gains stay.
        """
        self._begun = False
        released = self._effort is not None and self.ramp.release(now)
        stopping = self._motion.release(now) and self._velocity is not None
        if released or stopping:
            self._send()
        return released or stopping

    def forget(self) -> None:
        """Reset: the next sample begins a motion."""
        self._forget_problems()
        if self._servos is not None:
            self._servos.forget()

    def report(self) -> Report:
        """Return the report for /diagnostics; WARN while commands are stopped or do not begin."""
        if self._servos is not None and self._servos.reason:
            return Report(WARN, f'no commands are published: {self._servos.reason}')
        if self._problem:
            return Report(WARN, f'commands do not begin: {self._problem}')
        return Report(OK, 'ok' if self._begun else 'none')

    def destroy(self, latest: float) -> None:
        """Destroy the publishers; what they sent last is waited for until a monotonic time [s]."""
        for output in self._outputs:
            output.end(latest)


# kinds of problems
_UNKNOWN, _DISTANT = 'expected joint_states of', 'expected joint_states with'


def updated_commands(
    commands: CommandsOutput | None,
    content: str,
    node: Node,
    robot: Robot,
    jet: Array,
    measured: JointStateBuffer,
    parameters: FeedforwardParameters,
) -> CommandsOutput | None:
    """Return the output of commands with this content after a change of parameters, if any."""
    wanted = parameters.publish_commands and parameters.commands_content == content
    if commands is not None and wanted:
        commands.apply(parameters)
        return commands
    if commands is not None:
        commands.destroy(delivery_end())
    return CommandsOutput(node, robot, jet, measured, parameters) if wanted else None


def _gains(parameters: FeedforwardParameters, m: int) -> Array:
    """Return kp and kd (2, m); 0 if they are not sent."""
    gains = np.zeros((2, m))
    for row, values in zip(gains, (parameters.mit_kp, parameters.mit_kd), strict=True):
        row[:] = values or (0.0,)
    return gains

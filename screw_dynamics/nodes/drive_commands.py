# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Node `drive_commands`: samples of the node `feedforward` in, commands of drives out."""

import sys
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from rclpy.node import Node
from rclpy.qos import qos_profile_sensor_data
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray, MultiArrayDimension

from screw_dynamics.common.arrays import Array
from screw_dynamics.common.stop_signals import stop_is_urgent
from screw_dynamics.common.times import nanoseconds, seconds
from screw_dynamics.control.drive_commands import DriveCommands
from screw_dynamics.control.drive_parameters import DriveCommandsParameters
from screw_dynamics.control.drive_records import FeedforwardSample, MotorSample, Outputs
from screw_dynamics.control.report import OK, WARN, Report
from screw_dynamics.drives.robot import Robot
from screw_dynamics.errors import InputError, ScrewDynamicsError
from screw_dynamics.nodes.shared.endpoints import (
    DEPTH,
    MessageOutput,
    ReusedMessage,
    RowOutput,
    await_delivery,
    delivery_end,
    make_subscription,
    state_output,
)
from screw_dynamics.nodes.shared.executor import run_node
from screw_dynamics.nodes.shared.loaded_robot import LoadedRobot
from screw_dynamics.nodes.shared.reason_throttle import ReasonThrottle, log_line
from screw_dynamics.nodes.shared.robot_node import RobotNode
from screw_dynamics.nodes.shared.tick_timer import TickTimer
from screw_dynamics.soft.segments.thread_set import threads_of
from screw_dynamics_interfaces.msg import FeedforwardTorque, MotorFeedforward

NAME = 'drive_commands'
INPUT, MOTORS = 'feedforward/feedforward', 'feedforward/motor_feedforward'
_RATE = 200.0  # Hz, of ramps out, and at which the age of the input is looked at
_REPEATED = 'age', 'joint_states', 'threads'  # keys of lines that come with every message


class DriveCommandsNode(RobotNode[DriveCommandsParameters]):
    """Sends the efforts of the node feedforward to drives, within their limits."""

    def __init__(self) -> None:
        self._core: DriveCommands | None = None
        self._robot: Robot | None = None
        self._names: tuple[str, ...] = ()
        self._motor_names: tuple[str, ...] | None = None
        self._outputs: list[RowsOutput] = []
        self._state: RowOutput | None = None
        self._tensions: list[RowOutput] = []
        self._throttle = ReasonThrottle(self)
        self._rejected, self._problem = 0, ''
        self._shared: set[str] = set()  # topics with other publishers, which are logged
        super().__init__(NAME, DriveCommandsParameters)

    def _set_up(self) -> dict[str, Callable[[], Report]]:
        self._warn_of_limits()
        values = self._values
        wanted: list[tuple[Any, ...]] = [(FeedforwardTorque, INPUT, self._on_feedforward, DEPTH)]
        if values.motors:
            wanted.append((MotorFeedforward, MOTORS, self._on_motors, DEPTH))
        if values.moves:
            wanted.append((JointState, 'joint_states', self._on_states, qos_profile_sensor_data))
        self._inputs = [make_subscription(self, *one) for one in wanted]
        self._ticks = TickTimer(
            self,
            self._step,
            lambda reason: None if self._core is None else self._core.forget(reason),
        )
        self._ticks.start(_RATE)
        return {'commands': self._report}

    def destroy_node(self) -> None:
        """Lead commands to rest, and destroy the node."""
        self._drop()
        super().destroy_node()

    # parameters and model ------------------------------------------------------------------------

    def _warn_of_limits(self) -> None:
        if self._values.limits == 'off':
            self.get_logger().warning(
                "Parameter 'limits' is off: efforts and motions beyond the limits of the robot "
                'are sent'
            )

    def _check(self, values: DriveCommandsParameters) -> None:
        if self._core is not None:
            values.require(self._names, self._commanded)

    def _on_parameters(self, old: DriveCommandsParameters, new: DriveCommandsParameters) -> None:
        if old.limits != new.limits:
            self._warn_of_limits()
        if self._core is not None:
            self._core.apply(new)

    def _on_model(self, loaded: LoadedRobot) -> None:
        self._robot = loaded.robot
        if self._core is not None:
            self._core.change_robot(loaded.robot)
        inputs = ', '.join(one.topic_name for one in self._inputs)
        self.get_logger().info(f'Ready: listens on {inputs}')

    @property
    def _commanded(self) -> tuple[str, ...]:
        motors = self._motor_names if self._values.motors else None
        return self._names if motors is None else motors

    # inputs --------------------------------------------------------------------------------------

    def _on_feedforward(self, message: Any) -> None:
        try:
            sample = feedforward_sample(message)
            if tuple(message.joint_names) != self._names or self._core is None:
                self._begin(tuple(message.joint_names), self._motor_names)
            self._take(sample)
        except ScrewDynamicsError as error:
            self._reject(INPUT, error)

    def _on_motors(self, message: Any) -> None:
        try:
            sample = motor_sample(message)
            if tuple(message.motor_names) != self._motor_names:
                self._begin(self._names, tuple(message.motor_names))
            self._take(sample)
        except ScrewDynamicsError as error:
            self._reject(MOTORS, error)

    def _on_states(self, message: JointState) -> None:
        if self._core is not None:
            self._core.measure(message, self._now())

    def _take(self, sample: FeedforwardSample | MotorSample) -> None:
        if self._core is not None:
            self._core.add(sample)
            self._step(self._now())

    def _reject(self, topic: str, error: ScrewDynamicsError) -> None:
        self._rejected += 1
        self._problem = f'{topic}: {error}'
        self._throttle.log('error', f'Rejected: {self._problem}', 'rejected')

    def _begin(self, names: tuple[str, ...], motors: tuple[str, ...] | None) -> None:
        """Command other joints or motors, or raise ScrewDynamicsError."""
        if self._core is not None and not self._core.silent:
            raise InputError(
                f'expected samples of {", ".join(self._commanded)} until commands have ended, got '
                f'{", ".join(names)}: are there two sources?'
            )
        self._drop()
        values = self._values
        self._names, self._motor_names = names, motors
        if self._robot is None or not names or (values.motors and motors is None):
            return
        core = DriveCommands(self._robot, names, motors, values)
        fields, entries = values.fields, self._commanded
        label = 'motors' if values.motors else 'joints'
        topics = {'~/commands': core.rows}
        if values.topics == 'apart':
            topics = {
                '~/commands' if field == 'effort' else f'~/{field}_commands': core.rows[i : i + 1]
                for i, field in enumerate(fields)
            }
        self._outputs = [RowsOutput(self, topic, label, rows) for topic, rows in topics.items()]
        if values.publish_joint_state:
            self._state = state_output(self, '~/joint_commands', entries)
        threads = threads_of(self._robot.model)
        if threads is not None:
            topics_of_threads = '~/thread_tensions', '~/thread_tension_rates'
            self._tensions = [
                state_output(self, t, threads.names, ('effort',)) for t in topics_of_threads
            ]
        self._core = core
        self.get_logger().info(
            f'Commands for {", ".join(entries)}: {", ".join(fields)} on '
            f'{", ".join(output.topic_name for output in self._outputs)}'
        )

    def _drop(self) -> None:
        """Lead commands to rest, until a further signal, and destroy their publishers."""
        now, period = self._now(), 1.0 / _RATE
        if self._core is not None:
            self._core.shut_down()
        outputs = self._step(now)
        while outputs is not None and outputs.busy and self.context.ok():
            if stop_is_urgent():
                self.get_logger().warning(
                    'Stopped again: the ramp ends here, drives keep the last command'
                )
                break
            time.sleep(period)
            now += round(1e9 * period)
            outputs = self._step(now)
        latest, self._core = delivery_end(), None
        for output in self._outputs:
            output.end(latest)
        for state in (*self._tensions, *([] if self._state is None else [self._state])):
            state.destroy()
        self._outputs, self._tensions, self._state = [], [], None

    # time ----------------------------------------------------------------------------------------

    def _step(self, now: int) -> Outputs | None:
        """Let the core step, and publish and log what it asks for; None without a core."""
        if self._core is None:
            return None
        outputs = self._core.step(now)
        if outputs.rows is not None:
            for output in self._outputs:
                output.send()
            if self._state is not None and outputs.state is not None:
                self._state.publish(outputs.instant, outputs.state)
        if outputs.tensions is not None:
            for tensions, row in zip(self._tensions, outputs.tensions, strict=False):
                tensions.publish(outputs.instant, row)
        for level, text, key in outputs.log:
            if key in _REPEATED:
                self._throttle.log(level, text, key)
            else:
                log_line(self, level, text)
        return outputs

    def _report(self) -> Report:
        """Return the report of the commands; WARN while they are stopped or do not begin."""
        shared = {self._inputs[0].topic_name: 'only those of the newest motion are followed'}
        for output in self._outputs:
            shared[output.topic_name] = 'drives get the commands of all'
        for topic, effect in shared.items():
            count = self.count_publishers(topic)
            if count > 1 and topic not in self._shared:
                self._shared.add(topic)
                self.get_logger().warning(f'{topic} has {count} publishers: {effect}')
        if self._core is None:
            level = WARN if self._problem else OK
            return Report(level, self._problem or 'no samples', {'rejected': self._rejected})
        report = self._core.report()
        return report._replace(values={**report.values, 'rejected': self._rejected})


def feedforward_sample(message: Any) -> FeedforwardSample:
    """Return a FeedforwardTorque as a record, or raise InputError."""
    n, point = len(message.joint_names), message.reference
    rows = [point.positions, point.velocities, point.accelerations]
    if len(message.reference_jerk):
        rows.append(message.reference_jerk)
    jet = np.stack([_row('reference', row, n) for row in rows])
    kind = FeedforwardTorque
    return FeedforwardSample(
        nanoseconds(message.header.stamp),
        int(message.motion),
        seconds(point.time_from_start) if message.source == kind.SOURCE_TRAJECTORY else np.inf,
        jet,
        _row('effort', message.effort, n),
        _optional('effort_dot', message.effort_dot, n),
        _optional('gravity_effort', message.gravity_effort, n),
        message.source == kind.SOURCE_MEASURED,
    )


def motor_sample(message: Any) -> MotorSample:
    """Return a MotorFeedforward as a record, or raise InputError."""
    m = len(message.motor_names)
    names = 'motor_position', 'motor_velocity', 'motor_acceleration'
    ratios = _row('gear_ratio', message.gear_ratio, m)
    if not (np.abs(ratios) > 0.0).all():
        raise InputError(f'gear_ratio: expected numbers other than 0, got {list(ratios)}')
    return MotorSample(
        nanoseconds(message.header.stamp),
        int(message.motion),
        np.stack([_row(name, getattr(message, name), m) for name in names]),
        _row('motor_effort', message.motor_effort, m),
        _row('deflection', message.deflection, m),
        ratios,
        _optional('motor_effort_dot', message.motor_effort_dot, m),
    )


def _row(name: str, values: Any, count: int) -> Array:
    if len(values) != count:
        raise InputError(f'{name}: expected {count} values, got {len(values)}')
    return np.frombuffer(values) if count else np.zeros(0)


def _optional(name: str, values: Any, count: int) -> Array | None:
    return _row(name, values, count) if len(values) else None


class RowsOutput(MessageOutput):
    """A topic with rows of fields (f, m); `label` names the m entries."""

    def __init__(self, node: Node, topic: str, label: str, rows: Array) -> None:
        f, m = rows.shape
        message = Float64MultiArray()
        message.layout.dim = [MultiArrayDimension(label=label, size=m, stride=m)]
        if f > 1:
            message.layout.dim.insert(0, MultiArrayDimension(label='fields', size=f, stride=f * m))
        super().__init__(node, Float64MultiArray, topic)
        self._rows = rows
        self._message = ReusedMessage(message, {('data',): rows.reshape(1, -1)})

    def send(self) -> None:
        """Publish the rows."""
        self._publisher.publish(self._message.written())

    def end(self, latest: float) -> None:
        """Destroy the publisher when the last command is received, or at a monotonic time [s]."""
        await_delivery(self._publisher, latest)
        self.destroy()


main = partial(run_node, DriveCommandsNode, NAME, parameters=DriveCommandsParameters)

if __name__ == '__main__':
    sys.exit(main())

# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Node `drive_commands`: samples of the node `feedforward` in, commands of drives out."""

import time
from collections.abc import Callable
from functools import partial
from typing import Any

from rclpy.node import Node
from rclpy.qos import qos_profile_sensor_data
from sensor_msgs.msg import JointState
from std_msgs.msg import Bool, Float64MultiArray, MultiArrayDimension
from std_srvs.srv import SetBool

from screw_dynamics.common.arrays import Array
from screw_dynamics.common.stop_signals import stop_is_urgent
from screw_dynamics.common.times import set_stamp
from screw_dynamics.control.drive_commands import DriveCommands
from screw_dynamics.control.drive_parameters import DriveCommandsParameters
from screw_dynamics.control.drive_records import Condition, Outputs, State
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
from screw_dynamics.control.permission import Permission
from screw_dynamics.control.report import OK, WARN, Report
from screw_dynamics.drives.robot import Robot
from screw_dynamics.errors import InputError, ScrewDynamicsError
from screw_dynamics.model.robot_model import threads_of
from screw_dynamics.nodes.shared.endpoints import (
    DEPTH,
    LATCHED,
    MessageOutput,
    ReusedMessage,
    RowOutput,
    await_delivery,
    delivery_end,
    make_publisher,
    make_subscription,
    state_output,
    steady_timer,
)
from screw_dynamics.nodes.shared.executor import run_node
from screw_dynamics.nodes.shared.loaded_robot import LoadedRobot
from screw_dynamics.nodes.shared.reason_throttle import ReasonThrottle, log_line
from screw_dynamics.nodes.shared.robot_node import RobotNode
from screw_dynamics.nodes.shared.tick_timer import TickTimer
from screw_dynamics.recordings.messages.feedforward import (
    AnySample,
    feedforward_sample,
    motor_sample,
)
from screw_dynamics_interfaces.msg import (
    DriveCommandsState,
    FeedforwardTorque,
    MotorFeedforward,
)

NAME = 'drive_commands'
INPUT, MOTORS = 'feedforward/feedforward', 'feedforward/motor_feedforward'
_RATE = 200.0  # Hz, of ramps out, and at which the age of the input is looked at
_REPEATED = 'age', 'joint_states', 'threads'  # keys of lines that come with every message
_STATE_PERIOD = 1.0  # s, after which ~/state is repeated
_LOOK_PERIOD = 0.1  # s between looks whether the safety topic has a publisher


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
        self._measured: dict[tuple[str, ...], tuple[JointState, int]] = {}  # latest, by names
        self._shared: set[str] = set()  # topics with other publishers, which are logged
        self._permission = Permission()
        self._told: Condition | None = None  # on ~/state
        super().__init__(NAME, DriveCommandsParameters)

    def _set_up(self) -> dict[str, Callable[[], Report]]:
        self._warn_of_limits()
        values = self._values
        wanted: list[tuple[Any, ...]] = [
            (FeedforwardTorque, INPUT, self._on_feedforward, DEPTH),
            (JointState, 'joint_states', self._on_states, qos_profile_sensor_data),
        ]
        if values.motors:
            wanted.append((MotorFeedforward, MOTORS, self._on_motors, DEPTH))
        if values.safety_topic:
            self._permission = Permission(values.safety_topic)
            wanted.append((Bool, values.safety_topic, self._on_safety, DEPTH))
            steady_timer(self, _LOOK_PERIOD, self._look_for_safety)
        self._inputs = [make_subscription(self, *one) for one in wanted]
        self.create_service(SetBool, '~/enable', self._on_enable)
        self._condition = make_publisher(self, DriveCommandsState, '~/state', LATCHED)
        steady_timer(self, _STATE_PERIOD, partial(self._tell, repeated=True))
        self._ticks = TickTimer(
            self,
            self._step,
            lambda reason: self._take(ClockJumped(reason)),
        )
        self._ticks.start(_RATE)
        return {'commands': self._report}

    def destroy_node(self) -> None:
        """Lead commands to rest, and destroy the node."""
        self._drop()
        super().destroy_node()

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
        self._take(ParametersChanged(new))

    def _on_model(self, loaded: LoadedRobot) -> None:
        self._robot = loaded.robot
        self._take(RobotChanged(loaded.robot))
        inputs = ', '.join(one.topic_name for one in self._inputs)
        self.get_logger().info(f'Ready: listens on {inputs}')

    @property
    def _commanded(self) -> tuple[str, ...]:
        motors = self._motor_names if self._values.motors else None
        return self._names if motors is None else motors

    def _on_feedforward(self, message: Any) -> None:
        self._receive(0, feedforward_sample, message)

    def _on_motors(self, message: Any) -> None:
        self._receive(-1, motor_sample, message)

    def _receive(self, place: int, convert: Callable[[Any], AnySample], message: Any) -> None:
        """Take over a sample, or reject it by the topic of an input."""
        try:
            sample = convert(message)
            names, motors = self._names, self._motor_names
            if isinstance(message, FeedforwardTorque):
                names = tuple(message.joint_names)
            else:
                motors = tuple(message.motor_names)
            last = sample.state != FeedforwardTorque.STATE_FOLLOWS
            if not last and (
                (names, motors) != (self._names, self._motor_names) or self._core is None
            ):
                self._begin(names, motors)
            self._take(sample)
        except ScrewDynamicsError as error:
            self._rejected += 1
            topic = [one for one in self._inputs if one.msg_type is type(message)][0].topic_name
            self._problem = f'{topic}: {error}'
            self._throttle.log('error', f'Rejected: {self._problem}', 'rejected')

    def _on_states(self, message: JointState) -> None:
        if self._core is None:  # the first motion may be fast: it begins by what is known
            self._measured[tuple(message.name)] = message, self._now()
        else:
            self._take(JointStates(message))

    def _on_enable(self, request: SetBool.Request, response: SetBool.Response) -> Any:
        try:
            self._enable(self._permission.ask(request.data))
            response.success = True
        except InputError as error:
            response.message = str(error)
        return response

    def _on_safety(self, message: Bool) -> None:
        self._enable(self._permission.hear(message.data))

    def _look_for_safety(self) -> None:
        if self._permission.safe and not self.count_publishers(self._values.safety_topic):
            self._enable(self._permission.lost())

    def _enable(self, item: Enable) -> None:
        self._take(item)
        self._tell()

    def _tell(self, *, repeated: bool = False) -> None:
        """Publish what the commands do, at a change and repeated."""
        core = self._core
        silent = Condition(State.SILENT, 0, '', self._permission.granted)
        found = silent if core is None else core.condition
        if found == self._told and not repeated:
            return
        self._told, values = found, self._values
        message = DriveCommandsState(
            state=int(found.state),
            motion=found.motion,
            reason=found.reason,
            enabled=found.enabled,
            positions='position' in values.fields,
            content=values.content,
            effort_content=values.effort_content,
        )
        set_stamp(message.header.stamp, self._now())
        self._condition.publish(message)

    def _begin(self, names: tuple[str, ...], motors: tuple[str, ...] | None) -> None:
        """Command other joints or motors, or raise ScrewDynamicsError."""
        if self._core is not None and self._core.state is not State.SILENT:
            raise InputError(
                f'expected samples of {", ".join(self._commanded)} until commands have ended, got '
                f'{", ".join(names)}: are there two sources?'
            )
        if not names:
            raise InputError('joint_names: expected some, got none')
        values, core = self._values, None
        if self._robot is not None and not (values.motors and motors is None):
            core = DriveCommands(self._robot, names, motors, values)
        self._drop()  # what is refused leaves the present commands, and what they have stopped
        self._names, self._motor_names = names, motors
        if self._robot is None or core is None:
            return
        for message, received in self._measured.values():
            core.step(received, [JointStates(message)])
        self._measured.clear()
        core.step(self._now(), [Enable(self._permission.granted)])
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
        outputs = self._step(now, Stop())
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

    def _take(self, item: DriveCommandsInput) -> None:
        self._step(self._now(), item)

    def _step(self, now: int, *inputs: DriveCommandsInput) -> Outputs | None:
        """Let the core step, and publish and log what it asks for; None without a core."""
        if self._core is None:
            return None
        # in simulated time the clock of the node is the steady one
        steady = [] if self._ticks.times_by_node else [Steady(time.monotonic_ns())]
        outputs = self._core.step(now, [*steady, *inputs])
        if outputs.condition != self._told:
            self._tell()
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

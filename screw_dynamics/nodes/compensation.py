# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Node `compensation`: joint states in, the efforts that carry the robot out."""

import time
from collections.abc import Callable
from functools import partial

from rclpy.qos import qos_profile_sensor_data
from sensor_msgs.msg import JointState
from std_srvs.srv import Trigger

from screw_dynamics.common.times import nanoseconds
from screw_dynamics.control.compensation import (
    Compensation,
    CompensationInput,
    CompensationParameters,
    MeasuredStates,
)
from screw_dynamics.control.inputs import Clear, ParametersChanged, RobotChanged
from screw_dynamics.control.report import OK, WARN, Report
from screw_dynamics.drives.robot import Robot
from screw_dynamics.errors import InputError
from screw_dynamics.nodes.shared.endpoints import (
    RowOutput,
    delivery_end,
    make_subscription,
    state_output,
    steady_timer,
)
from screw_dynamics.nodes.shared.executor import run_node
from screw_dynamics.nodes.shared.loaded_robot import LoadedRobot
from screw_dynamics.nodes.shared.reason_throttle import log_line
from screw_dynamics.nodes.shared.robot_node import RobotNode
from screw_dynamics.nodes.shared.sample_output import FeedforwardOutput
from screw_dynamics.recordings.messages.joints import joint_state_rows

NAME = 'compensation'
_LOOK_PERIOD = 0.02  # s between looks whether the states have become too old


class CompensationNode(RobotNode[CompensationParameters]):
    """Publishes the efforts that carry a robot in its measured state, against gravity."""

    _tells_model = True

    def __init__(self) -> None:
        self._core: Compensation | None = None
        self._outputs: tuple[FeedforwardOutput, RowOutput] | None = None
        super().__init__(NAME, CompensationParameters)

    def _set_up(self) -> dict[str, Callable[[], Report]]:
        self._input = make_subscription(
            self, JointState, 'joint_states', self._on_states, qos_profile_sensor_data
        )
        self.create_service(Trigger, '~/clear', self._on_clear)
        steady_timer(self, _LOOK_PERIOD, self._step)
        return {NAME: self._report}

    def _on_model(self, loaded: LoadedRobot) -> None:
        robot, core = loaded.robot, self._core
        before = None if core is None else core.robot.joint_names
        if core is None:
            number = self._now() or time.time_ns()  # grows with each start
            self._core = Compensation(robot, self._values, number)
        else:
            self._step(RobotChanged(robot))
        if robot.joint_names == before:
            return
        for output in self._outputs or ():
            output.destroy()
        names = robot.joint_names
        self._outputs = (
            FeedforwardOutput(self, names),
            state_output(self, '~/joint_effort', names),
        )
        self.get_logger().info(
            f'Carries {len(names)} joints: listens on '
            f'{", ".join((self._input.topic_name, *self._source.topics))}; publishes '
            f'{", ".join(output.topic_name for output in self._outputs)}'
        )

    def _on_states(self, message: JointState) -> None:
        if self._core is None:
            return
        try:
            positions, velocities = joint_state_rows(message, self._core.robot.joint_names)
        except InputError as error:
            self.get_logger().warning(f'{error}: ignored', throttle_duration_sec=1.0)
            return
        stamp = nanoseconds(message.header.stamp)
        self._step(MeasuredStates(stamp, positions, velocities))

    def _on_clear(self, _: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        stopped = self._core is not None and bool(self._core.stopped)
        if self._core is not None:
            self._step(Clear())
        response.success = True
        response.message = 'efforts are published again' if stopped else 'nothing was stopped'
        return response

    def _on_parameters(self, old: CompensationParameters, new: CompensationParameters) -> None:
        self._step(ParametersChanged(new))

    def _step(self, *inputs: CompensationInput) -> None:
        """Let the core decide, and do what it says."""
        if self._core is None:
            return
        outputs = self._core.step(self._now(), inputs)
        for line in outputs.lines:
            log_line(self, line.level, line.text)
        if self._outputs is None:
            return
        carried, efforts = self._outputs
        if outputs.end is not None:
            carried.end(outputs.end)
        sample = outputs.sample
        if sample is not None:
            carried.publish(sample)
            efforts.publish(sample.instant, (*sample.jet, sample.efforts[0]))

    def _check_load(self, robot: Robot) -> None:
        if self._core is not None:
            self._core.check_load(robot)

    def destroy_node(self) -> None:
        """Tell that the motion has ended, and destroy the node."""
        if self._core is not None and self._outputs is not None and self.context.ok():
            self._step(Clear('the node ends'))
            self._outputs[0].finish(delivery_end())
        super().destroy_node()

    def _report(self) -> Report:
        core = self._core
        if core is None:
            return Report(WARN, 'no robot model')
        waits = f'waits for {self._input.topic_name} with all joints'
        text = core.stopped or ('' if core.running else waits)
        counts = {'motion': core.motion, 'refused': core.refused}
        return Report(WARN if text else OK, text or 'carries the robot', counts)


main = partial(run_node, CompensationNode, NAME, parameters=CompensationParameters)

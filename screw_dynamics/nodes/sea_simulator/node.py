# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Node `sea_simulator`: motor efforts in, motion of a robot with elastic joints out."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from std_msgs.msg import Float64MultiArray
from std_srvs.srv import Trigger

from screw_dynamics.control.report import Report
from screw_dynamics.errors import ScrewDynamicsError, SimulationError
from screw_dynamics.nodes.sea_simulator.motor_drives import (
    MotorCommand,
    command_age,
    command_of_array,
    command_of_feedforward,
)
from screw_dynamics.nodes.sea_simulator.parameters import SeaSimulatorParameters
from screw_dynamics.nodes.sea_simulator.simulated_robot import SimulatedRobot
from screw_dynamics.nodes.sea_simulator.simulated_time import (
    LockStep,
    RealTime,
    SimulatedTime,
    SimulationReport,
)
from screw_dynamics.nodes.shared.endpoints import RowOutput, make_subscription, state_output
from screw_dynamics.nodes.shared.executor import run_node
from screw_dynamics.nodes.shared.loaded_robot import LoadedRobot
from screw_dynamics.nodes.shared.robot_node import RobotNode
from screw_dynamics_interfaces.msg import MotorFeedforward

NAME = 'sea_simulator'


class SeaSimulatorNode(RobotNode[SeaSimulatorParameters]):
    """Simulates a robot with elastic joints that motor efforts drive."""

    def __init__(self) -> None:
        self._robot: SimulatedRobot | None = None
        self._last_command = 0
        self._outputs: list[RowOutput] = []
        self._time: SimulatedTime | None = None
        self._report = SimulationReport()
        super().__init__(NAME, SeaSimulatorParameters)

    def _set_up(self) -> dict[str, Callable[[], Report]]:
        topic = f'~/{self._values.input}'
        self._convert: Callable[[Any, Sequence[str]], MotorCommand | None] = command_of_array
        kind: Any = Float64MultiArray
        if topic == '~/motor_feedforward':
            self._convert, kind = command_of_feedforward, MotorFeedforward
        self._input = make_subscription(self, kind, topic, self._on_command)
        self.create_service(Trigger, '~/reset', self._on_reset)
        rate = self._values.rate
        return {'simulation': lambda: self._report.task(self._robot, self._time, rate)}

    def _require(self, loaded: LoadedRobot) -> SimulatedRobot:
        super()._require(loaded)
        return SimulatedRobot(loaded.robot, self._values)

    def _prepare(self, loaded: LoadedRobot) -> None:
        robot = self._require(loaded)
        robot.release()
        robot.advance()
        robot.link_state()

    def _on_model(self, loaded: LoadedRobot) -> None:
        names = loaded.robot.joint_names
        if self._robot is not None and self._robot.joint_names == names:
            self._robot.set_robot(loaded.robot)
            return
        if self._time is not None:
            self._time.stop()
        for output in self._outputs:
            output.destroy()
        self._robot = self._require(loaded)
        self._outputs = [
            state_output(self, 'joint_states', names),
            state_output(self, 'motor_states', self._robot.drives.names),
        ]
        values = self._values
        kind = LockStep if values.publish_clock else RealTime
        self._time = kind(self, self._settings, self._begin, self._step, self._publish)
        self.get_logger().info(
            f'Simulating {len(names)} joints and {len(self._robot.drives.names)} '
            f'motors at {values.rate:g} Hz with {self._robot.substeps} steps each: listens on '
            f'{", ".join((self._input.topic_name, *self._source.topics))}; publishes '
            f'{", ".join(map(self.resolve_topic_name, ("joint_states", "motor_states")))}'
        )

    def _begin(self, time: int, left_out: int) -> None:
        """
        Let motor efforts expire, before the first step of a tick, which ends at `time` [ns].

        Time that was left out does not age them: the newest are in the queue of this node.
        """
        assert self._robot is not None
        self._last_command += left_out
        values = self._values
        age = 1e-9 * (time - self._last_command)
        # a negative age: the clock was set back
        if values.effort_timeout > 0.0 and not 0.0 <= age <= values.effort_timeout:
            if values.idle_mode == 'brake' and not self._robot.braked:
                self._robot.brake()
                self.get_logger().warning(
                    f'No motor efforts for {values.effort_timeout:g} s: the brakes are on',
                    throttle_duration_sec=1.0,
                )
            elif values.idle_mode == 'zero':
                self._robot.drives.clear()
                self._robot.release()

    def _step(self) -> None:
        assert self._robot is not None
        try:
            self._robot.advance()
        except SimulationError as error:
            self.get_logger().error(f'{error}: the robot stands still until ~/reset is called')

    def _publish(self, time: int) -> None:
        assert self._robot is not None
        links, motors = self._outputs
        links.publish(time, self._robot.link_state())
        motors.publish(time, self._robot.motor_state())

    def _on_command(self, message: Any) -> None:
        robot, time = self._robot, self._time
        if robot is None or time is None or time.time == 0:
            return
        try:
            command = self._convert(message, robot.drives.names)
            if command is None:
                return  # as a drive does, the robot keeps its last efforts until effort_timeout
            age = command_age(command, time.time)
        except ScrewDynamicsError as error:
            self._report.counts.reject(str(error))
            self.get_logger().error(f'Motor efforts rejected: {error}', throttle_duration_sec=1.0)
            return
        self._report.counts.accepted += 1
        robot.drives.command(command, age)
        robot.release()
        self._last_command = time.time
        time.cover(command.instant)

    def _on_reset(self, _: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        if self._robot is None:
            response.message = f'no robot model: {self._source.problem}'
            return response
        self._robot.reset()
        response.success = True
        response.message = 'the robot stands still at its initial position'
        return response

    def _check(self, values: SeaSimulatorParameters) -> None:
        if self._robot is not None:
            self._robot.drives.gains(values)  # raises

    def _on_parameters(self, old: SeaSimulatorParameters, new: SeaSimulatorParameters) -> None:
        if self._robot is not None:
            self._robot.drives.set_gains(new)


main = partial(run_node, SeaSimulatorNode, NAME, parameters=SeaSimulatorParameters)

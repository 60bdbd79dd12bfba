# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`DemoClient`: a node that uses the two nodes like a user's program."""

import time
from collections.abc import Callable, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any
from uuid import uuid4

from lifecycle_msgs.msg import State
from lifecycle_msgs.srv import GetState
from rclpy.client import Client
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile
from std_msgs.msg import String
from trajectory_msgs.msg import JointTrajectory

from ros_demo.processes import SILENCE_TIMEOUT
from ros_demo.recording import TORQUE_TOPIC, TRAJECTORY_TOPIC
from screw_dynamics.common.arrays import Array
from screw_dynamics.common.times import SECOND, nanoseconds
from screw_dynamics.nodes.shared.endpoints import STATUS_TOPIC
from screw_dynamics.nodes.trajectory_sender import Verdicts, trajectory_message
from screw_dynamics.trajectory import TrajectoryFile
from screw_dynamics_interfaces.msg import FeedforwardTorque
from screw_dynamics_interfaces.srv import GetInverseDynamics, GetMassMatrix

CALL_TIMEOUT = 5.0  # s, per attempt
# calls are repeated: a server that has not discovered the client yet drops its response
CALL_ATTEMPTS = 3
# s; so is a trajectory, whose fit takes longer
ANSWER_TIMEOUT = 20.0
_SPAN = 'start [s]', 'end [s]'  # values of the status of an accepted trajectory


class DemoClient(Node):
    """
    Publish the robot description and a trajectory, call the services.

    `while_waiting` is called repeatedly during waits, with a text about what is missing; it raises
    an error if waiting has become pointless.
    """

    def __init__(self, urdf: Path, while_waiting: Callable[[str], object]) -> None:
        super().__init__('demo')
        self._while_waiting = while_waiting
        self._samples = 0
        self._end = 0  # of the trajectory that was sent last [ns]
        self._held = 0.0  # s
        self._executor = SingleThreadedExecutor()
        self._executor.add_node(self)
        latched = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
        self._description = self.create_publisher(String, 'robot_description', latched)
        self._description.publish(String(data=urdf.read_text(encoding='utf-8')))
        self._trajectory = self.create_publisher(JointTrajectory, TRAJECTORY_TOPIC, 10)
        self.create_subscription(FeedforwardTorque, TORQUE_TOPIC, self._on_sample, 10)
        self._mass_matrix = self.create_client(GetMassMatrix, '/dynamics_server/get_mass_matrix')
        self._inverse_dynamics = self.create_client(
            GetInverseDynamics, '/dynamics_server/get_inverse_dynamics'
        )
        self._state = self.create_client(GetState, '/feedforward/get_state')

    def wait_until_ready(self) -> None:
        """Wait for an active `feedforward`, the services and the recorder."""
        while missing := self._missing():
            self._while_waiting(missing)
            self.spin(0.1)

    def _missing(self) -> str | None:
        """Return a text about the first condition that is not met, None if all are."""
        for client in (self._mass_matrix, self._inverse_dynamics, self._state):
            if not client.service_is_ready():
                return f'the service {client.srv_name}'
        state = self.call(self._state, GetState.Request()).current_state
        if state.id != State.PRIMARY_STATE_ACTIVE:
            return 'feedforward to become active'
        for name in ('feedforward', 'recorder'):
            if not self._listens(name):
                return f'{name} to subscribe to {TRAJECTORY_TOPIC}'
        if not self.count_publishers(f'/feedforward/{STATUS_TOPIC}'):
            return f'the topic /feedforward/{STATUS_TOPIC}'
        # without a model, the service responds to any request with this code
        if self.mass_matrix([]).error_code == GetMassMatrix.Response.NO_MODEL:
            return 'dynamics_server to have a model'
        return None

    def _listens(self, name: str) -> bool:
        # a count would include others
        listeners = self.get_subscriptions_info_by_topic(TRAJECTORY_TOPIC)
        return any(listener.node_name == name for listener in listeners)

    def destroy_node(self) -> None:
        """Destroy the node and its executor."""
        self._executor.shutdown()
        super().destroy_node()

    def call(self, client: Client, request: Any) -> Any:
        """
        Call a service and return its response.

        Raises `TimeoutError` after `CALL_ATTEMPTS` calls without a response in `CALL_TIMEOUT`.
        """
        for _ in range(CALL_ATTEMPTS):
            future = client.call_async(request)
            self._executor.spin_until_future_complete(future, CALL_TIMEOUT)
            if future.done():
                return future.result()
            self._while_waiting(f'an answer of {client.srv_name}')
        seconds = CALL_ATTEMPTS * CALL_TIMEOUT
        raise TimeoutError(f'{client.srv_name} did not answer within {seconds:g} s')

    def mass_matrix(self, position: Sequence[float]) -> Any:
        """Call GetMassMatrix; `position` [rad] is in the joint order of the node."""
        return self.call(self._mass_matrix, GetMassMatrix.Request(position=list(position)))

    def inverse_dynamics(self, joint_jet: Array) -> Any:
        """
        Call GetInverseDynamics for efforts with two derivatives.

        `joint_jet` (5, n) is position to snap [rad, per s^d], in the joint order of the node.
        """
        names = ('position', 'velocity', 'acceleration', 'jerk', 'snap')
        rows = {name: row.tolist() for name, row in zip(names, joint_jet, strict=True)}
        return self.call(
            self._inverse_dynamics, GetInverseDynamics.Request(derivative_order=2, **rows)
        )

    def send(self, file: TrajectoryFile) -> None:
        """
        Publish a JointTrajectory that starts immediately, and wait for the node's answer.

        Raises `TrajectoryError` if it is rejected, and `TimeoutError` after `CALL_ATTEMPTS`
        messages without an answer in `ANSWER_TIMEOUT`.
        """
        message = trajectory_message(file)
        self._end, self._held = 0, 0.0
        for _ in range(CALL_ATTEMPTS):
            message.header.frame_id = f'demo_{uuid4().hex}'
            verdicts = Verdicts(self, TRAJECTORY_TOPIC, message.header.frame_id)
            self._trajectory.publish(message)
            end = time.monotonic() + ANSWER_TIMEOUT
            while verdicts.missing and time.monotonic() < end:
                self._executor.spin_once(timeout_sec=0.1)
            if not verdicts.missing:
                verdicts.text()  # raises if it was rejected
                _, self._end = span(verdicts)
                return
            self._while_waiting('the answer of feedforward to the trajectory')
        seconds = CALL_ATTEMPTS * ANSWER_TIMEOUT
        raise TimeoutError(f'feedforward did not answer to the trajectory within {seconds:g} s')

    def wait_until_held(self, seconds: float, meanwhile: Callable[[], object]) -> None:
        """
        Wait until the end of the trajectory has been held for some time [s].

        The trajectory is the one sent last, the time is that of the stamps. Calls `meanwhile`
        repeatedly. Raises `TimeoutError` if no sample comes for `SILENCE_TIMEOUT`.
        """
        heard, advanced = self._samples, time.monotonic()
        while self._held < seconds:
            meanwhile()
            looked = time.monotonic()
            self.spin(0.1)
            if self._samples != heard:
                heard, advanced = self._samples, time.monotonic()
            elif looked - advanced > SILENCE_TIMEOUT:
                raise TimeoutError(
                    f'feedforward published nothing for {SILENCE_TIMEOUT:g} s before it had held '
                    f'the last position for {seconds:g} s'
                )

    def _on_sample(self, sample: FeedforwardTorque) -> None:
        self._samples += 1
        # what was sent before is held until the start
        if self._end and sample.source == FeedforwardTorque.SOURCE_HOLD:
            self._held = max(0, nanoseconds(sample.header.stamp) - self._end) / SECOND

    def spin(self, seconds: float) -> None:
        """Handle callbacks for some time [s]."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0.0:
            self._executor.spin_once(timeout_sec=left)


def span(verdicts: Verdicts) -> tuple[int, int]:
    """Return start and end of an accepted trajectory [ns]."""
    (status,) = verdicts.statuses.values()
    values = {item.key: item.value for item in status.values}
    start, end = (int(SECOND * Decimal(values[key])) for key in _SPAN)
    return start, end

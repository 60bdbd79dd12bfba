# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`LoopClient`: a node that sends a trajectory on simulated time and monitors its progress."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.parameter import Parameter
from sensor_msgs.msg import JointState
from trajectory_msgs.msg import JointTrajectory

from ros_demo.recording import TORQUE_TOPIC, TRAJECTORY_TOPIC
from screw_dynamics.messages.times import SECOND, nanoseconds, set_stamp
from screw_dynamics.nodes.trajectory_sender import trajectory_message
from screw_dynamics.trajectory import TrajectoryFile
from screw_dynamics_interfaces.msg import FeedforwardTorque

_LOOK_PERIOD = 0.1  # s
_TIME_STEP = SECOND // 10  # ns


class LoopClient(Node):
    """
    Client of the loop: sends the trajectory and monitors the samples of `feedforward`.

    `states` is the JointState topic; the recorder must subscribe to the topics `recorded` before
    the trajectory is sent. `elapsed` is the time since the start of the trajectory [s], `held` the
    time since its end [s].
    """

    def __init__(self, states: str, recorded: Sequence[str]) -> None:
        super().__init__('sea_demo', parameter_overrides=[Parameter('use_sim_time', value=True)])
        self.elapsed = self.held = 0.0
        self._ended = self._samples = 0
        self._end = 0  # of the trajectory that was sent [ns]
        self._recorded = recorded
        self._standing = False
        self._publisher = self.create_publisher(JointTrajectory, TRAJECTORY_TOPIC, 10)
        self.create_subscription(FeedforwardTorque, TORQUE_TOPIC, self._on_sample, 10)
        self._states = self.create_subscription(JointState, states, self._on_state, 10)
        self._executor = SingleThreadedExecutor()
        self._executor.add_node(self)

    def ready(self) -> bool:
        """Return whether joint states, a trajectory subscriber, time and recorder are present."""
        return (
            self._standing
            and self._publisher.get_subscription_count() > 0
            and self.get_clock().now().nanoseconds > 0
            and all(map(self._is_recorded, self._recorded))
        )

    def _is_recorded(self, topic: str) -> bool:
        listeners = self.get_subscriptions_info_by_topic(topic)
        return any(listener.node_name == 'recorder' for listener in listeners)

    def wait(
        self,
        what: str,
        condition: Callable[[], bool],
        timeout: float,
        meanwhile: Callable[[], object],
    ) -> None:
        """
        Handle callbacks until `condition` is true, and call `meanwhile` repeatedly.

        Raises `TimeoutError`, with the text `what`, if neither samples nor simulated time advance
        for `timeout` [s], or simulated time passes the end of the trajectory by `timeout`.
        """
        deadline, progress = time.monotonic() + timeout, self._progress()
        look = 0.0
        while not condition():
            self._executor.spin_once(timeout_sec=_LOOK_PERIOD)
            now = time.monotonic()
            if self._progress() != progress:
                deadline, progress = now + timeout, self._progress()
            if now > deadline:
                raise TimeoutError(f'nothing advanced for {timeout:g} s, waiting for {what}')
            if self._end and self.get_clock().now().nanoseconds > self._end + SECOND * timeout:
                raise TimeoutError(
                    f'simulated time has passed the end by {timeout:g} s, waiting for {what}'
                )
            if now > look:
                meanwhile()
                look = now + _LOOK_PERIOD

    def send(self, file: TrajectoryFile, delay: float) -> None:
        """Send a trajectory that starts after `delay` [s] of simulated time."""
        message = trajectory_message(file)
        start = self.get_clock().now().nanoseconds + round(SECOND * delay)
        self._end = start + round(SECOND * file.points[-1].time_from_start)
        set_stamp(message.header.stamp, start)
        self._publisher.publish(message)

    def destroy_node(self) -> None:
        """Destroy the node and its executor."""
        self._executor.shutdown()
        super().destroy_node()

    def _progress(self) -> tuple[int, int]:
        """Return the sample count, and simulated time in steps too large for a stalled loop."""
        return self._samples, self.get_clock().now().nanoseconds // _TIME_STEP

    def _on_state(self, _: JointState) -> None:
        self._standing = True
        self.destroy_subscription(self._states)

    def _on_sample(self, sample: FeedforwardTorque) -> None:
        self._samples += 1
        self.elapsed = 1e-9 * nanoseconds(sample.reference.time_from_start)
        if sample.source == FeedforwardTorque.SOURCE_HOLD:
            stamp = nanoseconds(sample.header.stamp)
            self._ended = self._ended or stamp
            self.held = 1e-9 * (stamp - self._ended)

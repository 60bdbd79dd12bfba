# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`LoopClient`: a node that sends a trajectory on simulated time and monitors its progress."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from functools import partial
from uuid import uuid4

from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.parameter import Parameter
from sensor_msgs.msg import JointState
from trajectory_msgs.msg import JointTrajectory

from ros_demo.client import span
from ros_demo.recording import TORQUE_TOPIC, TRAJECTORY_TOPIC
from screw_dynamics.common.times import SECOND, nanoseconds, set_stamp
from screw_dynamics.errors import TrajectoryError
from screw_dynamics.nodes.feedforward.node import NO_TIME
from screw_dynamics.nodes.shared.endpoints import STATUS_TOPIC
from screw_dynamics.nodes.trajectory_sender import Verdicts, trajectory_message
from screw_dynamics.trajectory import TrajectoryFile
from screw_dynamics_interfaces.msg import FeedforwardTorque

_LOOK_PERIOD = 0.1  # s
_TIME_STEP = SECOND // 10  # ns
_PAUSE = SECOND // 2  # ns, before a trajectory is sent again to a node without time
_ANSWER_TIME = 10 * SECOND  # ns, before it is sent again: its fit may take long
_STATUS = f'/feedforward/{STATUS_TOPIC}'
# a subscriber that has not discovered the publisher yet drops what it sends
_SENDING_ATTEMPTS = 5


class LoopClient(Node):
    """
    Client of the loop: sends trajectories and monitors the samples of `feedforward`.

    `motors` is the JointState topic of the motors; the recorder must subscribe to the topics
    `recorded` before a trajectory is sent. `elapsed` is the time since the start of the trajectory
    that was sent last [s], `held` that for which its end has been held [s]. `driven` is true once
    the motors have taken efforts.
    """

    def __init__(self, motors: str, recorded: Sequence[str]) -> None:
        super().__init__('sea_demo', parameter_overrides=[Parameter('use_sim_time', value=True)])
        self.elapsed = self.held = 0.0
        self.driven = False
        self._samples = 0
        self._start = self._end = 0  # of the trajectory that was sent [ns]
        self._recorded = recorded
        self._standing = False
        self._publisher = self.create_publisher(JointTrajectory, TRAJECTORY_TOPIC, 10)
        self.create_subscription(FeedforwardTorque, TORQUE_TOPIC, self._on_sample, 10)
        self._motors = self.create_subscription(JointState, motors, self._on_motors, 10)
        self._executor = SingleThreadedExecutor()
        self._executor.add_node(self)

    def ready(self) -> bool:
        """Return whether motor states, `feedforward`, time and recorder are present."""
        return (
            self._standing
            and self._publisher.get_subscription_count() > 0
            and self._listens('feedforward', TRAJECTORY_TOPIC)
            and self.count_publishers(_STATUS) > 0
            and self._passed(0)
            and all(self._listens('recorder', topic) for topic in self._recorded)
        )

    def _listens(self, name: str, topic: str) -> bool:
        listeners = self.get_subscriptions_info_by_topic(topic)
        return any(listener.node_name == name for listener in listeners)

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
            if self._end and self._now() > self._end + SECOND * timeout:
                raise TimeoutError(
                    f'simulated time has passed the end by {timeout:g} s, waiting for {what}'
                )
            if now > look:
                meanwhile()
                look = now + _LOOK_PERIOD

    def send(
        self,
        file: TrajectoryFile,
        delay: float,
        timeout: float,
        meanwhile: Callable[[], object],
    ) -> None:
        """
        Send a trajectory that starts after `delay` [s] of simulated time, 0: once it is fitted.

        Sends it again, with a new start, where `feedforward` does not answer before the start, or
        within 10 s, and after half a second of simulated time where it has no time. Raises
        `TrajectoryError` if it is rejected, and `TimeoutError` without any answer, or if
        `feedforward` has no time for `timeout` of simulated time; see `wait` for `timeout` and
        `meanwhile`.
        """
        message = trajectory_message(file)
        self._start = self._end = 0
        self.elapsed = self.held = 0.0
        answer, unanswered = 'the answer of feedforward to the trajectory', 0
        latest = self._now() + round(SECOND * timeout)
        while unanswered < _SENDING_ATTEMPTS:
            message.header.frame_id = f'sea_demo_{uuid4().hex}'
            verdicts = Verdicts(self, self._publisher.topic_name, message.header.frame_id)
            if delay:  # last: names of receivers may come late
                set_stamp(message.header.stamp, self._now() + round(SECOND * delay))
            self._publisher.publish(message)
            ahead = round(SECOND * delay) or _ANSWER_TIME
            answered = partial(self._answered, verdicts, self._now() + ahead)
            self.wait(answer, answered, timeout, meanwhile)
            if not verdicts.statuses:
                unanswered += 1
            elif _accepted(verdicts):
                self._start, self._end = span(verdicts)
                return
            elif self._now() > latest:
                raise TimeoutError(f'feedforward has received no time on /clock for {timeout:g} s')
            else:
                pause = partial(self._passed, self._now() + _PAUSE)
                self.wait('simulated time', pause, timeout, meanwhile)
        raise TimeoutError(f'{answer} did not come, sent {unanswered} times')

    def _now(self) -> int:
        """Return the simulated time [ns]."""
        now: int = self.get_clock().now().nanoseconds
        return now

    def _passed(self, instant: int) -> bool:
        return self._now() > instant

    def _answered(self, verdicts: Verdicts, latest: int) -> bool:
        return bool(verdicts.statuses) or self._passed(latest)

    def destroy_node(self) -> None:
        """Destroy the node and its executor."""
        self._executor.shutdown()
        super().destroy_node()

    def _progress(self) -> tuple[int, int]:
        """Return the sample count, and simulated time in steps too large for a stalled loop."""
        return self._samples, self._now() // _TIME_STEP

    def _on_motors(self, state: JointState) -> None:
        self._standing = True
        if any(state.effort):  # zero while the brakes are on
            self.driven = True
            self.destroy_subscription(self._motors)

    def _on_sample(self, sample: FeedforwardTorque) -> None:
        self._samples += 1
        if not self._end:
            return
        # what was sent before is held until then
        stamp = nanoseconds(sample.header.stamp)
        self.elapsed = 1e-9 * max(0, stamp - self._start)
        if sample.source == FeedforwardTorque.SOURCE_HOLD:
            self.held = 1e-9 * max(0, stamp - self._end)


def _accepted(verdicts: Verdicts) -> bool:
    """Return False if the receiver has no time yet; raise `TrajectoryError` if it rejects."""
    try:
        verdicts.text()
    except TrajectoryError as error:
        if NO_TIME in str(error):
            return False
        raise
    return True

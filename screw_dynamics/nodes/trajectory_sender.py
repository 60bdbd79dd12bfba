# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""
Executable `trajectory_sender`: publish one JointTrajectory, report whether it is followed, exit.

Exit codes: 0 after sending; 1 if the trajectory is invalid or rejected, or a wait times out, and
after the report if the middleware does not end; 130 after Ctrl-C.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from uuid import uuid4

import rclpy
from diagnostic_msgs.msg import DiagnosticStatus
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.publisher import Publisher
from rclpy.topic_endpoint_info import TopicEndpointInfo
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from screw_dynamics.common.settings import fixed, unexpected
from screw_dynamics.common.times import set_stamp
from screw_dynamics.control.report import FRAME_ID
from screw_dynamics.errors import InputError, TrajectoryError
from screw_dynamics.nodes.shared.endpoints import (
    STATUS_QOS,
    STATUS_TOPIC,
    make_publisher,
    steady_timer,
)
from screw_dynamics.nodes.shared.executor import run_node
from screw_dynamics.nodes.shared.parameters import NodeParameters
from screw_dynamics.recordings.messages.joints import double_array
from screw_dynamics.trajectory import TrajectoryFile, read_trajectory

NAME = 'trajectory_sender'
TOPIC = 'feedforward/joint_trajectory'
INTERRUPTED = 130  # as shells report Ctrl-C: the trajectory was not sent
_LOOK_PERIOD = 0.05  # s
# Wait after discovery of the last subscriber [s]. A subscriber counts as matched here before it
# has discovered this publisher, and drops earlier messages; Fast DDS repeats a lost announcement
# after 3 s.
_SETTLING_TIME = 3.5
_LONGEST_SETTLING = 8.0  # s; some subscribers may never match
_NAMES_TIMEOUT = 2.0  # s, longest wait for the names of receivers; those outside ROS have none
_UNKNOWN = '_NODE_NAME_UNKNOWN_'  # of a node whose name arrives after its subscription
_ACKNOWLEDGE_TIMEOUT = 20.0  # s; the middleware needs seconds to resend lost messages


@dataclass(frozen=True)
class SenderParameters:
    """Parameters of `trajectory_sender`."""

    file: str = fixed('', 'YAML or CSV file with the trajectory.')
    delay: float = fixed(
        0.0,
        'Start this long after sending [s]; 0: at once (header.stamp 0).',
        within=(0.0, 3600.0),
    )
    wait_for: tuple[str, ...] = fixed(
        (), 'Topics that must have a publisher before the trajectory is sent.'
    )
    wait_timeout: float = fixed(
        30.0,
        'Longest wait for a subscriber, for those publishers, for simulated time, and for the '
        'verdict of the receivers [s].',
        within=(0.0, 3600.0),
    )


def trajectory_message(trajectory: TrajectoryFile) -> JointTrajectory:
    """Return a trajectory as a message with stamp 0."""
    message = JointTrajectory(joint_names=list(trajectory.joint_names))
    for point in trajectory.points:
        item = JointTrajectoryPoint(
            positions=double_array(point.positions),
            velocities=double_array(point.velocities),
            accelerations=double_array(point.accelerations),
        )
        set_stamp(item.time_from_start, round(1e9 * point.time_from_start))
        message.points.append(item)
    return message


def _full_names(node: Node, topics: Sequence[str]) -> list[str]:
    try:
        return [node.resolve_topic_name(topic) for topic in topics]
    except RuntimeError as error:
        text = ' '.join(str(error).split())
        raise InputError(f"parameter 'wait_for': expected names of topics: {text}") from None


def _missing(node: Node, publisher: Publisher, parameters: SenderParameters) -> str:
    """Return a description of what is still missing before sending; empty if nothing is."""
    for topic in _full_names(node, parameters.wait_for):
        if not node.count_publishers(topic):
            return f'publisher on {topic}'
    if not publisher.get_subscription_count():
        return f'subscriber on {publisher.topic_name}'
    if not node.get_clock().now().nanoseconds:  # of simulation: receivers have none either
        return 'time on /clock (use_sim_time is set)'
    return ''


def _wait_for_all(node: Node, publisher: Publisher, executor: SingleThreadedExecutor) -> None:
    """Wait until all existing subscribers (for example a recorder) can receive."""
    latest = time.monotonic() + _LONGEST_SETTLING
    matched, settled = 0, 0.0
    while (now := time.monotonic()) < latest:
        before, matched = matched, publisher.get_subscription_count()
        if matched != before or matched < node.count_subscribers(publisher.topic_name):
            settled = now + _SETTLING_TIME
        if now >= settled:
            return
        executor.spin_once(timeout_sec=_LOOK_PERIOD)


def _receivers(node: Node, topic: str) -> list[TopicEndpointInfo]:
    """Return the subscriptions of a topic, soon with the names of their nodes."""
    end = time.monotonic() + _NAMES_TIMEOUT
    while True:
        found = node.get_subscriptions_info_by_topic(topic)
        if all(info.node_name != _UNKNOWN for info in found) or time.monotonic() > end:
            return list(found)
        time.sleep(_LOOK_PERIOD)  # a thread of the middleware takes them


class Verdicts:
    """`statuses`, by receiver, about the trajectory with a unique `frame_id`."""

    def __init__(self, node: Node, topic: str, frame_id: str) -> None:
        self._frame_id = frame_id
        self.statuses: dict[str, DiagnosticStatus] = {}
        self._receivers: list[str] = []
        for info in _receivers(node, topic):
            name = f'{info.node_namespace.rstrip("/")}/{info.node_name}'
            if name not in self._receivers and node.count_publishers(f'{name}/{STATUS_TOPIC}'):
                self._receivers.append(name)
                node.create_subscription(
                    DiagnosticStatus,
                    f'{name}/{STATUS_TOPIC}',
                    partial(self._take, name),
                    STATUS_QOS,
                )

    def _take(self, receiver: str, status: DiagnosticStatus) -> None:
        if any(item.key == FRAME_ID and item.value == self._frame_id for item in status.values):
            self.statuses[receiver] = status

    @property
    def missing(self) -> list[str]:
        """Receivers that have not published a status yet."""
        return [name for name in self._receivers if name not in self.statuses]

    def text(self) -> str:
        """Return the statuses as text; raise TrajectoryError if a receiver rejected it."""
        if not self._receivers:
            return (
                'no receiver reports whether it follows the trajectory: none publishes '
                f'~/{STATUS_TOPIC}, as feedforward does'
            )
        for name, status in self.statuses.items():
            if status.level == DiagnosticStatus.ERROR:
                raise TrajectoryError(f'{name} rejected the trajectory: {status.message}')
        return '\n'.join(
            f'{name}: {status.message}, from {values["start [s]"]} to {values["end [s]"]} s'
            for name, status in self.statuses.items()
            for values in ({item.key: item.value for item in status.values},)
        )


def send(node: Node) -> str:
    """Spin the node until all receivers are ready, publish the trajectory, return a report."""
    parameters = NodeParameters(node, SenderParameters).values
    if not parameters.file:
        raise unexpected('file', 'a file with a trajectory', 'none')
    trajectory = read_trajectory(parameters.file)
    with SingleThreadedExecutor() as executor:
        executor.add_node(node)
        return _send(node, executor, parameters, trajectory)


def _send(
    node: Node,
    executor: SingleThreadedExecutor,
    parameters: SenderParameters,
    trajectory: TrajectoryFile,
) -> str:
    message = trajectory_message(trajectory)
    publisher = make_publisher(node, JointTrajectory, TOPIC)
    # wakes the executor if no message arrives
    steady_timer(node, _LOOK_PERIOD, lambda: None)
    deadline = time.monotonic() + parameters.wait_timeout
    clock = node.get_clock()
    while missing := _missing(node, publisher, parameters):
        if time.monotonic() > deadline:
            raise TrajectoryError(f'no {missing} within {parameters.wait_timeout:g} s')
        executor.spin_once(timeout_sec=_LOOK_PERIOD)
    _wait_for_all(node, publisher, executor)
    message.header.frame_id = f'{NAME}_{uuid4().hex}'
    verdicts = Verdicts(node, publisher.topic_name, message.header.frame_id)
    if parameters.delay:  # of the sending, last
        set_stamp(message.header.stamp, clock.now().nanoseconds + round(1e9 * parameters.delay))
    publisher.publish(message)
    publisher.wait_for_all_acked(rclpy.duration.Duration(seconds=_ACKNOWLEDGE_TIMEOUT))
    sent = (
        f'Sent {len(message.points)} points of {len(message.joint_names)} joints, '
        f'{trajectory.points[-1].time_from_start:g} s, on {publisher.topic_name} to '
        f'{publisher.get_subscription_count()} subscriber(s)'
    )
    deadline = time.monotonic() + parameters.wait_timeout
    while silent := verdicts.missing:
        if time.monotonic() > deadline:
            raise TrajectoryError(
                f'{sent}, but no verdict of {", ".join(silent)} within '
                f'{parameters.wait_timeout:g} s'
            )
        executor.spin_once(timeout_sec=_LOOK_PERIOD)
    return f'{sent}\n{verdicts.text()}'


main = partial(
    run_node,
    partial(rclpy.create_node, NAME),
    NAME,
    work=lambda node: print(send(node)),
    interrupted=INTERRUPTED,
    purpose='Publishes a trajectory once, as soon as somebody receives it.',
    parameters=SenderParameters,
)

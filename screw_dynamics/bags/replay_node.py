# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`BagReplay`: the node that publishes the messages of a bag with their recorded timing."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from rclpy.duration import Duration
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node

from screw_dynamics.bags.definitions import definition_hash, message_definition, message_type
from screw_dynamics.bags.reader import Bag
from screw_dynamics.bags.records import BagTopic, shift_stamp
from screw_dynamics.bags.topic_recording import replay_qos
from screw_dynamics.errors import BagError, UnknownNameError

# Message types that the nodes of this package subscribe to.
INPUT_TYPES = (
    'trajectory_msgs/msg/JointTrajectory',
    'sensor_msgs/msg/JointState',
    'screw_dynamics_interfaces/msg/JointReference',
)
_LOOK_PERIOD = 0.05  # s
_SPIN_MARGIN = 0.001  # s by which the executor may return late
_ACKNOWLEDGE_TIMEOUT = 5.0  # s
# Subscribers are discovered one by one: all are present this long after the last one.
_SETTLING_TIME = 0.5  # s
# A bag with a single message has no duration.
_SHORTEST_PASS = 0.1  # s


@dataclass(frozen=True)
class ReplayOptions:
    """
    Options of a replay.

    Without `topics`, all topics with a type in `INPUT_TYPES` are replayed. `rate` is bag time per
    time; messages before `start_offset` [s since the first message] are skipped. `wait` is the
    longest wait for a subscriber of every topic [s]; 0 disables waiting.
    """

    topics: Sequence[str] = ()
    rate: float = 1.0
    start_offset: float = 0.0
    loop: bool = False
    keep_stamps: bool = False
    wait: float = 30.0


class BagReplay(Node):
    """
    Publish serialized messages with the timing of their reception.

    Header stamps are shifted to the time of publication: an absolute start of a trajectory keeps
    its distance from "now"; a stamp of 0 stays 0. The constructor raises `BagError` if there is
    nothing to replay or a type differs from the installed one, and `UnknownNameError` if a topic
    is not in the bag.
    """

    def __init__(
        self, bag: Bag, options: ReplayOptions, name: str = 'replay', **arguments: Any
    ) -> None:
        super().__init__(name, **arguments)
        self._bag, self._options = bag, options
        self._executor = SingleThreadedExecutor(context=self.context)
        self._executor.add_node(self)
        self._stamped: set[str] = set()
        try:
            self._outputs = {
                topic: self._output(topic, recorded) for topic, recorded in self._choose().items()
            }
            self._begin = self._first_instant()
        except BaseException:
            self.destroy_node()  # a participant left open may crash at the end of the process
            raise
        self.message_count = 0
        self.longest_delay = 0.0

    def _choose(self) -> dict[str, BagTopic]:
        """Return the topics to replay; raise if they are unknown or have no messages."""
        topics, options = self._bag.topics, self._options
        for name in options.topics:
            if name not in topics:
                raise UnknownNameError('topic', name, topics)
        chosen = {
            name: topic
            for name, topic in topics.items()
            if (name in options.topics if options.topics else topic.type in INPUT_TYPES)
        }
        if not any(topic.count for topic in chosen.values()):
            found = ', '.join(f'{name} ({topic.type})' for name, topic in topics.items())
            raise BagError(
                f'{self._bag.path}: expected messages on '
                f'{", ".join(options.topics) or "topics of " + " or ".join(INPUT_TYPES)}, '
                f'got none; in the bag: {found or "nothing"}'
            )
        return chosen

    def _first_instant(self) -> int:
        """Return the log time at which the replay begins [ns since the epoch]."""
        bag, offset = self._bag, self._options.start_offset
        if offset > bag.duration:
            raise BagError(
                f'{bag.path}: start offset: expected at most the duration of '
                f'{bag.duration:.3f} s, got {offset:g} s'
            )
        begin = bag.start_time + round(1e9 * offset)
        if next(bag.raw_messages(list(self._outputs), begin), None) is None:
            raise BagError(
                f'{bag.path}: start offset: expected messages on {", ".join(self._outputs)} after '
                f'{offset:g} s, got none'
            )
        return begin

    def _output(self, topic: str, recorded: BagTopic) -> Any:
        kind = message_type(recorded.type)
        ours = definition_hash(recorded.type, message_definition(recorded.type))
        if recorded.type_hash != ours:
            raise BagError(
                f'{self._bag.path}: topic {topic!r}: {recorded.type} was recorded in another '
                f'version: expected {ours}, got {recorded.type_hash}'
            )
        if next(iter(kind.get_fields_and_field_types().values()), '') == 'std_msgs/Header':
            self._stamped.add(topic)
        return self.create_publisher(kind, topic, replay_qos(recorded.qos))

    def wait_for_subscribers(self) -> None:
        """
        Wait until every topic has a subscriber and no new one has appeared for a while.

        Raises `BagError`, which names the topics without one, after `wait` seconds.
        """
        deadline = time.monotonic() + self._options.wait
        counts, changed = [0], 0.0
        while self._options.wait and self.context.ok():
            before = counts
            counts = [output.get_subscription_count() for output in self._outputs.values()]
            if counts != before:
                changed = time.monotonic()
            silent = [
                output.topic_name
                for output, count in zip(self._outputs.values(), counts, strict=True)
                if not count
            ]
            if not silent and time.monotonic() - changed > _SETTLING_TIME:
                return
            if silent and time.monotonic() > deadline:
                raise BagError(
                    f'no subscriber on {", ".join(silent)} within {self._options.wait:g} s'
                )
            self._executor.spin_once(timeout_sec=_LOOK_PERIOD)

    def wait_for_clock(self) -> None:
        """Wait until simulated time, if used, has begun; raise `BagError` after `wait` seconds."""
        deadline = time.monotonic() + self._options.wait
        while self._options.wait and self.context.ok():
            clock = self.get_clock()
            if not clock.ros_time_is_active or clock.now().nanoseconds:
                return
            if time.monotonic() > deadline:
                raise BagError(
                    f'use_sim_time is set, but there is nothing on /clock within '
                    f'{self._options.wait:g} s'
                )
            self._executor.spin_once(timeout_sec=_LOOK_PERIOD)

    def run(self, stopped: Callable[[], bool] = lambda: False) -> None:
        """Publish until the end of the bag, or until `stopped` returns True between messages."""

        def ended() -> bool:
            return stopped() or not self.context.ok()

        while not ended():
            started = time.monotonic_ns()
            self._run_once(started, ended)
            if not self._options.loop:
                break
            length = (self._bag.duration - self._options.start_offset) / self._options.rate
            self._wait_until(started + round(1e9 * max(length, _SHORTEST_PASS)), ended)
        for output in self._outputs.values():
            if self.context.ok():
                output.wait_for_all_acked(Duration(seconds=_ACKNOWLEDGE_TIMEOUT))

    def _run_once(self, started: int, ended: Callable[[], bool]) -> None:
        # timing on the steady clock, stamps on the clock of the node
        clock_at_start = self.get_clock().now().nanoseconds
        for message in self._bag.raw_messages(list(self._outputs), self._begin):
            due = round((message.log_time - self._begin) / self._options.rate)
            self._wait_until(started + due, ended)
            if ended():
                return
            data = message.data
            if message.topic in self._stamped and not self._options.keep_stamps:
                try:
                    data = shift_stamp(data, clock_at_start + due - message.log_time)
                except BagError as error:
                    raise BagError(
                        f'{self._bag.path}: topic {message.topic!r}, received at '
                        f'{1e-9 * (message.log_time - self._bag.start_time):.3f} s: {error}'
                    ) from None
            self._outputs[message.topic].publish(data)
            self.message_count += 1
            delay = 1e-9 * (time.monotonic_ns() - started - due)
            self.longest_delay = max(self.longest_delay, delay)

    def _wait_until(self, instant: int, ended: Callable[[], bool]) -> None:
        """Spin the node (parameters, clock) until shortly before `instant` [ns], then sleep."""
        while not ended() and (left := 1e-9 * (instant - time.monotonic_ns())) > 0.0:
            if left > 2.0 * _SPIN_MARGIN:
                self._executor.spin_once(timeout_sec=min(left - _SPIN_MARGIN, _LOOK_PERIOD))
            else:
                time.sleep(left)

    def destroy_node(self) -> None:
        """Destroy the node and its executor."""
        self._executor.shutdown()
        super().destroy_node()

# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The `recorder` executable: records topics to a folder with metadata.yaml and an MCAP file.

    ros2 run screw_dynamics recorder -o my_bag /feedforward/feedforward /joint_states
    python -m screw_dynamics.recordings.bags.recorder --all

Stop it with Ctrl-C (SIGINT) or SIGTERM, which complete the bag.
"""

import argparse
import math
import signal
import sys
import time
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from datetime import datetime
from functools import partial
from typing import Any

import rclpy
from rclpy.clock import Clock, ClockType
from rclpy.duration import Duration
from rclpy.event_handler import SubscriptionEventCallbacks
from rclpy.exceptions import InvalidTopicNameException, ParameterException
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy
from rclpy.signals import SignalHandlerOptions
from rclpy.subscription import Subscription
from rclpy.topic_endpoint_info import TopicEndpointInfo
from rclpy.utilities import remove_ros_args
from rosbags import interfaces as bags

from screw_dynamics.common.scalars import positive
from screw_dynamics.common.stop_signals import STOP_SIGNALS, ignore_stop_signals, shutdown_deadline
from screw_dynamics.common.times import SECOND
from screw_dynamics.errors import BagError
from screw_dynamics.recordings.bags.definitions import message_definition, message_type
from screw_dynamics.recordings.bags.writer import BagWriter

# what rclpy raises for arguments, settings and names of topics
_REFUSALS = (InvalidTopicNameException, ParameterException, RuntimeError)

DISCOVERY_PERIOD = 0.1  # s
FLUSH_PERIOD = 0.5  # s
# Messages that DDS queues while the recorder is busy: 1 s of a 1 kHz topic.
DEPTH = 1000


class TopicRecording:
    """
    Messages of a topic, by a subscription per pair of reliability and durability on offer.

    `store` is called with each message in CDR and its information, once if several receive it.
    """

    def __init__(self, subscribe: Callable[..., Subscription], store: Callable[..., None]) -> None:
        self._subscribe, self._store = subscribe, store
        self._subscriptions: dict[tuple[bool, bool], Subscription] = {}
        # source timestamp, sequence number of its publisher (if any), size
        self._order: deque[tuple[int, int | None, int]] = deque()
        self._seen: set[tuple[int, int | None, int]] = set()

    def follow(self, endpoints: Sequence[TopicEndpointInfo]) -> None:
        """Add subscriptions with the profiles of publishers, or of others' subscriptions."""
        for offer in (endpoint.qos_profile for endpoint in endpoints):
            reliable = offer.reliability == ReliabilityPolicy.RELIABLE
            latched = offer.durability == DurabilityPolicy.TRANSIENT_LOCAL
            if (reliable, latched) not in self._subscriptions:
                qos = QoSProfile(depth=DEPTH)
                if not reliable:
                    qos.reliability = ReliabilityPolicy.BEST_EFFORT
                if latched:
                    qos.durability = DurabilityPolicy.TRANSIENT_LOCAL
                self._subscriptions[reliable, latched] = self._subscribe(self._take, qos)

    def _take(self, data: bytes, info: dict[str, Any]) -> None:
        key = info['source_timestamp'], info['publication_sequence_number'], len(data)
        if key in self._seen and key[0]:
            return
        self._seen.add(key)
        self._order.append(key)
        if len(self._order) > 2 * DEPTH:  # more than can wait in another subscription
            self._seen.discard(self._order.popleft())
        self._store(data, info)

    def drain(self) -> None:
        """Store the messages that have arrived but are not handled yet."""
        for subscription in self._subscriptions.values():
            with subscription.handle:
                while taken := subscription.handle.take_message(subscription.msg_type, True):
                    self._take(*taken)


class BagRecorder(Node):
    """
    Record serialized messages to a bag, without decoding them.

    `topics` are relative to the node's namespace; without any, all but hidden ones are recorded,
    as soon as an endpoint announces their type. Log times are reception times, or the node's clock
    if ``use_sim_time`` is set.
    """

    def __init__(self, topics: Sequence[str] = ()) -> None:
        super().__init__('recorder')
        self._wanted = {self.resolve_topic_name(topic) for topic in topics}
        self._followed: dict[str, TopicRecording | None] = {}  # None for those that are refused
        self._types: dict[str, str] = {}
        self._recorded: set[str] = set()
        self._sim_time = bool(self.get_parameter('use_sim_time').value)
        self._message_count = self._lost_count = 0

    def record_to(self, writer: BagWriter) -> None:
        """Start discovery and recording to an open bag, which the caller closes after the node."""
        self._writer = writer
        clock = Clock(clock_type=ClockType.STEADY_TIME)  # simulated time may be paused
        self.create_timer(DISCOVERY_PERIOD, self._discover, clock=clock)
        self.create_timer(FLUSH_PERIOD, writer.flush, clock=clock)

    def _discover(self) -> None:
        """Subscribe to the topics and publishers that appeared since the last call."""
        for topic, types in self.get_topic_names_and_types(no_demangle=False):
            hidden = any(part.startswith('_') for part in topic.split('/'))
            if topic not in self._wanted if self._wanted else hidden:
                continue
            try:
                if topic not in self._followed:
                    self._followed[topic] = self._follow(topic, types)
                if (recording := self._followed[topic]) is not None:
                    offers = self.get_publishers_info_by_topic(topic)
                    recording.follow(offers or self.get_subscriptions_info_by_topic(topic))
                    if offers:
                        self._add_topic(topic)
            except BagError as error:
                self._refuse(topic, error)

    def _refuse(self, topic: str, error: BagError) -> None:
        self._followed[topic] = None
        self.get_logger().error(f'Not recorded: {error}')

    def _follow(self, topic: str, types: Sequence[str]) -> TopicRecording:
        if len(types) != 1:
            raise BagError(f'topic {topic!r}: expected one type, got {types}')
        message_definition(types[0])  # raises an error for a type that is not installed
        self._types[topic] = types[0]
        subscribe = partial(
            self.create_subscription,
            message_type(types[0]),
            topic,
            raw=True,
            # no warnings about incompatible QoS: another subscription matches that publisher
            event_callbacks=SubscriptionEventCallbacks(
                message_lost=self._on_lost, use_default_callbacks=False
            ),
        )
        self.get_logger().info(f"Recording '{topic}' ({types[0]})")
        return TopicRecording(subscribe, partial(self._store, topic))

    def _add_topic(self, topic: str) -> None:
        """Add a published topic to the bag, unless it is there."""
        if topic in self._recorded:
            return
        offers = self.get_publishers_info_by_topic(topic)
        qos = [_bag_qos(offer.qos_profile) for offer in offers]
        hashes = sorted(str(offer.topic_type_hash) for offer in offers)
        announced = next((text for text in hashes if text.startswith('RIHS01_')), None)
        definition = message_definition(self._types[topic])
        self._writer.add_topic(topic, self._types[topic], definition, qos, announced)
        self._recorded.add(topic)

    def _store(self, topic: str, data: bytes, info: dict[str, int]) -> None:
        if self._followed[topic] is None:
            return
        try:
            self._add_topic(topic)  # if the publisher is new, or already gone
        except BagError as error:
            self._refuse(topic, error)
            return
        now = self._sim_time or not info['received_timestamp']
        stamp = self.get_clock().now().nanoseconds if now else info['received_timestamp']
        self._writer.write(topic, stamp, data)
        self._message_count += 1

    def _on_lost(self, event: Any) -> None:
        self._lost_count += event.total_count_change
        self.get_logger().warning(
            f'{event.total_count_change} messages were lost before they reached the recorder',
            throttle_duration_sec=1.0,
        )

    def finish(self, executor: SingleThreadedExecutor) -> None:
        """Store what has arrived but is not handled yet, and log what is missing."""
        for recording in self._followed.values():
            if recording is not None:
                recording.drain()
        for _ in list(self.subscriptions):  # what they have lost is reported first
            executor.spin_once(timeout_sec=0.0)
        refused = {topic for topic, recording in self._followed.items() if recording is None}
        if missing := self._wanted - self._recorded - refused:
            self.get_logger().warning(f'Never published: {", ".join(sorted(missing))}')
        self.get_logger().info(
            f'{self._message_count} messages on {len(self._recorded)} topics '
            f'in {self._writer.path}, {self._lost_count} lost'
        )


def _bag_qos(profile: QoSProfile) -> bags.Qos:
    """Return a profile in the form of bags; discovery does not announce the history."""
    return bags.Qos(
        history=bags.QosHistory[profile.history.name],
        depth=profile.depth,
        reliability=bags.QosReliability[profile.reliability.name],
        durability=bags.QosDurability[profile.durability.name],
        deadline=_bag_time(profile.deadline),
        lifespan=_bag_time(profile.lifespan),
        liveliness=bags.QosLiveliness[profile.liveliness.name],
        liveliness_lease_duration=_bag_time(profile.liveliness_lease_duration),
        avoid_ros_namespace_conventions=profile.avoid_ros_namespace_conventions,
    )


def _bag_time(duration: Duration) -> bags.QosTime:
    return bags.QosTime(*divmod(duration.nanoseconds, SECOND))


def main(args: Sequence[str] | None = None) -> int:
    """Record until interrupted and return the exit code; `args` are as in ``sys.argv``."""
    argv = list(sys.argv if args is None else args)
    try:
        options = _options(remove_ros_args(argv)[1:])
        # the context must outlive the signal: messages that have arrived are still written
        stop: list[int] = []  # no lock: a signal may interrupt the handler of another
        for number in STOP_SIGNALS:
            signal.signal(number, lambda which, _: stop.append(which))
        rclpy.init(args=argv, signal_handler_options=SignalHandlerOptions.NO)
        node = BagRecorder(options.topics)  # before the bag: it checks the parameters
    except _REFUSALS as error:
        text = ' '.join(str(error).split())
        return _failed(f'ROS cannot start with these arguments and settings: {text}')
    else:
        return _record(node, options, stop, limited=args is None)
    finally:
        rclpy.try_shutdown()
        if args is None:  # the process ends
            ignore_stop_signals()


def _failed(text: str) -> int:
    print(f'recorder: {text}', file=sys.stderr)
    return 1


def _record(node: BagRecorder, options: argparse.Namespace, stop: list[int], limited: bool) -> int:
    executor = SingleThreadedExecutor()
    executor.add_node(node)
    try:
        with BagWriter(options.output, options.compress) as writer:
            node.record_to(writer)
            end = time.monotonic() + (options.duration or math.inf)
            while not stop and time.monotonic() < end:
                executor.spin_once(timeout_sec=0.1)
            node.finish(executor)
        return 0
    except BagError as error:
        return _failed(str(error))
    finally:
        executor.shutdown()
        with shutdown_deadline() if limited else nullcontext():
            node.destroy_node()


def _options(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog='recorder', description='Record topics to an MCAP bag, as `ros2 bag record` would.'
    )
    add = parser.add_argument
    add('topics', nargs='*', metavar='TOPIC', help='topics to record')
    add('-a', '--all', action='store_true', help='every topic, hidden ones aside')
    name = datetime.now().strftime('rosbag2_%Y_%m_%d-%H_%M_%S')
    text = 'folder to create (default: rosbag2_<date>-<time>)'
    add('-o', '--output', metavar='FOLDER', default=name, help=text)
    add('-d', '--duration', type=positive, metavar='SECONDS', help='stop after this time')
    add('--compress', action='store_true', help='compress with zstd')
    options, unknown = parser.parse_known_intermixed_args(arguments)
    if unknown:
        parser.error(f'unknown argument {unknown[0]!r} (those of ROS stand behind --ros-args)')
    if bool(options.topics) == options.all:
        parser.error('expected topics, or --all')
    return options


if __name__ == '__main__':
    sys.exit(main())

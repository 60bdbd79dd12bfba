# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The `recorder` executable: records topics to a folder with metadata.yaml and an MCAP file.

    ros2 run screw_dynamics recorder -o my_bag /feedforward/feedforward /joint_states
    python -m screw_dynamics.bags.recorder --all

Stop it with Ctrl-C (SIGINT) or SIGTERM, which complete the bag.
"""

import argparse
import math
import signal
import sys
import time
from collections.abc import Sequence
from contextlib import nullcontext
from datetime import datetime
from functools import partial
from typing import Any

import rclpy
from rclpy.clock import Clock, ClockType
from rclpy.exceptions import InvalidTopicNameException, ParameterException
from rclpy.executors import SingleThreadedExecutor
from rclpy.expand_topic_name import expand_topic_name
from rclpy.node import Node
from rclpy.signals import SignalHandlerOptions
from rclpy.topic_endpoint_info import TopicEndpointInfo
from rclpy.utilities import remove_ros_args
from rclpy.validate_full_topic_name import validate_full_topic_name

from screw_dynamics.bags.definitions import message_definition, message_type
from screw_dynamics.bags.topic_recording import RosParser, TopicRecording, bag_qos, ros_errors_told
from screw_dynamics.bags.writer import BagWriter
from screw_dynamics.errors import BagError
from screw_dynamics.scalars import positive
from screw_dynamics.stop_signals import ignore_stop_signals, limited_end

DISCOVERY_PERIOD = 0.1  # s


class BagRecorder(Node):
    """
    Record serialized messages to a bag, without decoding them.

    `topics` are relative to the node's namespace; without any, all but hidden ones are recorded,
    as soon as an endpoint announces their type. Log times are reception times, or the node's clock
    if ``use_sim_time`` is set.
    """

    def __init__(self, topics: Sequence[str] = (), name: str = 'recorder', **options: Any) -> None:
        super().__init__(name, **options)
        self._wanted = {self.resolve_topic_name(topic) for topic in topics}
        self._followed: dict[str, TopicRecording] = {}
        self._definitions: dict[str, tuple[str, str]] = {}  # type and text
        self._recorded: set[str] = set()
        self._refused: set[str] = set()
        self._sim_time = bool(self.get_parameter('use_sim_time').value)
        self.message_count = 0
        self.lost_count = 0
        # discovery continues while simulated time is paused
        self._steady_clock = Clock(clock_type=ClockType.STEADY_TIME)

    def record_to(self, writer: BagWriter) -> None:
        """Start discovery and recording to an open bag, which the caller closes after the node."""
        self._writer = writer
        self.create_timer(DISCOVERY_PERIOD, self.discover, clock=self._steady_clock)

    @property
    def recorded_topics(self) -> tuple[str, ...]:
        """Topics that are in the bag."""
        return tuple(sorted(self._recorded))

    @property
    def missing_topics(self) -> tuple[str, ...]:
        """Requested topics that have no publisher so far."""
        return tuple(sorted(self._wanted - self._recorded - self._refused))

    def discover(self) -> None:
        """Subscribe to the topics and publishers that appeared since the last call."""
        for topic, type_names in self.get_topic_names_and_types(no_demangle=False):
            if topic in self._refused:
                continue
            hidden = any(part.startswith('_') for part in topic.split('/'))
            if topic not in self._wanted if self._wanted else hidden:
                continue
            try:
                if topic not in self._followed:
                    if len(type_names) != 1:
                        raise BagError(f'topic {topic!r}: expected one type, got {type_names}')
                    self._follow(topic, type_names[0])
                self._look_at_publishers(topic)
            except BagError as error:
                self._refuse(topic, error)

    def _refuse(self, topic: str, error: BagError) -> None:
        self._refused.add(topic)
        self.get_logger().error(f'Not recorded: {error}')

    def _follow(self, topic: str, type_name: str) -> None:
        self._definitions[topic] = type_name, message_definition(type_name)
        self._followed[topic] = TopicRecording(
            self, topic, message_type(type_name), partial(self._store, topic), self._on_lost
        )
        self.get_logger().info(f"Recording '{topic}' ({type_name})")

    def _look_at_publishers(self, topic: str) -> None:
        offers = self.get_publishers_info_by_topic(topic)
        self._followed[topic].follow(offers or self.get_subscriptions_info_by_topic(topic))
        if offers and topic not in self._recorded:
            self._add_topic(topic, offers)

    def _add_topic(self, topic: str, offers: list[TopicEndpointInfo]) -> None:
        """Add a published topic to the bag."""
        self._writer.add_topic(
            topic,
            *self._definitions[topic],
            [bag_qos(offer.qos_profile) for offer in offers],
            _announced_hash(offers),
        )
        self._recorded.add(topic)

    def _store(self, topic: str, data: bytes, info: dict[str, int]) -> None:
        if topic in self._refused:
            return
        if topic not in self._recorded:  # the publisher is new, or already gone
            try:
                self._add_topic(topic, self.get_publishers_info_by_topic(topic))
            except BagError as error:
                self._refuse(topic, error)
                return
        now = self._sim_time or not info['received_timestamp']
        stamp = self.get_clock().now().nanoseconds if now else info['received_timestamp']
        self._writer.write(topic, stamp, data)
        self.message_count += 1

    def _on_lost(self, event: Any) -> None:
        self.lost_count += event.total_count_change
        self.get_logger().warning(
            f'{event.total_count_change} messages were lost before they reached the recorder',
            throttle_duration_sec=1.0,
        )

    def drain(self) -> None:
        """Store the messages that have arrived but are not handled yet; call before closing."""
        for recording in self._followed.values():
            recording.drain()


def _announced_hash(offers: list[TopicEndpointInfo]) -> str | None:
    """Return the type hash that the publishers announce, None if they announce none."""
    hashes = {str(offer.topic_type_hash) for offer in offers}
    return next((text for text in sorted(hashes) if text.startswith('RIHS01_')), None)


def main(args: Sequence[str] | None = None) -> int:
    """Record until interrupted and return the exit code; `args` are as in ``sys.argv``."""
    argv = list(sys.argv if args is None else args)
    parser = _parser()
    try:
        with ros_errors_told():
            own = remove_ros_args(argv)[1:]
        options = parser.parse_own(own)
        if bool(options.topics) == options.all:
            parser.error('expected topics, or --all')
        # The context must outlive the signal: messages that have arrived are still written.
        stop = _StopRequest()
        with ros_errors_told():
            rclpy.init(args=argv, signal_handler_options=SignalHandlerOptions.NO)
        return _record(options, stop, limited=args is None)
    except (BagError, ParameterException) as error:
        print(f'recorder: {error}', file=sys.stderr)
        return 1
    finally:
        rclpy.try_shutdown()
        if args is None:  # the process ends
            ignore_stop_signals()


class _StopRequest:
    """Flag that SIGINT and SIGTERM set."""

    def __init__(self) -> None:
        self.requested = False
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self._on_signal)

    def _on_signal(self, *_: object) -> None:
        self.requested = True


def _record(options: argparse.Namespace, stop: _StopRequest, limited: bool) -> int:
    node = BagRecorder(options.topics)  # before the bag: it checks the parameters
    executor = SingleThreadedExecutor()
    executor.add_node(node)
    try:
        with BagWriter(options.output, compress=options.compress) as writer:
            node.record_to(writer)
            end = time.monotonic() + (options.duration or math.inf)
            while not stop.requested and time.monotonic() < end:
                executor.spin_once(timeout_sec=0.1)
            node.drain()
            for _ in list(node.subscriptions):  # what they have lost is reported first
                executor.spin_once(timeout_sec=0.0)
            _report(node, writer)
        return 0
    finally:
        executor.shutdown()
        with limited_end() if limited else nullcontext():
            node.destroy_node()


def _report(node: BagRecorder, writer: BagWriter) -> None:
    logger = node.get_logger()
    if node.missing_topics:
        logger.warning(f'Never published: {", ".join(node.missing_topics)}')
    logger.info(
        f'{node.message_count} messages on {len(node.recorded_topics)} topics '
        f'in {writer.path}, {node.lost_count} lost'
    )


def _parser() -> RosParser:
    parser = RosParser(
        prog='recorder', description='Record topics to an MCAP bag, as `ros2 bag record` would.'
    )
    parser.add_argument(
        'topics', nargs='*', metavar='TOPIC', type=_topic_name, help='topics to record'
    )
    parser.add_argument('-a', '--all', action='store_true', help='every topic, hidden ones aside')
    parser.add_argument(
        '-o',
        '--output',
        metavar='FOLDER',
        default=datetime.now().strftime('rosbag2_%Y_%m_%d-%H_%M_%S'),
        help='folder to create (default: rosbag2_<date>-<time>)',
    )
    parser.add_argument(
        '-d', '--duration', type=positive, metavar='SECONDS', help='stop after this time'
    )
    parser.add_argument('--compress', action='store_true', help='compress with zstd')
    return parser


def _topic_name(text: str) -> str:
    try:
        # only the syntax is checked, for an arbitrary node name and namespace
        validate_full_topic_name(expand_topic_name(text, 'recorder', '/'))
    except (ValueError, InvalidTopicNameException) as error:
        raise argparse.ArgumentTypeError(f'expected the name of a topic: {error}') from None
    return text


if __name__ == '__main__':
    sys.exit(main())

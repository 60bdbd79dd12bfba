# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`BagRecorder`: the node that subscribes to topics and writes their messages to a bag."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from rclpy.clock import Clock, ClockType
from rclpy.node import Node
from rclpy.topic_endpoint_info import TopicEndpointInfo

from screw_dynamics.bags.definitions import message_definition, message_type
from screw_dynamics.bags.topic_recording import TopicRecording, bag_qos
from screw_dynamics.bags.writer import BagWriter
from screw_dynamics.errors import BagError

DISCOVERY_PERIOD = 0.1  # s


class BagRecorder(Node):
    """
    Record serialized messages to a bag, without decoding them.

    `topics` are relative to the node's namespace; without any, all topics are recorded except
    hidden ones. The recorder subscribes as soon as a publisher or a subscription announces a
    topic's type, so that it also receives messages of short-lived publishers. (Messages sent
    within some seconds of a publisher's start may be lost: Fast DDS drops them if the publisher is
    not discovered yet.) Log times are reception times, or the node's clock if ``use_sim_time``
    is set.
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
            if topic not in self._wanted if self._wanted else _is_hidden(topic):
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
            self, topic, message_type(type_name), self._callback(topic), self._on_lost
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

    def _callback(self, topic: str) -> Callable[[bytes, dict[str, int]], None]:
        def store(data: bytes, info: dict[str, int]) -> None:
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

        return store

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


def _is_hidden(topic: str) -> bool:
    return any(part.startswith('_') for part in topic.split('/'))


def _announced_hash(offers: list[TopicEndpointInfo]) -> str | None:
    """Return the type hash that the publishers announce, None if they announce none."""
    hashes = {str(offer.topic_type_hash) for offer in offers}
    return next((text for text in sorted(hashes) if text.startswith('RIHS01_')), None)

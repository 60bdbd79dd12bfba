# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Recording and replay over ROS: QoS profiles, and errors at the start of ROS."""

import argparse
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from rclpy.duration import Duration
from rclpy.event_handler import SubscriptionEventCallbacks, UnsupportedEventTypeError
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, HistoryPolicy, QoSProfile, ReliabilityPolicy
from rclpy.subscription import Subscription
from rclpy.topic_endpoint_info import TopicEndpointInfo
from rosbags.interfaces import (
    Qos,
    QosDurability,
    QosHistory,
    QosLiveliness,
    QosReliability,
    QosTime,
)

from screw_dynamics.errors import BagError
from screw_dynamics.messages.times import SECOND

# Messages that DDS queues while the recorder is busy: 1 s of a 1 kHz topic.
RECORDING_DEPTH = 1000
# Minimum number of messages kept for a slow subscriber.
REPLAY_DEPTH = 10


def recording_qos(profile: QoSProfile) -> QoSProfile:
    """Return the profile of a subscription that receives all that an endpoint offers."""
    reliable = profile.reliability == ReliabilityPolicy.RELIABLE
    latched = profile.durability == DurabilityPolicy.TRANSIENT_LOCAL
    return QoSProfile(
        history=HistoryPolicy.KEEP_LAST,
        depth=RECORDING_DEPTH,
        reliability=ReliabilityPolicy.RELIABLE if reliable else ReliabilityPolicy.BEST_EFFORT,
        durability=DurabilityPolicy.TRANSIENT_LOCAL if latched else DurabilityPolicy.VOLATILE,
    )


def bag_qos(profile: QoSProfile) -> Qos:
    """Return a profile in the form of bags; discovery does not announce the history."""
    return Qos(
        history=QosHistory[profile.history.name],
        depth=profile.depth,
        reliability=QosReliability[profile.reliability.name],
        durability=QosDurability[profile.durability.name],
        deadline=_time(profile.deadline),
        lifespan=_time(profile.lifespan),
        liveliness=QosLiveliness[profile.liveliness.name],
        liveliness_lease_duration=_time(profile.liveliness_lease_duration),
        avoid_ros_namespace_conventions=profile.avoid_ros_namespace_conventions,
    )


def replay_qos(offered: Sequence[Qos]) -> QoSProfile:
    """Return a profile that suits all subscribers of the publishers that offered these."""
    reliable = not offered or any(q.reliability != QosReliability.BEST_EFFORT for q in offered)
    latched = any(q.durability == QosDurability.TRANSIENT_LOCAL for q in offered)
    return QoSProfile(
        history=HistoryPolicy.KEEP_LAST,
        depth=max([REPLAY_DEPTH, *(q.depth for q in offered)]),
        reliability=ReliabilityPolicy.RELIABLE if reliable else ReliabilityPolicy.BEST_EFFORT,
        durability=DurabilityPolicy.TRANSIENT_LOCAL if latched else DurabilityPolicy.VOLATILE,
    )


def _time(duration: Duration) -> QosTime:
    return QosTime(*divmod(duration.nanoseconds, SECOND))


# Key of a message: source timestamp, sequence number of its publisher (if any), size.
_Key = tuple[int, int | None, int]


class TopicRecording:
    """
    Receives the messages of one topic from all its publishers, whatever QoS they offer.

    There is one subscription per pair of reliability and durability; a message that several
    receive is stored once. `store` is called with each message in CDR and its information,
    `on_lost` with the event if the middleware reports lost messages.
    """

    def __init__(
        self,
        node: Node,
        topic: str,
        kind: Any,
        store: Callable[[bytes, dict[str, Any]], None],
        on_lost: Callable[[Any], None],
    ) -> None:
        self._node, self._topic, self._kind = node, topic, kind
        self._store, self._on_lost = store, on_lost
        self._subscriptions: dict[tuple[ReliabilityPolicy, DurabilityPolicy], Subscription] = {}
        self._order: deque[_Key] = deque()
        self._seen: set[_Key] = set()

    def follow(self, endpoints: Sequence[TopicEndpointInfo]) -> None:
        """Add subscriptions with the profiles of publishers, or of others' subscriptions."""
        for endpoint in endpoints:
            qos = recording_qos(endpoint.qos_profile)
            key = qos.reliability, qos.durability
            if key not in self._subscriptions:
                self._subscriptions[key] = self._subscription(qos)

    def _subscription(self, qos: Any) -> Subscription:
        def subscribe(**events: Any) -> Subscription:
            # no warnings about incompatible QoS: another subscription matches that publisher
            callbacks = SubscriptionEventCallbacks(**events, use_default_callbacks=False)
            return self._node.create_subscription(
                self._kind, self._topic, self._take, qos, raw=True, event_callbacks=callbacks
            )

        try:
            return subscribe(message_lost=self._on_lost)
        except UnsupportedEventTypeError:  # not every middleware reports lost messages
            return subscribe()

    def _take(self, data: bytes, info: dict[str, Any]) -> None:
        sent = info['source_timestamp']
        if sent and not self._is_new((sent, info['publication_sequence_number'], len(data))):
            return
        self._store(data, info)

    def _is_new(self, key: _Key) -> bool:
        if key in self._seen:
            return False
        self._seen.add(key)
        self._order.append(key)
        if len(self._order) > 2 * RECORDING_DEPTH:  # more than can wait in another subscription
            self._seen.remove(self._order.popleft())
        return True

    def drain(self) -> None:
        """Store the messages that have arrived but are not handled yet."""
        for subscription in self._subscriptions.values():
            with subscription.handle:
                while taken := subscription.handle.take_message(subscription.msg_type, True):
                    self._take(*taken)


_OF_ROS = ('-p', '--param', '--params-file', '--remap', '--log-level', '--enclave')


@contextmanager
def ros_errors_told() -> Iterator[None]:
    """Convert errors of ROS in a block, about arguments or the environment, to `BagError`."""
    try:
        yield
    except RuntimeError as error:  # base class of all errors that rclpy raises for them
        text = ' '.join(str(error).split())
        raise BagError(f'ROS cannot start with these arguments and settings: {text}') from None


class RosParser(argparse.ArgumentParser):
    """A parser of the arguments that remain after removing those of ROS."""

    def parse_own(self, arguments: Sequence[str]) -> argparse.Namespace:
        """Parse arguments without the program name; exit with 2 if some belong to ROS."""
        for text in arguments:
            if text in _OF_ROS or ':=' in text:
                self.error(f'argument {text!r}: arguments of ROS stand behind --ros-args')
        return self.parse_intermixed_args(arguments)

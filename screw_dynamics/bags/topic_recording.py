# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`TopicRecording`: the subscriptions that hear all publishers of a topic, each message once."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from typing import Any

from rclpy.event_handler import SubscriptionEventCallbacks, UnsupportedEventTypeError
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, ReliabilityPolicy
from rclpy.subscription import Subscription
from rclpy.topic_endpoint_info import TopicEndpointInfo

from screw_dynamics.bags.qos import RECORDING_DEPTH, recording_qos

# What identifies a message: source timestamp, number given by its publisher (if any), size.
_Key = tuple[int, int | None, int]


class TopicRecording:
    """
    Receives the messages of one topic, whatever its publishers offer.

    There is a subscription per pair of reliability and durability: nothing is lost from a
    reliable publisher because another one is not, latched messages arrive, and a publisher that
    appears later is heard from its first message on if it offers what was there or asked for.
    What several subscriptions receive is stored once.
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
        """Subscribe with the profiles of these endpoints, in addition to those there are."""
        for endpoint in endpoints:
            qos = recording_qos(endpoint.qos_profile)
            key = qos.reliability, qos.durability
            if key not in self._subscriptions:
                self._subscriptions[key] = self._subscription(qos)

    def _subscription(self, qos: Any) -> Subscription:
        def subscribe(**events: Any) -> Subscription:
            # no default callbacks: who does not match is heard by another subscription
            callbacks = SubscriptionEventCallbacks(**events, use_default_callbacks=False)
            return self._node.create_subscription(
                self._kind, self._topic, self._take, qos, raw=True, event_callbacks=callbacks
            )

        try:
            return subscribe(message_lost=self._on_lost)
        except UnsupportedEventTypeError:  # not every middleware can tell
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
        """Take what has arrived and was not handled yet."""
        for subscription in self._subscriptions.values():
            with subscription.handle:
                while taken := subscription.handle.take_message(subscription.msg_type, True):
                    self._take(*taken)

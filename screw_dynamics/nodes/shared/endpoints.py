# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Publishers and subscriptions with QoS that parameters can override."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from typing import Any

from rclpy.event_handler import SubscriptionEventCallbacks
from rclpy.node import Node
from rclpy.publisher import Publisher
from rclpy.qos import DurabilityPolicy, QoSProfile
from rclpy.qos_overriding_options import QoSOverridingOptions
from rclpy.subscription import Subscription

DEPTH = 10
LATCHED = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)


def make_publisher(node: Node, kind: Any, topic: str) -> Publisher:
    """Return a reliable publisher for messages of type `kind`."""
    return node.create_publisher(
        kind, topic, DEPTH, qos_overriding_options=QoSOverridingOptions.with_default_policies()
    )


def make_subscription(
    node: Node,
    kind: Any,
    topic: str,
    callback: Callable[[Any], None],
    qos: QoSProfile | int = DEPTH,
    *,
    warn_of_others: bool = True,
    raw: bool = False,
) -> Subscription:
    """
    Return a subscription to messages of type `kind`.

    `warn_of_others` logs publishers with incompatible QoS; `raw` passes serialised messages.
    """
    return node.create_subscription(
        kind,
        topic,
        callback,
        copy(qos),  # rclpy writes the overrides into the profile, which is shared
        event_callbacks=SubscriptionEventCallbacks(use_default_callbacks=warn_of_others),
        qos_overriding_options=QoSOverridingOptions.with_default_policies(),
        raw=raw,
    )

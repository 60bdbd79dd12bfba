# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Publishers and subscriptions with QoS that parameters can override."""

import time
from array import array
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from copy import copy
from typing import Any

import numpy as np
from rclpy.clock import Clock, ClockType
from rclpy.duration import Duration
from rclpy.event_handler import SubscriptionEventCallbacks
from rclpy.exceptions import InvalidHandle
from rclpy.node import Node
from rclpy.publisher import Publisher
from rclpy.qos import DurabilityPolicy, QoSProfile
from rclpy.qos_overriding_options import QoSOverridingOptions
from rclpy.subscription import Subscription
from rclpy.timer import Timer
from sensor_msgs.msg import JointState

from screw_dynamics.common.arrays import Array
from screw_dynamics.common.times import set_stamp

STAMP = ('header.stamp',)


class ReusedMessage:
    """
    A message of which only numbers change; names of fields have dots: ``header.stamp``.

    `rows` (f, size) are by their f fields, float64[] or, with size 1, float64; `times` are fields
    of Time or Duration, `numbers` of integers.
    """

    def __init__(
        self,
        message: Any,
        rows: Mapping[tuple[str, ...], Array],
        times: Sequence[str] = (),
        numbers: Sequence[str] = (),
    ) -> None:
        self._message = message
        self._arrays: list[tuple[Array, Array]] = []  # the memory of a field, and its row
        self._singles: list[tuple[Any, str, Array]] = []
        for fields, values in rows.items():
            for field, row in zip(fields, values, strict=False):
                owner, name = _owner(message, field)
                if isinstance(getattr(owner, name), float):
                    self._singles.append((owner, name, row))
                    continue
                setattr(owner, name, array('d', bytes(row.nbytes)))
                self._arrays.append((np.frombuffer(getattr(owner, name)), row))
        self._times = [getattr(*_owner(message, field)) for field in times]
        self._numbers = [_owner(message, field) for field in numbers]

    def written(self, times: Sequence[int] = (), numbers: Sequence[int] = ()) -> Any:
        """Return what to publish, with the present rows, with times [ns] and numbers."""
        for memory, row in self._arrays:
            memory[:] = row
        for owner, name, row in self._singles:
            setattr(owner, name, float(row[0]))
        for stamp, instant in zip(self._times, times, strict=True):
            set_stamp(stamp, instant)
        for (owner, name), number in zip(self._numbers, numbers, strict=True):
            setattr(owner, name, int(number))
        return self._message


def _owner(message: Any, field: str) -> tuple[Any, str]:
    """Return the (part of the) message that has a field, and its name there."""
    *parts, name = field.split('.')
    for part in parts:
        message = getattr(message, part)
    return message, name


DEPTH = 10
# s, longest wait for receivers of the last messages: Fast DDS has them acknowledge with its next
# heartbeat, up to 3 s later, so that most ends take all of it
DELIVERY = 0.5
LATCHED = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
# status of each trajectory; late subscribers still receive the newest ones
STATUS_TOPIC = 'trajectory_status'
STATUS_QOS = QoSProfile(depth=DEPTH, durability=DurabilityPolicy.TRANSIENT_LOCAL)
STATE_FIELDS = ('position', 'velocity', 'effort')  # of a JointState


def make_publisher(node: Node, kind: Any, topic: str, qos: QoSProfile | int = DEPTH) -> Publisher:
    """Return a reliable publisher for messages of type `kind`."""
    return node.create_publisher(
        kind,
        topic,
        copy(qos),  # see `make_subscription`
        qos_overriding_options=QoSOverridingOptions.with_default_policies(),
    )


def delivery_end() -> float:
    """Return the monotonic time until which last messages are waited for that end now [s]."""
    return time.monotonic() + DELIVERY


def await_delivery(publisher: Publisher, latest: float) -> None:
    """Wait for all that acknowledge, or a monotonic time [s]: what is missing then is lost."""
    left = Duration(seconds=max(0.0, latest - time.monotonic()))
    with suppress(RuntimeError):  # not every DDS can wait
        publisher.wait_for_all_acked(left)


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
    """Return a subscription; `warn_of_others` logs publishers with incompatible QoS."""
    return node.create_subscription(
        kind,
        topic,
        callback,
        copy(qos),  # rclpy writes the overrides into the profile, which is shared
        event_callbacks=SubscriptionEventCallbacks(use_default_callbacks=warn_of_others),
        qos_overriding_options=QoSOverridingOptions.with_default_policies(),
        raw=raw,
    )


def publishing_nodes(node: Node, topic: str) -> set[tuple[str, str]]:
    """
    Return namespaces and names of the nodes that publish on a topic.

    A process that was killed stays in the graph for a while, beside the one in its place.
    """
    publishers = node.get_publishers_info_by_topic(topic)
    return {(one.node_namespace, one.node_name) for one in publishers}


def steady_timer(node: Node, period: float, callback: Callable[[], None]) -> Timer:
    """
    Return a timer that no jump of the system clock affects; `period` in s.

    Calls outlive the timer in the queue of the events executor: those are dropped.
    """

    def call() -> None:
        try:
            ended = timer.is_canceled()
        except InvalidHandle:  # destroyed
            return
        if not ended:
            callback()

    timer = node.create_timer(period, call, clock=Clock(clock_type=ClockType.STEADY_TIME))
    return timer


class MessageOutput:
    """A publisher of messages of which only numbers change."""

    def __init__(self, node: Node, kind: Any, topic: str) -> None:
        self._node, self._publisher = node, make_publisher(node, kind, topic)

    @property
    def topic_name(self) -> str:
        """Full name of the topic."""
        name: str = self._publisher.topic_name
        return name

    def destroy(self) -> None:
        """Destroy the publisher."""
        self._node.destroy_publisher(self._publisher)


class RowOutput(MessageOutput):
    """Publishes a message of which rows by field, the stamp and further integers change."""

    def __init__(
        self,
        node: Node,
        topic: str,
        message: Any,
        fields: tuple[str, ...],
        size: int,
        numbers: Sequence[str] = (),
    ) -> None:
        super().__init__(node, type(message), topic)
        self._rows = np.zeros((len(fields), size))
        self._message = ReusedMessage(message, {fields: self._rows}, STAMP, numbers)

    def publish(self, time: int, rows: Sequence[Array] | Array, *numbers: int) -> None:
        """Publish a row (size,) per field with a stamp [ns]."""
        self._rows[:] = rows
        self._publisher.publish(self._message.written((time,), numbers))


def state_output(
    node: Node, topic: str, names: Sequence[str], fields: tuple[str, ...] = STATE_FIELDS
) -> RowOutput:
    """Return an output of fields of named joints or motors as JointState."""
    return RowOutput(node, topic, JointState(name=list(names)), fields, len(names))

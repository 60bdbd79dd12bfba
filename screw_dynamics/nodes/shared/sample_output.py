# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`FeedforwardOutput`: FeedforwardSample records as messages, the last one of a motion too."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from rclpy.node import Node

from screw_dynamics.common.arrays import Array
from screw_dynamics.common.times import set_stamp
from screw_dynamics.nodes.shared.endpoints import (
    STAMP,
    MessageOutput,
    ReusedMessage,
    await_delivery,
)
from screw_dynamics.recordings.messages.feedforward import (
    NUMBERS,
    FeedforwardSample,
    rows_of_feedforward,
)
from screw_dynamics_interfaces.msg import FeedforwardTorque


class SampleOutput(MessageOutput):
    """A topic with samples of motions, whose last message is repeated with their end."""

    def __init__(self, node: Node, kind: Any, topic: str) -> None:
        super().__init__(node, kind, topic)
        self._kind = kind
        self._last: Any = None  # message that was published last
        self._told = False  # whether it was an end, whose receivers are to be waited for

    def _send(self, message: Any) -> None:
        self._last, self._told = message, False
        self._publisher.publish(message)

    def end(self, sample: FeedforwardSample) -> None:
        """Publish that the motion of a sample, which was the last one, goes on no more."""
        message = self._last
        if message is None:  # it went to another publisher
            message = self._kind(motion=sample.motion, jumps=sample.jumps)
            set_stamp(message.header.stamp, sample.instant)
        message.state, message.reason = int(sample.state), sample.reason
        self._publisher.publish(message)
        message.reason, self._told = '', True

    def finish(self, latest: float) -> None:
        """Wait until a monotonic time [s] for the receivers of an end, if that came last."""
        if self._told:
            await_delivery(self._publisher, latest)


class FeedforwardOutput(SampleOutput):
    """``~/feedforward``; messages are made once for each number of rows, and filled in place."""

    def __init__(self, node: Node, names: Sequence[str]) -> None:
        super().__init__(node, FeedforwardTorque, '~/feedforward')
        self._names = list(names)
        self._variants: dict[Any, tuple[ReusedMessage, list[Array]]] = {}

    def publish(self, sample: FeedforwardSample) -> None:
        """Publish a sample."""
        rows = rows_of_feedforward(sample)
        variant = self._variants.get(tuple(rows))
        if variant is None:
            buffers = {fields: np.zeros_like(values) for fields, values in rows.items()}
            message = FeedforwardTorque(joint_names=self._names)
            times = (*STAMP, 'reference.time_from_start')
            reused = ReusedMessage(message, buffers, times, NUMBERS)
            variant = self._variants[tuple(rows)] = reused, list(buffers.values())
        reused, memory = variant
        for own, values in zip(memory, rows.values(), strict=True):
            own[:] = values
        numbers = sample.continuity, sample.source, sample.motion, sample.jumps, sample.state
        self._send(reused.written((sample.instant, sample.time_from_start), numbers))

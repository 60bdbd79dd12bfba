# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`SpeedInput`: topic with the speed of the trajectory time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rclpy.node import Node
from rclpy.qos import QoSProfile
from std_msgs.msg import Float64

from screw_dynamics.errors import InputError
from screw_dynamics.nodes.feedforward.parameters import (
    SPEED_FACTOR_TYPE,
    FeedforwardParameters,
)
from screw_dynamics.nodes.shared.endpoints import LATCHED, make_subscription
from screw_dynamics.nodes.shared.interfaces import control_message

TOPIC = '~/speed_scaling'
# Value of factor 1 in each unit. Robots are slowed down, or sped up slightly: a factor above 2 is
# rejected, since it is probably a percentage.
_UNITS = {'factor': 1.0, 'percent': 100.0}
_LARGEST_FACTOR = 2.0


def speed_factor(value: float, unit: str) -> float:
    """
    Return the factor, 0 (pause) to 2, of a value in a unit, 'factor' or 'percent'.

    Raises InputError if the value is out of this range or not a number.
    """
    largest = _LARGEST_FACTOR * _UNITS[unit]
    if not 0.0 <= value <= largest:  # also True for NaN
        raise InputError(
            f"expected from 0 to {largest:g} in the unit {unit!r} (parameter 'speed_scaling_unit')"
            f', got {value:g}'
        )
    return value / _UNITS[unit]


class SpeedInput:
    """
    Passes the speed factor of a topic to `set_speed`; ignores values that are out of range.

    Of its two subscriptions, one matches only publishers that keep their last message for late
    subscribers, the other matches all. Duplicates have no effect.
    """

    def __init__(
        self,
        node: Node,
        parameters: Callable[[], FeedforwardParameters],
        set_speed: Callable[[float], None],
    ) -> None:
        self._node, self._parameters, self._set_speed = node, parameters, set_speed
        self._refused = False
        name = parameters().speed_scaling_type
        kind, take = Float64, self._on_value
        if name == SPEED_FACTOR_TYPE:
            kind = control_message(
                'SpeedScalingFactor', 'speed_scaling_type', name, 'std_msgs/Float64'
            )
            take = self._on_factor
        self._subscriptions = [
            make_subscription(node, kind, TOPIC, take, QoSProfile(depth=1)),
            make_subscription(node, kind, TOPIC, take, LATCHED, warn_of_others=False),
        ]

    def destroy(self) -> None:
        """Destroy the subscriptions."""
        for subscription in self._subscriptions:
            self._node.destroy_subscription(subscription)

    def _on_value(self, message: Float64) -> None:
        self._take(message.data)

    def _on_factor(self, message: Any) -> None:
        self._take(message.factor)

    def _take(self, value: float) -> None:
        try:
            factor = speed_factor(value, self._parameters().speed_scaling_unit)
        except InputError as error:
            if not self._refused:
                self._node.get_logger().warning(
                    f'{TOPIC} ignored, the speed stays as it is: {error}'
                )
            self._refused = True
            return
        self._refused = False
        self._set_speed(factor)

# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Topics and service of the node `feedforward`, for its core."""

from collections.abc import Callable
from functools import partial
from typing import Any

from geometry_msgs.msg import WrenchStamped
from rclpy.qos import QoSProfile, qos_profile_sensor_data
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64
from std_srvs.srv import Trigger
from trajectory_msgs.msg import JointTrajectory

from screw_dynamics.control.drive_records import Condition, State
from screw_dynamics.control.feedforward import Feedforward
from screw_dynamics.control.feedforward_parameters import SPEED_FACTOR_TYPE
from screw_dynamics.control.inputs import (
    Clear,
    CommandsHeard,
    JointStates,
    Speed,
    StreamMessage,
    WrenchMessage,
)
from screw_dynamics.control.measurements import WRENCH_TOPIC
from screw_dynamics.errors import InputError
from screw_dynamics.nodes.shared.endpoints import (
    DEPTH,
    LATCHED,
    make_subscription,
    publishing_nodes,
)
from screw_dynamics.nodes.shared.parameters import optional_type
from screw_dynamics.trajectory.reference.streamed_reference import Stream
from screw_dynamics_interfaces.msg import DriveCommandsState, JointReference

SPEED_TOPIC, COMMANDS_TOPIC = '~/speed_scaling', 'drive_commands/state'
# Value of factor 1 in each unit. Robots are slowed down, or sped up slightly: a factor above 2 is
# rejected, since it is probably a percentage.
_UNITS = {'factor': 1.0, 'percent': 100.0, SPEED_FACTOR_TYPE: 1.0}
_LARGEST_FACTOR = 2.0


def speed_factor(value: float, unit: str) -> float:
    """Return the factor, 0 (pause) to 2, of a value in a unit, or raise InputError."""
    largest = _LARGEST_FACTOR * _UNITS[unit]
    if not 0.0 <= value <= largest:  # also True for NaN
        raise InputError(
            f"expected from 0 to {largest:g} in the unit {unit!r} (parameter 'speed_scaling_unit')"
            f', got {value:g}'
        )
    return value / _UNITS[unit]


class Inputs:
    """Subscriptions and the service ~/clear, by which a node calls its core."""

    def __init__(self, node: Any, core: Feedforward) -> None:
        self._node, self._core = node, core
        self._refused = False

        def subscribe(
            kind: Any, topic: str, take: Callable[[Any], None], *, raw: bool = False
        ) -> None:
            # best effort: matches every publisher, and lost samples are not resent
            qos = DEPTH if raw else qos_profile_sensor_data
            make_subscription(node, kind, topic, take, qos, raw=raw)

        subscribe(JointState, 'joint_states', lambda message: node.step(JointStates(message)))
        for kind, stream in ((JointState, Stream.POSITIONS), (JointReference, Stream.SAMPLES)):
            subscribe(kind, stream.value, partial(self._on_stream, stream))
        subscribe(WrenchStamped, WRENCH_TOPIC, lambda message: node.take(WrenchMessage(message)))
        # decoding a long message takes longer than a tick
        subscribe(JointTrajectory, '~/joint_trajectory', node.take_trajectory, raw=True)
        frame = core.parameters.cartesian_frame
        if frame:
            path = optional_type('nav_msgs.msg', 'Path', 'cartesian_frame', frame, '')
            follow = partial(node.take_trajectory, poses=True)
            subscribe(path, '~/cartesian_trajectory', follow, raw=True)
        make_subscription(node, DriveCommandsState, COMMANDS_TOPIC, self._on_commands, LATCHED)
        self._subscribe_to_speed()
        node.create_service(Trigger, '~/clear', self._on_clear)

    def _on_stream(self, stream: Stream, message: Any) -> None:
        self._node.take(StreamMessage(message, stream))

    def _subscribe_to_speed(self) -> None:
        unit = self._core.parameters.speed_scaling_unit
        kind, self._field = Float64, 'data'
        if unit == SPEED_FACTOR_TYPE:
            module = 'control_msgs.msg'
            kind = optional_type(
                module, 'SpeedScalingFactor', 'speed_scaling_unit', unit, 'factor'
            )
            self._field = 'factor'
        for qos, warns in ((QoSProfile(depth=1), True), (LATCHED, False)):
            # the second matches publishers that keep their last message for it; duplicates have
            # no effect
            make_subscription(
                self._node, kind, SPEED_TOPIC, self._on_speed, qos, warn_of_others=warns
            )

    def _on_speed(self, message: Any) -> None:
        try:
            value = getattr(message, self._field)
            factor = speed_factor(value, self._core.parameters.speed_scaling_unit)
        except InputError as error:
            if not self._refused:
                self._node.get_logger().warning(
                    f'{SPEED_TOPIC} ignored, the speed is unchanged: {error}'
                )
            self._refused = True
            return
        self._refused = False
        self._node.step(Speed(factor))

    def _on_commands(self, message: DriveCommandsState) -> None:
        topic = self._node.resolve_topic_name(COMMANDS_TOPIC)
        alone = len(publishing_nodes(self._node, topic)) <= 1
        condition = Condition(
            State(message.state), int(message.motion), message.reason, message.enabled
        )
        self._node.step(CommandsHeard(condition if alone else None, message.positions))

    def _on_clear(self, _: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        self._node.step(Clear())
        response.message, response.success = self._core.cleared, True
        return response

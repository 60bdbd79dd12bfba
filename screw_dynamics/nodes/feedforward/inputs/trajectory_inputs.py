# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Topics and service for following trajectories, and for their speed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from rclpy.node import Node
from rclpy.qos import QoSProfile, qos_profile_sensor_data
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64
from std_srvs.srv import Trigger
from trajectory_msgs.msg import JointTrajectory

from screw_dynamics.errors import InputError
from screw_dynamics.messages.times import SECOND
from screw_dynamics.nodes.feedforward.diagnostics import FeedforwardReports
from screw_dynamics.nodes.feedforward.fitting.fit import heading
from screw_dynamics.nodes.feedforward.fitting.fit_process import FitProcess
from screw_dynamics.nodes.feedforward.inputs.trajectory_queue import TrajectoryQueue
from screw_dynamics.nodes.feedforward.inputs.trajectory_verdicts import TrajectoryVerdicts
from screw_dynamics.nodes.feedforward.parameters import (
    SPEED_FACTOR_TYPE,
    FeedforwardParameters,
)
from screw_dynamics.nodes.feedforward.pipeline import FeedforwardPipeline
from screw_dynamics.nodes.shared.endpoints import LATCHED, make_subscription
from screw_dynamics.nodes.shared.interfaces import control_message

SPEED_TOPIC = '~/speed_scaling'
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
            make_subscription(node, kind, SPEED_TOPIC, take, QoSProfile(depth=1)),
            make_subscription(node, kind, SPEED_TOPIC, take, LATCHED, warn_of_others=False),
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
                    f'{SPEED_TOPIC} ignored, the speed stays as it is: {error}'
                )
            self._refused = True
            return
        self._refused = False
        self._set_speed(factor)


class TrajectoryInputs:
    """
    Subscribes to trajectories, joint states and the speed scaling; offers the service ~/clear.

    `output` returns None if the node is not configured. `other_joints` returns the joints that
    cannot be commanded, each with the reason. `now` returns the time of the node [ns]; it raises
    InputError if there is none yet or the node is not active. `follow_speed` enables
    ~/speed_scaling.
    """

    def __init__(
        self,
        node: Node,
        output: Callable[[], FeedforwardPipeline | None],
        parameters: Callable[[], FeedforwardParameters],
        other_joints: Callable[[], Mapping[str, str]],
        now: Callable[[], int],
        reports: FeedforwardReports,
        process: FitProcess,
        *,
        follow_speed: bool,
    ) -> None:
        self._node, self._output, self._parameters = node, output, parameters
        self._now = now
        topics: list[tuple[Any, str, Callable[[Any], None], Any]] = [
            (JointState, 'joint_states', self._on_joint_state, qos_profile_sensor_data),
        ]
        self._subscriptions = [
            make_subscription(node, kind, topic, callback, qos)
            for kind, topic, callback, qos in topics
        ]
        self._speed = SpeedInput(node, parameters, self._set_speed) if follow_speed else None
        # raw: decoding a long message takes longer than a tick
        self._subscriptions.append(
            make_subscription(
                node, JointTrajectory, '~/joint_trajectory', self._on_trajectory, raw=True
            )
        )
        self._verdicts = TrajectoryVerdicts(node, reports)
        self._queue = TrajectoryQueue(
            node, output, parameters, other_joints, self._verdicts, process
        )
        self._service = node.create_service(Trigger, '~/clear', self._on_clear)

    def destroy(self) -> None:
        """Destroy the subscriptions, the service and the status."""
        for subscription in self._subscriptions:
            self._node.destroy_subscription(subscription)
        if self._speed is not None:
            self._speed.destroy()
        self._node.destroy_service(self._service)
        self._queue.destroy()
        self._verdicts.destroy()

    def _on_trajectory(self, data: bytes) -> None:
        if self._output() is None:
            return
        try:
            now = self._now()
        except InputError as error:
            self._verdicts.reject(heading(data), str(error))
            return
        self._queue.add(data, now)

    def drop(self, reason: str) -> None:
        """Reject the trajectories that are not followed yet."""
        self._queue.drop(reason)

    def _on_joint_state(self, message: JointState) -> None:
        stream = self._output()
        if stream is None:
            return
        try:
            stream.measured.update(message, self._node.get_clock().now().nanoseconds)
        except InputError as error:
            self._node.get_logger().warning(f'{error}: ignored', throttle_duration_sec=1.0)

    def _set_speed(self, factor: float) -> None:
        stream = self._output()
        if stream is not None:
            now = self._node.get_clock().now().nanoseconds
            stream.reference.set_speed(factor, now + round(SECOND * self._parameters().lead_time))

    def _on_clear(self, _: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        stream = self._output()
        assert stream is not None
        pending = self._queue.drop('~/clear was called before its fit was there')
        if stream.streamed.followed is not None:
            response.message = f'{stream.streamed.followed.value} is no longer followed'
        elif not stream.empty:
            response.message = 'the active trajectory was dropped'
        elif pending:
            response.message = 'the trajectory that was being fitted was dropped'
        else:
            response.message = 'there was no active trajectory'
        stream.clear()
        response.success = True
        return response

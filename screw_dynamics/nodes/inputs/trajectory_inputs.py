# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`TrajectoryInputs`: the topics and the service that the following of trajectories needs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from rclpy.node import Node
from rclpy.qos import qos_profile_sensor_data
from sensor_msgs.msg import JointState
from std_srvs.srv import Trigger
from trajectory_msgs.msg import JointTrajectory

from screw_dynamics.errors import InputError, ScrewDynamicsError
from screw_dynamics.nodes.conversions import SECOND
from screw_dynamics.nodes.endpoints import DEPTH, make_subscription
from screw_dynamics.nodes.inputs.speed_input import SpeedInput
from screw_dynamics.nodes.inputs.trajectory_intake import accept_trajectory
from screw_dynamics.nodes.outputs.torque_stream import TorqueStream
from screw_dynamics.nodes.parameters.feedforward_parameters import FeedforwardParameters
from screw_dynamics.nodes.reports.feedforward_reports import FeedforwardReports


class TrajectoryInputs:
    """
    Takes trajectories, measured joint states and the speed scaling; drops what is followed.

    Parameters
    ----------
    node : Node
    output : callable
        Returns the TorqueStream, None where the node is not configured.
    parameters : callable
        Returns the present parameters.
    other_joints : callable
        Returns the joints that exist but cannot be commanded, with the reason.
    now : callable
        Returns the time of the node [ns], or raises InputError while there is none or the node
        is not active.
    reports : FeedforwardReports
        Counts.
    follow_speed : bool
        Whether ~/speed_scaling counts.

    """

    def __init__(
        self,
        node: Node,
        output: Callable[[], TorqueStream | None],
        parameters: Callable[[], FeedforwardParameters],
        other_joints: Callable[[], Mapping[str, str]],
        now: Callable[[], int],
        reports: FeedforwardReports,
        *,
        follow_speed: bool,
    ) -> None:
        self._node, self._output, self._parameters = node, output, parameters
        self._other_joints, self._now, self._reports = other_joints, now, reports
        topics: list[tuple[Any, str, Callable[[Any], None], Any]] = [
            (JointTrajectory, '~/joint_trajectory', self._on_trajectory, DEPTH),
            (JointState, 'joint_states', self._on_joint_state, qos_profile_sensor_data),
        ]
        self._subscriptions = [
            make_subscription(node, kind, topic, callback, qos)
            for kind, topic, callback, qos in topics
        ]
        self._speed = SpeedInput(node, parameters, self._set_speed) if follow_speed else None
        self._service = node.create_service(Trigger, '~/clear', self._on_clear)

    def destroy(self) -> None:
        """Destroy the subscriptions and the service."""
        for subscription in self._subscriptions:
            self._node.destroy_subscription(subscription)
        if self._speed is not None:
            self._speed.destroy()
        self._node.destroy_service(self._service)

    def _on_trajectory(self, message: JointTrajectory) -> None:
        stream, logger = self._output(), self._node.get_logger()
        if stream is None:
            return
        try:
            warnings = accept_trajectory(
                message,
                stream.model,
                stream.elastic,
                self._other_joints(),
                stream.reference,
                stream.streamed,
                stream.measured,
                self._parameters(),
                self._now(),
            )
        except ScrewDynamicsError as error:
            self._reports.count_rejected(str(error))
            logger.error(f'Trajectory rejected: {error}')
            return
        self._reports.count_accepted()
        logger.info(
            f'Following a trajectory of {len(message.points)} points', throttle_duration_sec=1.0
        )
        for warning in warnings:
            logger.warning(warning)
        try:
            stream.publish_trajectory(message.header)
        except ScrewDynamicsError as error:
            logger.error(f'Not published on ~/joint_trajectory_effort: {error}')

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
        if stream.streamed.followed is not None:
            response.message = f'{stream.streamed.followed.value} is no longer followed'
        elif stream.empty:
            response.message = 'there was no active trajectory'
        else:
            response.message = 'the active trajectory was dropped'
        stream.clear()
        response.success = True
        return response

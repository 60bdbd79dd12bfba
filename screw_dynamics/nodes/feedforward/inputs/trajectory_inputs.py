# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Topics and service for following trajectories, and for their speed."""

from typing import Any

from rclpy.qos import QoSProfile, qos_profile_sensor_data
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64
from std_srvs.srv import Trigger
from trajectory_msgs.msg import JointTrajectory

from screw_dynamics.errors import InputError, ScrewDynamicsError
from screw_dynamics.messages.times import SECOND
from screw_dynamics.nodes.feedforward.context import FeedforwardContext
from screw_dynamics.nodes.feedforward.diagnostics import FeedforwardReports
from screw_dynamics.nodes.feedforward.fitting.fit import heading
from screw_dynamics.nodes.feedforward.fitting.fit_process import FitProcess
from screw_dynamics.nodes.feedforward.inputs.goal_inputs import GoalInputs
from screw_dynamics.nodes.feedforward.inputs.trajectory_queue import TrajectoryQueue
from screw_dynamics.nodes.feedforward.inputs.trajectory_verdicts import TrajectoryVerdicts
from screw_dynamics.nodes.feedforward.parameters import SPEED_FACTOR_TYPE
from screw_dynamics.nodes.shared.endpoints import LATCHED, make_subscription
from screw_dynamics.nodes.shared.interfaces import control_message, optional_message

SPEED_TOPIC = '~/speed_scaling'
# Value of factor 1 in each unit. Robots are slowed down, or sped up slightly: a factor above 2 is
# rejected, since it is probably a percentage.
_UNITS = {'factor': 1.0, 'percent': 100.0}
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


class SpeedInput:
    """Applies the speed factor of a topic to the reference; ignores values out of range."""

    def __init__(self, context: FeedforwardContext) -> None:
        self._context, self._node = context, context.node
        self._refused = False
        name = context.parameters.speed_scaling_type
        kind, self._field = Float64, 'data'
        if name == SPEED_FACTOR_TYPE:
            kind = control_message(
                'SpeedScalingFactor', 'speed_scaling_type', name, 'std_msgs/Float64'
            )
            self._field = 'factor'
        self._subscriptions = [
            make_subscription(context.node, kind, SPEED_TOPIC, self._take, QoSProfile(depth=1)),
            # matches publishers that keep their last message for it; duplicates have no effect
            make_subscription(
                context.node,
                kind,
                SPEED_TOPIC,
                self._take,
                LATCHED,
                warn_of_others=False,
            ),
        ]

    def destroy(self) -> None:
        """Destroy the subscriptions."""
        for subscription in self._subscriptions:
            self._node.destroy_subscription(subscription)

    def _take(self, message: Any) -> None:
        value, unit = getattr(message, self._field), self._context.parameters.speed_scaling_unit
        try:
            factor = speed_factor(value, unit)
        except InputError as error:
            if not self._refused:
                self._node.get_logger().warning(
                    f'{SPEED_TOPIC} ignored, the speed is unchanged: {error}'
                )
            self._refused = True
            return
        self._refused = False
        pipeline = self._context.pipeline
        if pipeline is not None:
            lead = round(SECOND * self._context.parameters.lead)
            pipeline.reference.set_speed(factor, self._context.now() + lead)


class TrajectoryInputs:
    """Receives trajectories, joint states and, with `follow_speed`, the speed; offers ~/clear."""

    def __init__(
        self,
        context: FeedforwardContext,
        reports: FeedforwardReports,
        process: FitProcess,
        *,
        follow_speed: bool,
    ) -> None:
        node = context.node
        self._context, self._node, self._reports = context, node, reports
        self._subscriptions = [
            make_subscription(
                node, JointState, 'joint_states', self._on_joint_state, qos_profile_sensor_data
            )
        ]
        self._speed = SpeedInput(context) if follow_speed else None
        # raw: decoding a long message takes longer than a tick
        self._subscriptions.append(
            make_subscription(
                node,
                JointTrajectory,
                '~/joint_trajectory',
                self._on_trajectory,
                raw=True,
            )
        )
        if context.parameters.cartesian_frame:
            frame = context.parameters.cartesian_frame
            path = optional_message('nav_msgs', 'Path', 'cartesian_frame', frame, '')
            self._subscriptions.append(
                make_subscription(node, path, '~/cartesian_trajectory', self._on_poses, raw=True)
            )
        self._verdicts = TrajectoryVerdicts(node, reports)
        self._queue = TrajectoryQueue(context, self._verdicts, process)
        self._goals: GoalInputs | None = None
        if context.parameters.follow_joint_trajectory:
            self._goals = GoalInputs(context, self._queue, self._verdicts)
        self._service = node.create_service(Trigger, '~/clear', self._on_clear)

    def destroy(self) -> None:
        """Destroy the subscriptions, the service, the action and the status."""
        if self._goals is not None:
            self._goals.destroy()
        for subscription in self._subscriptions:
            self._node.destroy_subscription(subscription)
        if self._speed is not None:
            self._speed.destroy()
        self._node.destroy_service(self._service)
        self._queue.destroy()
        self._verdicts.destroy()

    def _on_trajectory(self, data: bytes, *, poses: bool = False) -> None:
        if self._context.pipeline is None:
            return
        try:
            now = self._context.following_time()
        except InputError as error:
            self._verdicts.reject(heading(data), str(error))
            return
        self._queue.add(data, now, poses=poses)

    def _on_poses(self, data: bytes) -> None:
        self._on_trajectory(data, poses=True)

    def stop(self, reason: str) -> None:
        """Reject the trajectories that are not followed yet and abort all goals."""
        self._queue.drop(reason)
        if self._goals is not None:
            self._goals.stop(reason)

    def drop(self, reason: str) -> None:
        """Reject the trajectories that are not followed yet."""
        self._queue.drop(reason)

    def _on_joint_state(self, message: JointState) -> None:
        pipeline = self._context.pipeline
        if pipeline is None:
            return
        now = self._context.now()
        try:
            pipeline.measured.update(message, now)
        except InputError as error:
            self._node.get_logger().warning(f'{error}: ignored', throttle_duration_sec=1.0)
            return
        if self._context.active and self._context.parameters.mode == 'compensate':
            self._compensate(now)

    def _compensate(self, now: int) -> None:
        try:
            self._context.configured.compensate(now)
        except ScrewDynamicsError as error:
            self._reports.count_not_finite(str(error))
            self._node.get_logger().error(f'Nothing published: {error}', throttle_duration_sec=1.0)

    def _on_clear(self, _: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        pipeline = self._context.configured
        pending = self._queue.drop('~/clear was called before it was fitted')
        if pipeline.streamed.followed is not None:
            response.message = f'{pipeline.streamed.followed.value} is no longer followed'
        elif not pipeline.followed.empty:
            response.message = 'the active trajectory was dropped'
        elif pending:
            response.message = 'the trajectory that was being fitted was dropped'
        else:
            response.message = 'there was no active trajectory'
        pipeline.clear()
        response.success = True
        return response

# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`sync: controller_state`: trajectory time as in joint_trajectory_controller."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rclpy.qos import qos_profile_sensor_data

from screw_dynamics.control.report import OK, WARN, Report
from screw_dynamics.errors import InputError
from screw_dynamics.messages.times import SECOND, nanoseconds
from screw_dynamics.nodes.feedforward.context import FeedforwardContext
from screw_dynamics.nodes.feedforward.inputs.execution_watch import ControllerState, ExecutionWatch
from screw_dynamics.nodes.feedforward.pipeline import FeedforwardPipeline
from screw_dynamics.nodes.shared.endpoints import make_subscription
from screw_dynamics.nodes.shared.interfaces import control_message

TOPIC = '~/controller_state'
_LARGEST_AGE = 1 * SECOND  # of a state; if it is older, the clocks differ


def state_type() -> Any:
    """Return the type of the controller state; raise InputError if missing or too old."""
    kind = control_message('JointTrajectoryControllerState', 'sync', 'controller_state', 'none')
    if 'reference' not in kind.get_fields_and_field_types():
        raise InputError(
            "parameter 'sync': 'controller_state' needs the package control_msgs of at least "
            "version 4, whose states have the field 'reference'"
        )
    return kind


class ControllerSync:
    """Sets trajectory time and speed to the controller's; withholds other motions."""

    def __init__(self, context: FeedforwardContext) -> None:
        self._context, self._node = context, context.node
        self._taken = self._ignored = 0
        self._watch = ExecutionWatch()
        self._last: tuple[int, float] | None = None  # instant [ns], time from start [s]
        self._names: tuple[list[str], tuple[str, ...]] = [], ()
        self._problem = ''
        self._subscription = make_subscription(
            context.node, state_type(), TOPIC, self._on_state, qos_profile_sensor_data
        )

    def withholds(self, now: int) -> bool:
        """Return True if the motion must not be published at the tick `now` [ns]."""
        pipeline = self._context.pipeline
        if pipeline is None or pipeline.streamed.followed is not None:
            return False
        watch, withheld = self._watch, self._watch.withheld
        watch.follow(pipeline.reference.motion_at(pipeline.followed.sampled(now)), now)
        if watch.lapsed(now, self._context.parameters.sync_timeout) and not withheld:
            self._node.get_logger().warning(self._stopped())
        pipeline.reference.executed = not watch.withheld
        return watch.withheld

    def _stopped(self) -> str:
        return (
            'Nothing is published: the controller does not execute the motion, by '
            f'{self._subscription.topic_name}: {self._watch.reason}'
        )

    def _on_state(self, message: Any) -> None:
        pipeline = self._context.pipeline
        if pipeline is None:
            return
        try:
            self._take(message, pipeline, self._context.now())
        except InputError as error:
            self._ignored += 1
            self._problem = str(error)
            self._node.get_logger().warning(f'{TOPIC} ignored: {error}', throttle_duration_sec=1.0)

    def _take(self, message: Any, pipeline: FeedforwardPipeline, now: int) -> None:
        state, withheld = self._read(message, pipeline, now), self._watch.withheld
        speed = self._speed(float(message.speed_scaling_factor), state)
        self._last = state.instant, state.time
        if self._watch.take(pipeline.reference, state, now, self._context.parameters):
            pipeline.reference.set_speed(speed, state.instant)
            if withheld:
                self._node.get_logger().info(
                    'The controller executes the motion: published again from its trajectory time '
                    f'{state.time:.3f} s'
                )
        self._taken, self._problem = self._taken + 1, ''

    def _read(self, message: Any, pipeline: FeedforwardPipeline, now: int) -> ControllerState:
        """Return the state in a message; raise InputError if the message is not usable."""
        names = message.joint_names, pipeline.model.joint_names
        if names != self._names:
            self._joints, self._places = common_joints(*names)
            self._turning = np.isin(names[1], list(pipeline.reference.continuous))[self._joints]
            self._names = list(names[0]), names[1]
        instant = nanoseconds(message.header.stamp)
        if abs(now - instant) > _LARGEST_AGE:
            raise InputError(
                f'header.stamp: expected within {_LARGEST_AGE / SECOND:g} s from the time of the '
                f'node ({now / SECOND:.3f}), got {instant / SECOND:.3f}'
            )
        reported = np.array(message.reference.positions)
        if len(reported) != len(names[0]):
            raise InputError(
                f'reference.positions: expected {len(names[0])} values, one per joint name, got '
                f'{len(reported)}'
            )
        positions = reported[self._places]
        if not np.isfinite(positions).all():
            raise InputError('reference.positions: expected finite numbers')
        time = nanoseconds(message.reference.time_from_start) / SECOND
        return ControllerState(instant, time, self._joints, self._turning, positions)

    def _speed(self, factor: float, state: ControllerState) -> float:
        """Return d(time from start) / dt; controllers that do not know it report 0."""
        if math.isfinite(factor) and factor > 0.0:
            return factor
        if (
            self._last is not None
            and state.instant > self._last[0]
            and state.time == self._last[1]
        ):
            return 0.0
        return 1.0

    def report(self) -> Report:
        """Return the report for /diagnostics; WARN unless states arrive and are executed."""
        values = {
            'states taken': self._taken,
            'states ignored': self._ignored,
            'last correction [ms]': f'{1e3 * self._watch.correction:.3f}',
        }
        now, pipeline = self._context.now(), self._context.pipeline
        if self._problem:
            return Report(WARN, self._problem, values)
        if self._watch.withheld and pipeline is not None and not pipeline.followed.empty:
            return Report(WARN, self._stopped(), values)
        if self._last is None or now - self._last[0] > _LARGEST_AGE:
            return Report(WARN, f'no state on {self._subscription.topic_name}', values)
        return Report(OK, 'ok', values)


def common_joints(
    reported: Sequence[str], names: Sequence[str]
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the indices (k,) in `names` and in `reported` of the joints in both, at least one."""
    places = {name: i for i, name in enumerate(reported)}
    joints = [i for i, name in enumerate(names) if name in places]
    if not joints:
        raise InputError(
            f'joint_names: expected some of {", ".join(names)}, '
            f'got {", ".join(reported) or "none"}'
        )
    return np.array(joints), np.array([places[names[i]] for i in joints])

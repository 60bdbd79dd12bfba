# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`sync: controller_state`: trajectory time as joint_trajectory_controller counts it."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from rclpy.node import Node
from rclpy.qos import qos_profile_sensor_data

from screw_dynamics.errors import InputError
from screw_dynamics.nodes.conversions import SECOND, nanoseconds
from screw_dynamics.nodes.endpoints import make_subscription
from screw_dynamics.nodes.inputs.control_messages import control_message
from screw_dynamics.nodes.outputs.torque_stream import TorqueStream
from screw_dynamics.nodes.parameters.feedforward_parameters import FeedforwardParameters
from screw_dynamics.nodes.running.diagnostics import OK, WARN, Report

TOPIC = '~/controller_state'
_LARGEST_AGE = 1 * SECOND  # of a state; beyond it the clocks differ, or the controller is gone
# Until the controller has taken over a trajectory too, its states belong to the one before.
_TAKEOVER = 0.5  # s


def state_type() -> Any:
    """
    Return the message type of the controller's state.

    Returns
    -------
    type
        control_msgs.msg.JointTrajectoryControllerState.

    Raises
    ------
    InputError
        If control_msgs is not installed, or too old to have `reference`.

    """
    kind = control_message('JointTrajectoryControllerState', 'sync', 'controller_state', 'none')
    if 'reference' not in kind.get_fields_and_field_types():
        raise InputError(
            "parameter 'sync': 'controller_state' needs the package control_msgs of at least "
            "version 4, whose states have the field 'reference'"
        )
    return kind


class ControllerSync:
    """
    Keeps the trajectory time on that of the controller, its speed scaling included.

    Without it the two clocks of a trajectory with stamp 0 are apart by the difference of the
    reception times. States that are further away than `sync_tolerance` belong to something else
    (the trajectory before, or one that the controller has rejected) and change nothing.

    Parameters
    ----------
    node : Node
    output : callable
        Returns the TorqueStream, None where the node is not configured.
    parameters : callable
        Returns the present parameters.

    """

    def __init__(
        self,
        node: Node,
        output: Callable[[], TorqueStream | None],
        parameters: Callable[[], FeedforwardParameters],
    ) -> None:
        self._node, self._output, self._parameters = node, output, parameters
        self._taken = self._ignored = 0
        self._difference = 0.0
        self._last: tuple[int, float] | None = None  # instant [ns], time from start [s]
        self._apart_since: int | None = None
        self._problem = ''
        self._subscription = make_subscription(
            node, state_type(), TOPIC, self._on_state, qos_profile_sensor_data
        )

    def _on_state(self, message: Any) -> None:
        output = self._output()
        if output is None:
            return
        try:
            self._take(message, output, self._node.get_clock().now().nanoseconds)
        except InputError as error:
            self._ignored += 1
            self._problem = str(error)
            self._node.get_logger().warning(f'{TOPIC} ignored: {error}', throttle_duration_sec=1.0)

    def _take(self, message: Any, output: TorqueStream, now: int) -> None:
        names = output.model.joint_names
        if not set(names) & set(message.joint_names):
            raise InputError(
                f'joint_names: expected some of {", ".join(names)}, '
                f'got {", ".join(message.joint_names) or "none"}'
            )
        instant = nanoseconds(message.header.stamp)
        if abs(now - instant) > _LARGEST_AGE:
            raise InputError(
                f'header.stamp: expected within {_LARGEST_AGE / SECOND:g} s from the time of the '
                f'node ({now / SECOND:.3f}), got {instant / SECOND:.3f}'
            )
        time = nanoseconds(message.reference.time_from_start) / SECOND
        speed = self._speed(float(message.speed_scaling_factor), instant, time)
        self._last = instant, time
        tolerance = self._parameters().sync_tolerance
        difference = output.reference.synchronise(time, instant, tolerance)
        if difference is None:
            self._apart_since = None
        elif abs(difference) > tolerance:
            self._note_apart(difference, instant, time, tolerance)
            return
        else:
            self._apart_since, self._difference = None, difference
        output.reference.set_speed(speed, instant)
        self._taken, self._problem = self._taken + 1, ''

    def _speed(self, factor: float, instant: int, time: float) -> float:
        """Return d(time from start) / dt; controllers that do not know it report 0."""
        if math.isfinite(factor) and factor > 0.0:
            return factor
        if self._last is not None and instant > self._last[0] and time == self._last[1]:
            return 0.0
        return 1.0

    def _note_apart(self, difference: float, instant: int, time: float, tolerance: float) -> None:
        if self._apart_since is None or instant < self._apart_since:
            self._apart_since = instant
        elif instant - self._apart_since > _TAKEOVER * SECOND:
            raise InputError(
                f'reference.time_from_start: expected {time - difference:.3f} s within '
                f'{tolerance:g} s (parameter sync_tolerance), got {time:.3f} s: the controller '
                'executes another trajectory, or rejected this one'
            )

    def tasks(self) -> dict[str, Callable[[], Report]]:
        """
        Return what is reported on /diagnostics.

        Returns
        -------
        dict

        """
        return {'sync': self._report}

    def _report(self) -> Report:
        values = {
            'states taken': self._taken,
            'states ignored': self._ignored,
            'last correction [ms]': f'{1e3 * self._difference:.3f}',
        }
        now = self._node.get_clock().now().nanoseconds
        if self._problem:
            return Report(WARN, self._problem, values)
        if self._last is None or now - self._last[0] > _LARGEST_AGE:
            return Report(WARN, f'no state on {self._subscription.topic_name}', values)
        return Report(OK, 'ok', values)

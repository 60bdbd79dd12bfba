# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`ControllerHold`: the effort of the position at which a controller has stopped."""

from collections.abc import Callable
from pathlib import PurePosixPath
from typing import Any

import numpy as np
from builtin_interfaces.msg import Duration
from rclpy.action import ActionClient
from rclpy.node import Node
from rclpy.qos import qos_profile_sensor_data
from rclpy.serialization import deserialize_message
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from screw_dynamics.common.arrays import Array
from screw_dynamics.common.times import SECOND, nanoseconds
from screw_dynamics.control.feedforward import Feedforward
from screw_dynamics.control.motor_positions import links_at_rest
from screw_dynamics.dynamics import inverse_dynamics
from screw_dynamics.errors import InputError
from screw_dynamics.nodes.shared.endpoints import make_subscription
from screw_dynamics.nodes.shared.parameters import optional_type
from screw_dynamics.recordings.messages.joints import effort_points, joint_order, request_row

_LONGEST_STOP = 5 * SECOND  # until the controller has to be at rest
_DURATION = SECOND // 2  # in which the effort becomes that of the position
_REST = 1e-9  # rad or m between two states, of a position that is held
_NO_TOLERANCE = -1.0


class ControllerHold:
    """
    Lets a controller hold the position at which it has stopped with the effort of that position.

    When two states in a row report the same reference, a goal of this one point follows. `free`
    returns False while a goal of a client is on its way.
    """

    def __init__(
        self,
        node: Node,
        core: Feedforward,
        kind: Any,
        client: ActionClient,
        free: Callable[[], bool],
    ) -> None:
        self._node, self._core, self._kind, self._client = node, core, kind, client
        self._controller, self._free = core.parameters.follow_joint_trajectory, free
        self._state, self._tolerance = (
            optional_type('control_msgs.msg', name, 'hold_after_stop', 'true', 'false')
            for name in ('JointTrajectoryControllerState', 'JointTolerance')
        )
        self._since = 0  # instant of the stop [ns], 0 if nothing is to be held
        self._last: Array | None = None  # reference (n,) of the state before
        make_subscription(
            node,
            self._state,
            str(PurePosixPath(self._controller).with_name('controller_state')),
            self._on_state,
            qos_profile_sensor_data,
            raw=True,
        )

    def begin(self) -> None:
        """Hold as soon as the controller is at rest: it has been stopped now."""
        self._since, self._last = self._node.get_clock().now().nanoseconds, None

    def drop(self) -> None:
        """Do not hold: something else moves the robot."""
        self._since = 0

    def _on_state(self, data: bytes) -> None:
        if not self._since or not self._free():
            return
        if not self._core.followed.empty:  # a trajectory of the topic is followed
            self.drop()
            return
        message = deserialize_message(data, self._state)
        passed = nanoseconds(message.header.stamp) - self._since
        if passed > _LONGEST_STOP:
            self.drop()
            self._node.get_logger().warning(
                f'{self._controller}: its effort after the stop is not that of its position: it '
                f'has not come to rest within {_LONGEST_STOP / SECOND:g} s'
            )
        if not 0 < passed <= _LONGEST_STOP:
            return
        try:
            order = joint_order(message.joint_names, self._core.robot.joint_names)
            positions = request_row('reference.positions', message.reference.positions, order)
        except InputError:
            return
        last, self._last = self._last, positions
        if last is not None and np.abs(positions - last).max() <= _REST:
            self.drop()
            self._client.send_goal_async(self._goal(positions))
            self._node.get_logger().info(
                f'{self._controller} gets the effort of the position at which it has stopped'
            )

    def _goal(self, positions: Array) -> Any:
        """Return a goal that holds positions (n,), without tolerances, which would end it."""
        robot, parameters = self._core.robot, self._core.parameters
        model, effort_format = robot.model, parameters.effort_format
        jets = np.zeros((1, 3, model.n))
        jets[0, 0] = positions
        if parameters.of_motors:
            links = links_at_rest(robot, positions)
            jets[0, 0] = np.where(np.isfinite(links), links, positions)
        efforts = effort_format.convert(model, jets, inverse_dynamics(model, jets[0])[np.newaxis])[
            :, 0
        ]
        names = list(model.joint_names)
        free = [
            self._tolerance(
                name=name,
                position=_NO_TOLERANCE,
                velocity=_NO_TOLERANCE,
                acceleration=_NO_TOLERANCE,
            )
            for name in names
        ]
        jets[0, 0] = positions
        points = effort_points([_DURATION], jets, efforts, JointTrajectoryPoint, Duration)
        return self._kind.Goal(
            trajectory=JointTrajectory(joint_names=names, points=points),
            path_tolerance=free,
            goal_tolerance=free,
        )

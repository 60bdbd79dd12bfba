# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""A controller that executes goals in time, with the rules of joint_trajectory_controller."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from control_msgs.action import FollowJointTrajectory
from control_msgs.msg import JointTrajectoryControllerState
from rclpy.action import ActionServer, CancelResponse, GoalResponse
from rclpy.node import Node
from rclpy.task import Future
from sensor_msgs.msg import JointState

from screw_dynamics.common.times import nanoseconds, set_stamp

Result = FollowJointTrajectory.Result
PERIOD = 0.02  # s
PREEMPTED = 'Current goal preempted by new incoming action.'
DEACTIVATED = 'Current goal cancelled during deactivate transition.'


class ActionController:
    """
    Follows the newest goal by linear interpolation of its points, from where it stands.

    Its joints are `offset` away from their commands. It accepts efforts if `efforts` is True, and
    no goal while it is not `active`. It reports its reference on ``controller_state`` unless it is
    `silent`.
    """

    def __init__(self, node: Node, names: Sequence[str], offset: float = 0.0) -> None:
        self.node, self.names, self.offset = node, list(names), offset
        self.active = self.efforts = True
        self.silent = False
        self.received: list[Any] = []  # goals that were accepted
        self.command = np.zeros(len(names))
        self._goal: Any = None  # the active one
        self._ends: dict[bytes, Future] = {}
        self._states = node.create_publisher(JointState, '/joint_states', 10)
        self._reports = node.create_publisher(
            JointTrajectoryControllerState, f'/{node.get_name()}/controller_state', 10
        )
        self._server = ActionServer(
            node,
            FollowJointTrajectory,
            f'/{node.get_name()}/follow_joint_trajectory',
            self._execute,
            goal_callback=self._on_goal,
            handle_accepted_callback=self._on_accepted,
            cancel_callback=self._on_cancel,
        )
        self._timer = node.create_timer(PERIOD, self._update)

    def destroy(self) -> None:
        """Destroy the server and the timer, as the end of the process would."""
        self.node.destroy_timer(self._timer)
        self._server.destroy()

    def deactivate(self) -> None:
        """Abort the active goal and accept no other."""
        self.active = False
        self._finish('abort', Result.INVALID_GOAL, DEACTIVATED)

    @property
    def now(self) -> int:
        return self.node.get_clock().now().nanoseconds

    def _on_goal(self, goal: Any) -> GoalResponse:
        accepted = self.active and self._is_valid(goal.trajectory)
        return GoalResponse.ACCEPT if accepted else GoalResponse.REJECT

    def _is_valid(self, trajectory: Any) -> bool:
        names, points = trajectory.joint_names, trajectory.points
        if len(names) != len(self.names) or not points or set(names) != set(self.names):
            return False
        if any(abs(v) > 1.2e-7 for v in points[-1].velocities):
            return False
        times = [nanoseconds(point.time_from_start) for point in points]
        stamp, n = nanoseconds(trajectory.header.stamp), len(names)
        if (stamp and stamp + times[-1] < self.now) or (np.diff(times) <= 0).any():
            return False
        return all(
            len(p.positions) == n
            and len(p.velocities) in (0, n)
            and len(p.accelerations) in (0, n)
            and (self.efforts or not p.effort)
            for p in points
        )

    def _on_accepted(self, handle: Any) -> None:
        self._finish('abort', Result.INVALID_GOAL, PREEMPTED)
        trajectory, now = handle.request.trajectory, self.now
        order = [trajectory.joint_names.index(name) for name in self.names]
        start = nanoseconds(trajectory.header.stamp) or now
        times = [1e-9 * nanoseconds(point.time_from_start) for point in trajectory.points]
        rows = np.array([point.positions for point in trajectory.points])[:, order]
        if start + 1e9 * times[0] > now:
            times, rows = [1e-9 * (now - start), *times], np.vstack([self.command, rows])
        self._start, self._times, self._rows = start, times, rows
        self.received.append(handle.request)
        self._goal, self._ends[bytes(handle.goal_id.uuid)] = handle, Future()
        handle.execute()

    async def _execute(self, handle: Any) -> Any:
        return await self._ends[bytes(handle.goal_id.uuid)]

    def _on_cancel(self, handle: Any) -> CancelResponse:
        # the handle is canceling only when this callback has returned
        self.node.executor.create_task(self._cancel, handle)
        return CancelResponse.ACCEPT

    def _cancel(self, handle: Any) -> None:
        if self._goal is handle:
            self._finish('canceled', Result.SUCCESSFUL, '')

    def _finish(self, event: str, code: int, text: str) -> None:
        if self._goal is None:
            return
        handle, self._goal = self._goal, None
        getattr(handle, event)()
        self._ends[bytes(handle.goal_id.uuid)].set_result(
            Result(error_code=code, error_string=text)
        )

    def _update(self) -> None:
        state = JointState(name=self.names, position=(self.command + self.offset).tolist())
        set_stamp(state.header.stamp, self.now)
        self._states.publish(state)
        if not self.silent:
            report = JointTrajectoryControllerState(joint_names=self.names)
            report.header.stamp = state.header.stamp
            report.reference.positions = self.command.tolist()
            self._reports.publish(report)
        if self._goal is None:
            return
        handle, request = self._goal, self._goal.request
        elapsed = 1e-9 * (self.now - self._start)
        desired = np.array([np.interp(elapsed, self._times, row) for row in self._rows.T])
        measured = desired + self.offset
        error = desired - measured
        ended = elapsed >= self._times[-1]
        if not ended and self._exceeds(request.path_tolerance, error):
            self._finish('abort', Result.PATH_TOLERANCE_VIOLATED, 'path tolerance violated')
            return
        self.command = desired
        self._publish_feedback(handle, elapsed, desired, measured)
        if ended and not self._exceeds(request.goal_tolerance, error):
            self._finish('succeed', Result.SUCCESSFUL, 'Goal successfully reached!')
        elif ended and elapsed - self._times[-1] > 1e-9 * nanoseconds(request.goal_time_tolerance):
            self._finish('abort', Result.GOAL_TOLERANCE_VIOLATED, 'goal_time_tolerance exceeded')

    def _exceeds(self, tolerances: Any, error: np.ndarray) -> bool:
        return any(
            0.0 < tolerance.position < abs(error[self.names.index(tolerance.name)])
            for tolerance in tolerances
        )

    def _publish_feedback(
        self, handle: Any, elapsed: float, desired: np.ndarray, measured: np.ndarray
    ) -> None:
        feedback = FollowJointTrajectory.Feedback(joint_names=self.names)
        feedback.desired.positions = desired.tolist()
        feedback.actual.positions = measured.tolist()
        feedback.error.positions = (desired - measured).tolist()
        set_stamp(feedback.header.stamp, self.now)
        set_stamp(feedback.desired.time_from_start, round(1e9 * elapsed))
        handle.publish_feedback(feedback)

# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""A client of the action FollowJointTrajectory that records what becomes of its goals."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from action_msgs.msg import GoalStatus
from control_msgs.action import FollowJointTrajectory
from control_msgs.msg import JointTolerance
from rclpy.action import ActionClient
from rclpy.node import Node

from helpers.node_processes import trajectory
from helpers.services import ros_duration

NAMES = ['joint_1', 'joint_2']
ENDS = {
    GoalStatus.STATUS_SUCCEEDED: 'succeeded',
    GoalStatus.STATUS_ABORTED: 'aborted',
    GoalStatus.STATUS_CANCELED: 'canceled',
    GoalStatus.STATUS_UNKNOWN: 'unknown',
}


class Outcome(tuple[str, int | None]):
    """End and error code; a test that fails shows the reason too."""

    def __new__(cls, values: tuple[str, int | None], reason: str = '') -> Outcome:
        outcome = super().__new__(cls, values)
        outcome.reason = reason
        return outcome

    def __repr__(self) -> str:
        return f'{super().__repr__()} ({self.reason})'


@dataclass
class Sent:
    """A goal and what is known of it."""

    feedback: list[Any] = field(default_factory=list)
    handle: Any = None
    accepted: bool | None = None
    end: str = ''
    result: Any = None
    canceled: int | None = None  # return code of a request to cancel

    @property
    def outcome(self) -> Outcome:
        """How it has ended, and the error code."""
        if not self.end:
            return Outcome(('rejected', None))
        return Outcome((self.end, self.result.error_code), self.result.error_string)

    @property
    def over(self) -> bool:
        return self.accepted is False or bool(self.end)

    def cancel(self) -> None:
        """Ask the server to cancel it."""
        self.handle.cancel_goal_async().add_done_callback(self._on_cancel)

    def on_answer(self, future: Any) -> None:
        self.handle = future.result()
        self.accepted = self.handle.accepted
        if self.accepted:
            self.handle.get_result_async().add_done_callback(self._on_result)

    def _on_result(self, future: Any) -> None:
        response = future.result()
        self.end, self.result = ENDS[response.status], response.result

    def _on_cancel(self, future: Any) -> None:
        self.canceled = future.result().return_code


class GoalClient:
    """Sends goals to an action."""

    def __init__(self, node: Node, action: str) -> None:
        self.client = ActionClient(node, FollowJointTrajectory, action)

    def send(self, goal: Any, on_feedback: Callable[[Any], None] | None = None) -> Sent:
        """Send a goal; its record fills while the node spins."""
        sent = Sent()

        def record(message: Any) -> None:
            sent.feedback.append(message.feedback)
            if on_feedback is not None:
                on_feedback(message.feedback)

        self.client.send_goal_async(goal, record).add_done_callback(sent.on_answer)
        return sent


def goal_of(
    *points: Sequence[float],
    times: Sequence[float],
    names: Sequence[str] = NAMES,
    path: float = 0.0,
    end: float = 0.0,
    end_time: float = 0.0,
) -> Any:
    """Return a goal with tolerances for the first joint [rad, s]."""
    goal = FollowJointTrajectory.Goal(
        trajectory=trajectory(names, *points, times=times),
        goal_time_tolerance=ros_duration(end_time),
    )
    if path:
        goal.path_tolerance = [JointTolerance(name=names[0], position=path)]
    if end:
        goal.goal_tolerance = [JointTolerance(name=names[0], position=end)]
    return goal

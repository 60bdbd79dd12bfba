# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`GoalMessages`: the messages of forwarded goals, made between the ticks."""

from collections import deque
from collections.abc import Callable

from rclpy.node import Node

from screw_dynamics.nodes.feedforward.fitting.forwarding import (
    message_without_points,
    points_of,
)
from screw_dynamics.nodes.feedforward.fitting.tasks import Forwarding, Samples
from screw_dynamics.nodes.feedforward.inputs.forwarded_goal import ForwardedGoal
from screw_dynamics.nodes.shared.endpoints import steady_timer

_PART = 250  # points that are made between two ticks, in about 1.8 ms
_PERIOD = 0.001  # s between the parts


class GoalMessages:
    """Makes the trajectories of goals part by part, in order, and passes them to `send`."""

    def __init__(self, node: Node, send: Callable[[ForwardedGoal, Forwarding], None]) -> None:
        self._node, self._send = node, send
        self._waiting: deque[tuple[ForwardedGoal, Forwarding, Samples]] = deque()
        self._timer = steady_timer(node, _PERIOD, self._make)
        self._timer.cancel()

    def add(self, goal: ForwardedGoal, task: Forwarding, samples: Samples) -> None:
        """Replace the trajectory of a goal by its samples."""
        goal.request.trajectory = message_without_points(samples)
        self._waiting.append((goal, task, samples))
        self._timer.reset()
        self._make()

    def _make(self) -> None:
        """Make the next points of a trajectory; send it after the last."""
        while self._waiting and not self._waiting[0][0].awaits(self._waiting[0][1]):
            self._waiting.popleft()
        if not self._waiting:
            self._timer.cancel()
            return
        goal, task, samples = self._waiting[0]
        points = goal.request.trajectory.points
        points += points_of(samples, len(points), len(points) + _PART)
        if len(points) == len(samples.times):
            self._waiting.popleft()
            self._send(goal, task)

    def destroy(self) -> None:
        """Destroy the timer."""
        self._node.destroy_timer(self._timer)

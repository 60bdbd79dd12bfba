# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The action follow_joint_trajectory: its type, its server, and a goal on its way."""

import math
import time
from contextlib import suppress
from importlib import import_module
from typing import Any, Protocol

from rclpy.action import ActionServer
from rclpy.action.server import RCLError
from rclpy.node import Node

from screw_dynamics.errors import InputError
from screw_dynamics.nodes.feedforward.fitting.fit_process import Stopwatch
from screw_dynamics.nodes.feedforward.fitting.tasks import Forwarding, Refusal, Samples
from screw_dynamics.reference.interpolation import ActiveTrajectory

ACTION = '~/follow_joint_trajectory'
PARAMETER = 'follow_joint_trajectory'


def action_type(node: Node, controller: str) -> Any:
    """Return the type of the action; raise InputError if it or another controller is missing."""
    try:
        kind = import_module('control_msgs.action').FollowJointTrajectory
    except (ImportError, AttributeError) as error:
        raise InputError(
            f'parameter {PARAMETER!r}: {controller!r} needs the package control_msgs, which is '
            f"not available ({error}): install it (ros-$ROS_DISTRO-control-msgs) or use ''"
        ) from None
    names = [
        node.resolve_service_name(f'{name}/_action/send_goal') for name in (ACTION, controller)
    ]
    if names[0] == names[1]:
        raise InputError(
            f'parameter {PARAMETER!r}: expected the action of a controller, got {controller!r}, '
            'the own one of the node'
        )
    return kind


class GoalServer(ActionServer):
    """An action server whose goals are executed elsewhere; no coroutine waits for their end."""

    told = -math.inf  # time at which the last result was sent [s]

    def notify_execute(self, goal_handle: Any, execute_callback: Any) -> None:
        """Leave the goal executing until `end`."""

    def end(self, handle: Any, event: str, result: Any) -> None:
        """End a goal by an event (succeed, abort, canceled) and send its result at once."""
        with suppress(RCLError):  # the status cannot be published after a signal
            getattr(handle, event)()
        response = self.action_type.Impl.GetResultService.Response()
        response.status, response.result = handle.status, result
        future = self._result_futures[bytes(handle.goal_id.uuid)]
        future._set_executor(None)  # it may not spin any more
        future.set_result(response)
        self.told = time.monotonic()


class Forwarder(Protocol):
    """What sends goals to the controller."""

    def now(self) -> int:
        """Return the time of the node [ns]."""

    def build(self, goal: 'ForwardedGoal', task: Forwarding, samples: Samples) -> None:
        """Make the message of a trajectory with efforts, and send it."""

    def end(self, goal: 'ForwardedGoal', event: str, reason: str) -> None:
        """End a goal for a reason of the node."""


class ForwardedGoal:
    """A goal of a client from its acceptance to its end."""

    def __init__(self, inputs: Forwarder, handle: Any, received: int) -> None:
        self._inputs, self.handle, self.received = inputs, handle, received
        self.data = b''  # its trajectory as received, until it is sent
        self.motion: ActiveTrajectory | None = None  # of the reference
        self.waits = False  # its motion is held back until it is sent
        self.forwarding = Stopwatch(received)  # since that motion was accepted
        self.lead = 0  # time from start of the controller minus that of the client [ns]
        self.asked = False  # it was sent to the controller
        self.looks = 0  # for the answer to that
        self.sent: Any = None  # the controller's goal, once accepted
        self.canceling = self.ended = False

    @property
    def request(self) -> Any:
        """The goal as received; its trajectory is replaced on the way."""
        return self.handle.request

    def awaits(self, task: Forwarding) -> bool:
        """Return whether it is to be sent with this motion, not ended or fitted anew."""
        return not self.ended and task.motion is self.motion

    def refused(self, reason: str) -> None:
        """End the goal: its trajectory is not followed."""
        self._inputs.end(self, 'abort', reason)

    def followed(self, motion: ActiveTrajectory, waits: bool) -> None:
        """Record the motion that the reference follows for it, or holds back until it is sent."""
        self.motion, self.waits = motion, waits
        self.forwarding = Stopwatch(self._inputs.now())

    def forward(self, answer: Samples | Refusal, task: Forwarding) -> None:
        """Send the trajectory with efforts to the controller."""
        if not self.awaits(task):
            return
        if isinstance(answer, Refusal):
            self._inputs.end(self, 'abort', answer.reason)
            return
        self._inputs.build(self, task, answer)

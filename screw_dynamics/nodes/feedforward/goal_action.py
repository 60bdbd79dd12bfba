# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""The action follow_joint_trajectory in front of that of a controller; `Goals` decides."""

import gc
from contextlib import suppress
from functools import partial
from pathlib import PurePosixPath
from typing import Any

from action_msgs.msg import GoalStatus
from rclpy.action import ActionClient, ActionServer, CancelResponse, GoalResponse
from rclpy.action.client import ClientGoalHandle
from rclpy.action.server import RCLError
from rclpy.node import Node
from rclpy.qos import qos_profile_sensor_data
from rclpy.serialization import deserialize_message, serialize_message
from trajectory_msgs.msg import JointTrajectory

from screw_dynamics.common.times import nanoseconds, set_stamp
from screw_dynamics.control import outputs
from screw_dynamics.control.controller_hold import ControllerState
from screw_dynamics.control.feedforward import Feedforward
from screw_dynamics.control.inputs import (
    ControllerSeen,
    GoalAccepted,
    GoalAnswered,
    GoalBuilt,
    GoalCanceled,
    GoalEnded,
)
from screw_dynamics.control.tasks import Samples, TrajectoryMessage
from screw_dynamics.errors import InputError
from screw_dynamics.nodes.feedforward.sample_outputs import message_without_points, points_of
from screw_dynamics.nodes.feedforward.worker import header_of
from screw_dynamics.nodes.shared.endpoints import make_subscription, steady_timer
from screw_dynamics.nodes.shared.parameters import optional_type

ACTION = '~/follow_joint_trajectory'
PARAMETER = 'follow_joint_trajectory'


def action_type(node: Node, controller: str) -> Any:
    """Return the type of the action; raise InputError if it or another controller is missing."""
    kind = optional_type('control_msgs.action', 'FollowJointTrajectory', PARAMETER, controller, '')
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


_WATCH_PERIOD = 0.1  # s between looks at the controller while goals run
_RESULT_KEPT = 10  # s, as by rclcpp
_PART = 250  # points that are made between two ticks, in about 1.8 ms
_PART_PERIOD = 0.001  # s between the parts
_EVENTS = {
    GoalStatus.STATUS_SUCCEEDED: 'succeed',
    GoalStatus.STATUS_ABORTED: 'abort',
    GoalStatus.STATUS_CANCELED: 'canceled',
}


class _Handles:
    """What belongs to a goal in ROS."""

    def __init__(self, handle: Any) -> None:
        self.handle = handle
        self.samples: Samples | None = None  # of the message that is being made
        self.sent: Any = None  # the goal of the controller
        self.result: Any = None


class GoalActions:
    """Serves ~/follow_joint_trajectory by the action of a controller, as the core decides."""

    def __init__(self, node: Any, core: Feedforward) -> None:
        self._node, self._decide = node, core.goals
        parameters = core.parameters
        self._controller = parameters.follow_joint_trajectory
        self._type = action_type(node, self._controller)
        result = self._type.Result
        self._violations = result.PATH_TOLERANCE_VIOLATED, result.GOAL_TOLERANCE_VIOLATED
        self._goals: dict[int, _Handles] = {}
        self._number = 0
        self._canceled: list[int] = []
        self._closed = False
        self._client = ActionClient(node, self._type, self._controller)
        self._server = GoalServer(
            node,
            self._type,
            ACTION,
            lambda handle: None,  # never called: see `GoalServer`
            goal_callback=self._on_goal,
            handle_accepted_callback=self._on_accepted,
            cancel_callback=self._on_cancel,
            result_timeout=_RESULT_KEPT,
        )
        if parameters.hold_after_stop:
            self._state, self._tolerance = (
                optional_type('control_msgs.msg', name, 'hold_after_stop', 'true', 'false')
                for name in ('JointTrajectoryControllerState', 'JointTolerance')
            )
            topic = str(PurePosixPath(self._controller).with_name('controller_state'))
            make_subscription(
                node, self._state, topic, self._on_state, qos_profile_sensor_data, raw=True
            )
        self._watch = steady_timer(
            node,
            _WATCH_PERIOD,
            lambda: node.step(ControllerSeen(self._client.server_is_ready())),
        )
        self._watch.cancel()
        self._parts = steady_timer(node, _PART_PERIOD, self._make)
        self._parts.cancel()
        # long messages make the garbage collector look through all objects, which takes 0.1 s
        gc.collect()  # what is frozen stays
        gc.freeze()

    def destroy(self) -> None:
        """Take no further goals; those before have ended."""
        self._closed = True
        for timer in (self._watch, self._parts):
            self._node.destroy_timer(timer)

    def _on_goal(self, request: Any) -> GoalResponse:
        refused = self._closed or self._node.goal_refusal(request.trajectory)
        return GoalResponse.REJECT if refused else GoalResponse.ACCEPT

    def _on_accepted(self, handle: Any) -> None:
        handle.execute()
        self._number += 1
        self._goals[self._number] = _Handles(handle)
        if self._watch.is_canceled():  # else goals that follow quickly would keep it from looking
            self._watch.reset()
        trajectory = handle.request.trajectory
        message = TrajectoryMessage(serialize_message(trajectory), header_of(trajectory.header))
        ready = self._client.server_is_ready()
        self._node.step(GoalAccepted(self._number, message, ready))

    def _on_cancel(self, handle: Any) -> CancelResponse:
        number = next((n for n, goal in self._goals.items() if goal.handle is handle), None)
        if number is None:
            return CancelResponse.REJECT
        # the goal is canceling only when this callback has returned
        self._canceled.append(number)
        self._parts.reset()
        return CancelResponse.ACCEPT

    def perform(self, action: outputs.GoalAction) -> None:
        """Do what the core asks for."""
        if isinstance(action, outputs.SendHold):
            self._client.send_goal_async(self._hold(action.samples))
            return
        goal = self._goals.get(action.goal)
        if goal is None:
            return
        if isinstance(action, outputs.BuildGoal):
            goal.samples = action.samples
            goal.handle.request.trajectory = message_without_points(action.samples)
            self._parts.reset()
        elif isinstance(action, outputs.SendGoal):
            self._send(action, goal)
        elif isinstance(action, outputs.CancelGoal):
            self._cancel(goal)
        else:
            self._end(action, goal)

    def _make(self) -> None:
        """Pass on requests to cancel; make the next points of the first trajectory."""
        while self._canceled:
            self._node.step(GoalCanceled(self._canceled.pop(0)))
        waiting = [(n, goal) for n, goal in self._goals.items() if goal.samples is not None]
        if not waiting:
            self._parts.cancel()
            return
        number, goal = waiting[0]
        samples, trajectory = goal.samples, goal.handle.request.trajectory
        assert samples is not None
        made = len(trajectory.points)
        trajectory.points += points_of(samples, made, made + _PART)
        if len(trajectory.points) == len(samples.times):
            goal.samples = None
            self._node.step(GoalBuilt(number, self._client.server_is_ready()))

    def _send(self, action: outputs.SendGoal, goal: _Handles) -> None:
        request = goal.handle.request
        if action.stamp is not None:
            set_stamp(request.trajectory.header.stamp, action.stamp)
        future = self._client.send_goal_async(
            request, partial(self._on_feedback, action.goal), goal_uuid=goal.handle.goal_id
        )
        request.trajectory = JointTrajectory()  # results are kept for some time
        future.add_done_callback(partial(self._on_answer, action.goal, goal))

    def _cancel(self, goal: _Handles) -> None:
        """Let the controller cancel a goal that it was sent, though its answer may be lost."""
        if goal.sent is not None:
            goal.sent.cancel_goal_async()
            return
        answer = self._type.Impl.SendGoalService.Response()
        ClientGoalHandle(self._client, goal.handle.goal_id, answer).cancel_goal_async()

    def _on_answer(self, number: int, goal: _Handles, future: Any) -> None:
        goal.sent = future.result()
        accepted = goal.sent.accepted
        if number not in self._goals and accepted:
            goal.sent.cancel_goal_async()  # ended by the node meanwhile
            return
        if accepted:
            goal.sent.get_result_async().add_done_callback(partial(self._on_result, number))
        self._node.step(GoalAnswered(number, accepted))

    def _on_result(self, number: int, future: Any) -> None:
        goal = self._goals.get(number)
        if goal is None:
            return
        status, goal.result = future.result().status, future.result().result
        violated = goal.result.error_code in self._violations
        event = _EVENTS.get(status, 'unknown')
        self._node.step(GoalEnded(number, event, violated))

    def _on_feedback(self, number: int, message: Any) -> None:
        """Publish the feedback of the controller with the times of the client's trajectory."""
        goal, known = self._goals.get(number), self._decide.find(number)
        if goal is None or known is None or not known.accepted:
            return  # ended, or its answer is still on the way
        feedback = message.feedback
        for point in (feedback.desired, feedback.actual):
            if known.lead:
                shifted = nanoseconds(point.time_from_start) - known.lead
                set_stamp(point.time_from_start, shifted)
        goal.handle.publish_feedback(feedback)

    def _on_state(self, data: bytes) -> None:
        if self._decide.hold.waits:  # seldom; decoding takes time
            message = deserialize_message(data, self._state)
            names, positions = tuple(message.joint_names), tuple(message.reference.positions)
            stamp = nanoseconds(message.header.stamp)
            self._node.step(ControllerState(stamp, names, positions))

    def _hold(self, samples: Samples) -> Any:
        """Return a goal without tolerances, which would end it."""
        none = {'position': -1.0, 'velocity': -1.0, 'acceleration': -1.0}
        free = [self._tolerance(name=name, **none) for name in samples.joint_names]
        trajectory = message_without_points(samples)
        trajectory.points = points_of(samples)
        return self._type.Goal(trajectory=trajectory, path_tolerance=free, goal_tolerance=free)

    def _end(self, action: outputs.EndGoal, goal: _Handles) -> None:
        """End a goal, with the result of the controller or with the reason for another end."""
        del self._goals[action.goal]
        if not self._goals:
            self._watch.cancel()
        event, result = action.event, goal.result
        if event == 'canceled' and not goal.handle.is_cancel_requested:
            event = 'abort'
        if action.reason or result is None:
            canceled = event == 'canceled'
            code = self._type.Result.SUCCESSFUL if canceled else self._type.Result.INVALID_GOAL
            result = self._type.Result(error_code=code, error_string=action.reason)
        if event != 'succeed' and result.error_string:
            self._node.get_logger().warning(f'Goal {event}: {result.error_string}')
        self._server.end(goal.handle, event, result)

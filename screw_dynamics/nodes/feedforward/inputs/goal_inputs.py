# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`GoalInputs`: the action follow_joint_trajectory in front of that of a controller."""

import gc
from functools import partial
from typing import Any

from action_msgs.msg import GoalStatus
from rclpy.action import ActionClient, CancelResponse, GoalResponse
from rclpy.action.client import ClientGoalHandle
from rclpy.serialization import serialize_message
from trajectory_msgs.msg import JointTrajectory

from screw_dynamics.errors import InputError
from screw_dynamics.messages.times import SECOND, nanoseconds, set_stamp
from screw_dynamics.nodes.feedforward.context import FeedforwardContext
from screw_dynamics.nodes.feedforward.fitting.forwarding import lead
from screw_dynamics.nodes.feedforward.fitting.tasks import Forwarding, Heading, Samples
from screw_dynamics.nodes.feedforward.inputs.controller_hold import ControllerHold
from screw_dynamics.nodes.feedforward.inputs.forwarded_goal import (
    ACTION,
    PARAMETER,
    ForwardedGoal,
    GoalServer,
    action_type,
)
from screw_dynamics.nodes.feedforward.inputs.goal_checks import goal_refusal
from screw_dynamics.nodes.feedforward.inputs.goal_messages import GoalMessages
from screw_dynamics.nodes.feedforward.inputs.trajectory_queue import TrajectoryQueue
from screw_dynamics.nodes.feedforward.inputs.trajectory_verdicts import TrajectoryVerdicts
from screw_dynamics.nodes.shared.endpoints import steady_timer

_WATCH_PERIOD = 0.1  # s between looks at the controller while goals run
_LONGEST_ANSWER = 5.0  # s, of the controller to a goal
_LOOKS = round(_LONGEST_ANSWER / _WATCH_PERIOD)  # for the answer, which take as long
_DELIVERY = SECOND // 100  # until the controller has a goal that is sent
_RESULT_KEPT = 10  # s, as by rclcpp


class GoalInputs:
    """
    Serves ~/follow_joint_trajectory and forwards its goals to the action of a controller.

    A goal is accepted by the rules of the controller and passes the queue of trajectories. Its
    feedback, result, cancellation and preemption are those of the controller's goal.
    """

    def __init__(
        self, context: FeedforwardContext, queue: TrajectoryQueue, verdicts: TrajectoryVerdicts
    ) -> None:
        self._context, self._queue, self._verdicts = context, queue, verdicts
        self._node, self._controller = context.node, context.parameters.follow_joint_trajectory
        self._type = action_type(context.node, self._controller)
        result = self._type.Result
        self._violations = result.PATH_TOLERANCE_VIOLATED, result.GOAL_TOLERANCE_VIOLATED
        self._goals: list[ForwardedGoal] = []
        self._closed = False
        self._messages = GoalMessages(context.node, self._send)
        self._client = ActionClient(context.node, self._type, self._controller)
        self._server = GoalServer(
            context.node,
            self._type,
            ACTION,
            lambda handle: None,  # never called: see `GoalServer`
            goal_callback=self._on_goal,
            handle_accepted_callback=self._on_accepted,
            cancel_callback=self._on_cancel,
            result_timeout=_RESULT_KEPT,
        )
        self._hold: ControllerHold | None = None
        if context.parameters.hold_after_stop:
            self._hold = ControllerHold(
                context, self._type, self._client, self._controller, lambda: not self._goals
            )
        self._timer = steady_timer(context.node, _WATCH_PERIOD, self._watch)
        self._timer.cancel()
        # long messages make the garbage collector look through all objects, which takes 0.1 s
        gc.collect()  # what is frozen stays
        gc.freeze()

    def destroy(self) -> None:
        """Abort all goals; server and client are destroyed soon."""
        self._closed = True
        self.stop('the node is not configured any more')
        self._node.destroy_timer(self._timer)
        self._messages.destroy()
        if self._hold is not None:
            self._hold.destroy()
        self._node.retire(self._server, self._client)

    def stop(self, reason: str) -> None:
        """Abort all goals; the controller is asked to cancel its own."""
        if self._hold is not None:
            self._hold.drop()
        for goal in self._goals[::-1]:  # the newest first: no other follows one that ends
            self._stop(goal, reason)

    def _stop(self, goal: ForwardedGoal, reason: str) -> None:
        if goal.asked:
            self._cancel(goal)
        self._queue.drop(reason, goal)
        self.end(goal, 'abort', reason)

    def _cancel(self, goal: ForwardedGoal) -> None:
        """Let the controller cancel a goal that it was sent, though its answer may be lost."""
        answer = self._type.Impl.SendGoalService.Response()
        ClientGoalHandle(self._client, goal.handle.goal_id, answer).cancel_goal_async()

    def now(self) -> int:
        """Return the time of the node [ns]."""
        return self._context.now()

    # clients -------------------------------------------------------------------------------------

    def _on_goal(self, request: Any) -> GoalResponse:
        if self._closed:
            return GoalResponse.REJECT
        header = request.trajectory.header
        try:
            now = self._context.following_time()
        except InputError as error:
            refusal = str(error)
        else:
            names = self._context.configured.model.joint_names
            refusal = goal_refusal(request.trajectory, names, self._context.parameters, now)
        if refusal:
            self._verdicts.reject(Heading(nanoseconds(header.stamp), header.frame_id), refusal)
            return GoalResponse.REJECT
        return GoalResponse.ACCEPT

    def _on_accepted(self, handle: Any) -> None:
        handle.execute()
        for older in list(self._goals):  # that which is being forwarded is preempted there
            self._queue.drop('preempted by a newer goal before it was sent', older)
        goal = ForwardedGoal(self, handle, self._context.now())
        self._goals.append(goal)
        if self._timer.is_canceled():  # else goals that follow quickly would keep it from looking
            self._timer.reset()
        if not self._client.server_is_ready():
            self.end(goal, 'abort', self._absent())
            return
        goal.data = serialize_message(handle.request.trajectory)
        self._queue.add(goal.data, goal.received, goal)

    def _on_cancel(self, handle: Any) -> CancelResponse:
        goal = next((goal for goal in self._goals if goal.handle is handle), None)
        if goal is None:
            return CancelResponse.REJECT
        goal.canceling = True
        if goal.sent is not None:
            goal.sent.cancel_goal_async()
        elif not goal.asked:
            # the goal is canceling only when this callback has returned
            self._node.executor.create_task(self._withdraw, goal)
        return CancelResponse.ACCEPT

    def _withdraw(self, goal: ForwardedGoal) -> None:
        """Cancel a goal that the controller does not have, and that which it would preempt."""
        older = self._goals[: self._goals.index(goal)] if goal in self._goals else []
        reason = 'canceled before it was sent to the controller'
        if not goal.ended and not self._queue.drop(reason, goal):
            self.end(goal, 'abort', reason)
        for one in older[::-1]:
            self._stop(one, 'preempted by a newer goal, which was canceled')
        if older:
            self._hold_soon()

    def end(self, goal: ForwardedGoal, event: str, reason: str = '', result: Any = None) -> None:
        """End a goal, with the result of the controller or with the reason for another end."""
        if goal.ended:
            return
        goal.ended = True
        at = self._goals.index(goal)
        del self._goals[at]
        if not self._goals:
            self._timer.cancel()
        if event != 'succeed':
            self._leave(goal, self._goals[at:])
        if result is None:
            canceled = goal.canceling and goal.handle.is_cancel_requested
            event = 'canceled' if canceled else event
            code = self._type.Result.SUCCESSFUL if canceled else self._type.Result.INVALID_GOAL
            result = self._type.Result(error_code=code, error_string=reason)
        if event != 'succeed' and result.error_string:
            self._node.get_logger().warning(f'Goal {event}: {result.error_string}')
        self._server.end(goal.handle, event, result)

    def _leave(self, goal: ForwardedGoal, newer: list[ForwardedGoal]) -> None:
        """Stop following the motion of a goal that the controller has left, or never gets."""
        pipeline, motion = self._context.pipeline, goal.motion
        if motion is None or pipeline is None or pipeline.reference.empty:
            return
        if any(one.asked for one in newer):
            return  # the controller has gone on to that
        reference = pipeline.reference
        if not goal.asked and not goal.canceling:
            if reference.withdraw(motion, pipeline.followed.sampled(self._context.now())):
                return  # the motion before continues
        later = [one for one in newer if one.motion is not None]
        if not later and not reference.follows(motion):
            return
        ours = [one.motion.waypoints for one in later if one.motion is not None]
        if all(any(one.waypoints is own for own in ours) for one in reference.after(motion)):
            pipeline.clear()
            for one in later[::-1]:
                self._repeat(one)

    def _repeat(self, goal: ForwardedGoal) -> None:
        """Fit a goal anew that is not sent yet: it continued a motion that has been left."""
        goal.motion, goal.waits = None, False
        if not self._queue.repeat(goal.data, self._context.now(), goal):
            self.end(goal, 'abort', 'preempted by a newer trajectory before it was sent')

    # the controller ------------------------------------------------------------------------------

    def build(self, goal: ForwardedGoal, task: Forwarding, samples: Samples) -> None:
        """Make the message of a trajectory between the ticks, and send it."""
        self._messages.add(goal, task, samples)

    def _send(self, goal: ForwardedGoal, task: Forwarding) -> None:
        if goal.canceling:
            return  # `_withdraw` ends it
        if not self._client.server_is_ready():
            self.end(goal, 'abort', self._absent())
            return
        if not self._context.configured.reference.follows(task.motion):
            self.end(goal, 'abort', 'its motion was replaced or dropped before it was sent')
            return
        trajectory = goal.request.trajectory
        goal.lead = lead(task, nanoseconds(trajectory.header.stamp))
        if not goal.lead:
            self._begin_soon(goal, task)
        goal.asked = True
        if self._hold is not None:
            self._hold.drop()
        points = len(trajectory.points)
        future = self._client.send_goal_async(
            goal.request, partial(self._on_feedback, goal), goal_uuid=goal.handle.goal_id
        )
        goal.request.trajectory = JointTrajectory()  # results are kept for some time
        goal.data = b''
        future.add_done_callback(partial(self._on_answer, goal, points))

    def _begin_soon(self, goal: ForwardedGoal, task: Forwarding) -> None:
        """Let a motion from rest begin when the controller has it, not when it was planned."""
        trajectory = goal.request.trajectory
        first = trajectory.points[0]
        moves = any(first.velocities) or any(first.accelerations)
        reference = self._context.configured.reference
        ahead = max(_DELIVERY, round(SECOND * self._context.parameters.lead))
        start = self._context.now() + ahead
        if goal.waits or (reference.rests(start) and not (task.stamp or moves)):
            set_stamp(trajectory.header.stamp, start)
            reference.release(task.motion, start)

    def _on_answer(self, goal: ForwardedGoal, points: int, future: Any) -> None:
        """Wait for the result of a goal that the controller has accepted."""
        sent = future.result()
        if not sent.accepted:
            self.end(
                goal,
                'abort',
                f'{self._controller} has rejected the goal (its log says why; efforts need the '
                "command interface 'effort')",
            )
            return
        if goal.ended or goal.canceling:
            sent.cancel_goal_async()
        if goal.ended:
            return
        goal.sent = sent
        self._queue.learn_forwarding(points, goal.forwarding)
        sent.get_result_async().add_done_callback(partial(self._on_result, goal))

    def _on_result(self, goal: ForwardedGoal, future: Any) -> None:
        """End a goal as the controller has ended its own."""
        if goal.ended:
            return  # by the node
        status, result = future.result().status, future.result().result
        if status == GoalStatus.STATUS_SUCCEEDED:
            self.end(goal, 'succeed', result=result)
        elif status == GoalStatus.STATUS_ABORTED:
            self.end(goal, 'abort', result=result)
            if result.error_code in self._violations:
                self._hold_soon()
        elif status == GoalStatus.STATUS_CANCELED and goal.canceling:
            self.end(goal, 'canceled', result=result)
            self._hold_soon()
        else:
            known = status == GoalStatus.STATUS_CANCELED
            what = 'has been canceled by another client' if known else 'is not known any more'
            self.end(goal, 'abort', f'the goal {what} at {self._controller}')

    def _hold_soon(self) -> None:
        """Correct the effort of a controller that has been stopped, unless it has another goal."""
        if self._hold is not None and not any(goal.asked for goal in self._goals):
            self._hold.begin()

    def _on_feedback(self, goal: ForwardedGoal, message: Any) -> None:
        """Publish the feedback of the controller with the times of the client's trajectory."""
        if goal.ended or goal.sent is None:  # or its answer is still on the way
            return
        feedback = message.feedback
        for point in (feedback.desired, feedback.actual):
            if goal.lead:
                shifted = nanoseconds(point.time_from_start) - goal.lead
                set_stamp(point.time_from_start, shifted)
        goal.handle.publish_feedback(feedback)

    def _watch(self) -> None:
        """
        Abort goals whose controller is gone, or does not answer and then has to cancel them.

        Looks are counted, not time: the answer may wait in the queue of a node that was stalled.
        """
        if not self._client.server_is_ready():
            for goal in [goal for goal in self._goals if goal.asked]:
                self.end(goal, 'abort', self._absent())
        waiting = [goal for goal in self._goals if goal.asked and goal.sent is None]
        for goal in waiting:
            goal.looks += 1
        for goal in [goal for goal in waiting if goal.looks > _LOOKS]:
            self._cancel(goal)
            self.end(
                goal, 'abort', f'no answer from {self._controller} within {_LONGEST_ANSWER:g} s'
            )

    def _absent(self) -> str:
        return f'no server of the action {self._controller} (parameter {PARAMETER!r})'

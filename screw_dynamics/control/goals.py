# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`Goals`: goals of clients on their way through the queue to the action of a controller."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from screw_dynamics.common.times import SECOND, nanoseconds
from screw_dynamics.control import outputs
from screw_dynamics.control.controller_hold import ControllerHold, ControllerState
from screw_dynamics.control.feedforward_parameters import FeedforwardParameters
from screw_dynamics.control.inputs import (
    ControllerSeen,
    GoalAccepted,
    GoalAnswered,
    GoalBuilt,
    GoalCanceled,
    GoalEnded,
    GoalInput,
)
from screw_dynamics.control.outputs import Outputs
from screw_dynamics.control.tasks import Rejection, Running, Samples, TrajectoryMessage
from screw_dynamics.control.trajectory_queue import TrajectoryQueue
from screw_dynamics.trajectory.reference.interpolation import ActiveTrajectory

_LOOKS = 50  # for the answer of the controller to a goal, 0.1 s apart
_DELIVERY = SECOND // 100  # until the controller has a goal that is sent


@dataclass(eq=False)
class Goal:
    """A goal of a client from its acceptance to its end."""

    number: int
    message: TrajectoryMessage | None  # as received, until it is sent
    motion: ActiveTrajectory | None = None  # of the reference
    built: bool = False  # its message is being made, or is made
    begins: bool = False  # at an instant that it gives, or in motion
    waits: bool = False  # its motion is held back until it is sent
    lead: int = 0  # time from start of the controller minus that of the client [ns]
    asked: bool = False  # it was sent to the controller
    looks: int = 0  # for the answer to that
    accepted: bool = False  # by the controller
    canceling: bool = False


class Goals:
    """
    Forwards goals through the queue to the action of a controller.

    `leave` is called where the motion of a goal is not to be followed any more.
    """

    def __init__(
        self,
        outputs: Outputs,
        running: Callable[[int], Running],
        leave: Callable[[], None],
        parameters: FeedforwardParameters,
    ) -> None:
        self._outputs, self._running, self._clear = outputs, running, leave
        controller = self._controller = parameters.follow_joint_trajectory
        self.hold = ControllerHold(outputs, controller, wanted=parameters.hold_after_stop)
        self.now = 0  # of the step [ns], set by the owner
        self.queue: TrajectoryQueue  # set by the owner of both
        self.live: list[Goal] = []

    def find(self, number: int) -> Goal | None:
        """Return a goal that has not ended."""
        return next((goal for goal in self.live if goal.number == number), None)

    def stop(self, now: int, reason: str) -> None:
        """Abort all goals; the controller is asked to cancel its own."""
        self.hold.drop()
        for goal in self.live[::-1]:  # the newest first: no other follows one that ends
            self._stop(goal, reason)

    def _stop(self, goal: Goal, reason: str) -> None:
        if goal.asked:
            self._outputs.goals.append(outputs.CancelGoal(goal.number))
        self.queue.drop(reason, goal.number)
        self.end(goal, 'abort', reason)

    def take(self, item: GoalInput, now: int) -> None:
        """Take an input at an instant [ns]."""
        match item:
            case GoalAccepted(number, message, ready):
                self._accept(now, number, message, ready=ready)
            case GoalCanceled(number):
                self._cancel(number)
            case GoalBuilt(number, ready):
                self._build(now, number, ready=ready)
            case GoalAnswered(number, accepted):
                self._answer(number, accepted=accepted)
            case GoalEnded(number, event, violated):
                self._finish(number, event, violated=violated)
            case ControllerSeen(ready):
                self._watch(ready=ready)
            case ControllerState():
                if self.hold.waits and not self.live:
                    self.hold.take(item, self._running(now))

    def _accept(self, now: int, number: int, message: TrajectoryMessage, *, ready: bool) -> None:
        """Begin a goal with its trajectory; `ready` is the controller's action."""
        for older in list(self.live):  # that which is being forwarded is preempted there
            self.queue.drop('preempted by a newer goal before it was sent', older.number)
        goal = Goal(number, message)
        self.live.append(goal)
        if ready:
            self.queue.add(message, now, number)
        else:
            self.end(goal, 'abort', self._absent())

    def _cancel(self, number: int) -> None:
        """Cancel a goal for its client, and that which it would preempt."""
        goal = self.find(number)
        if goal is None:
            return
        goal.canceling = True
        if goal.asked:
            if goal.accepted:
                self._outputs.goals.append(outputs.CancelGoal(goal.number))
            return
        older = self.live[: self.live.index(goal)]
        reason = 'canceled before it was sent to the controller'
        if not self.queue.drop(reason, goal.number):
            self.end(goal, 'abort', reason)
        for one in older[::-1]:
            self._stop(one, 'preempted by a newer goal, which was canceled')
        if older:
            self._hold_soon()

    def end(self, goal: Goal, event: str, reason: str = '') -> None:
        """End a goal, with the result of the controller or with the reason for another end."""
        if goal not in self.live:
            return
        at = self.live.index(goal)
        del self.live[at]
        if event != 'succeed':
            self._leave(goal, self.live[at:])
        if reason and goal.canceling:
            event = 'canceled'
        self._outputs.goals.append(outputs.EndGoal(goal.number, event, reason))

    def _leave(self, goal: Goal, newer: list[Goal]) -> None:
        """Stop following the motion of a goal that the controller has left, or never gets."""
        running, motion = self._running(self.now), goal.motion
        reference = running.reference
        if motion is None or reference.empty:
            return
        if any(one.asked for one in newer):
            return  # the controller has gone on to that
        if not goal.asked and not goal.canceling:
            if reference.withdraw(motion, running.sampled):
                return  # the motion before continues
        later = [one for one in newer if one.motion is not None]
        if not later and not reference.follows(motion):
            return
        ours = [one.motion.waypoints for one in later if one.motion is not None]
        if all(any(one.waypoints is own for own in ours) for one in reference.after(motion)):
            self._clear()
            for one in later[::-1]:
                self._repeat(one)

    def _repeat(self, goal: Goal) -> None:
        """Fit a goal anew that is not sent yet: it continued a motion that has been left."""
        goal.motion, goal.built, goal.waits = None, False, False
        if self.queue.pending or goal.message is None:
            self.end(goal, 'abort', 'preempted by a newer trajectory before it was sent')
        else:
            self.queue.add(goal.message, self.now, goal.number)

    def refused(self, number: int, reason: str) -> None:
        """End a goal: its trajectory is not followed."""
        goal = self.find(number)
        if goal is not None:
            self.end(goal, 'abort', reason)

    def followed(self, number: int, motion: ActiveTrajectory, *, stamped: bool) -> None:
        """Record the motion that the reference follows for it, or holds back until it is sent."""
        goal = self.find(number)
        if goal is not None:
            goal.motion, goal.begins = motion, stamped
            goal.waits = self._running(self.now).reference.holds_back(motion)

    def forward(self, number: int, motion: ActiveTrajectory, samples: Samples | Rejection) -> None:
        """Let the message of a trajectory with efforts be made between the ticks."""
        goal = self.find(number)
        if goal is None or motion is not goal.motion:
            return
        if isinstance(samples, Rejection):
            self.end(goal, 'abort', samples.reason)
            return
        goal.built, goal.lead = True, samples.lead
        goal.begins = goal.begins or bool(samples.jets[0, 1:].any())
        self._outputs.goals.append(outputs.BuildGoal(number, samples))

    def _build(self, now: int, number: int, *, ready: bool) -> None:
        """Send the message of a goal, which is made."""
        goal = self.find(number)
        if goal is None or goal.motion is None or not goal.built or goal.canceling:
            return
        if not ready:
            self.end(goal, 'abort', self._absent())
            return
        if not self._running(now).reference.follows(goal.motion):
            self.end(goal, 'abort', 'its motion was replaced or dropped before it was sent')
            return
        start = None if goal.lead else self._start(goal, goal.motion, now)
        goal.asked, goal.message = True, None
        self.hold.drop()
        self._outputs.goals.append(outputs.SendGoal(goal.number, start))

    def _start(self, goal: Goal, motion: ActiveTrajectory, now: int) -> int | None:
        """Let a motion from rest begin when the controller has it, not when it was planned."""
        running = self._running(now)
        ahead = max(_DELIVERY, round(SECOND * running.parameters.lead))
        start, reference = now + ahead, running.reference
        if not (goal.waits or (reference.rests(start) and not goal.begins)):
            return None
        reference.release(motion, start)
        return start

    def _answer(self, number: int, *, accepted: bool) -> None:
        """Register the answer of the controller to a goal that it was sent."""
        goal = self.find(number)
        if not accepted:
            if goal is not None:
                self.end(
                    goal,
                    'abort',
                    f'{self._controller} has rejected the goal (its log says why; efforts need '
                    "the command interface 'effort')",
                )
            return
        if goal is None or goal.canceling:
            self._outputs.goals.append(outputs.CancelGoal(number))
        if goal is not None:
            goal.accepted = True

    def _finish(self, number: int, event: str, *, violated: bool) -> None:
        """End a goal as the controller has: succeed, abort, canceled or unknown."""
        goal = self.find(number)
        if goal is None:
            return  # ended by the node
        if event == 'succeed':
            self.end(goal, 'succeed')
        elif event == 'abort':
            self.end(goal, 'abort')
            if violated:
                self._hold_soon()
        elif event == 'canceled' and goal.canceling:
            self.end(goal, 'canceled')
            self._hold_soon()
        else:
            what = 'has been canceled by another client'
            what = what if event == 'canceled' else 'is not known any more'
            self.end(goal, 'abort', f'the goal {what} at {self._controller}')

    def _hold_soon(self) -> None:
        """Correct the effort of a controller that has been stopped, unless it has another goal."""
        if not any(goal.asked for goal in self.live):
            self.hold.begin(self.now)

    def _watch(self, *, ready: bool) -> None:
        """
        Abort goals whose controller is gone, or does not answer and then has to cancel them.

        Looks are counted, not time: the answer may wait in the queue of a node that was stalled.
        """
        if not ready:
            for goal in [goal for goal in self.live if goal.asked]:
                self.end(goal, 'abort', self._absent())
        for goal in [goal for goal in self.live if goal.asked and not goal.accepted]:
            goal.looks += 1
            if goal.looks > _LOOKS:
                self._outputs.goals.append(outputs.CancelGoal(goal.number))
                self.end(goal, 'abort', f'no answer from {self._controller} within 5 s')

    def _absent(self) -> str:
        return f"no server of the action {self._controller} (parameter 'follow_joint_trajectory')"


_SLOWEST = 1.2e-7  # rad/s or m/s; an end velocity up to it counts as 0, as in the controller


def goal_refusal(
    trajectory: Any, joint_names: Sequence[str], parameters: FeedforwardParameters, now: int
) -> str:
    """Return why a controller would reject a goal at `now` [ns] at once; a fit may find more."""
    names, points = trajectory.joint_names, trajectory.points
    if not names or not (parameters.allow_partial_joints or len(names) == len(joint_names)):
        return f'joint_names: expected {", ".join(joint_names)}, got {", ".join(names) or "none"}'
    if not points:
        return 'points: expected at least one, got none'
    for name in names:
        if name not in joint_names:
            return f'joint_names: expected only {", ".join(joint_names)}, got {name!r}'
    moving = [v for v in points[-1].velocities if abs(v) > _SLOWEST]
    if moving and not parameters.allow_nonzero_velocity_at_end:
        return f'points[{len(points) - 1}].velocities: expected 0 at the end, got {moving[0]:g}'
    stamp, last = (
        nanoseconds(time) for time in (trajectory.header.stamp, points[-1].time_from_start)
    )
    if stamp and stamp + last < now:
        return f'header.stamp: it ends in the past, {(now - stamp - last) / SECOND:.3f} s ago'
    return ''

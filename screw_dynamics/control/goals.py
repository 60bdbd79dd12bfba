# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`Goals`: goals of clients on their way through the queue to the action of a controller."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from screw_dynamics.common.times import SECOND, nanoseconds
from screw_dynamics.control import outputs
from screw_dynamics.control.feedforward_parameters import FeedforwardParameters
from screw_dynamics.control.fit_requests import Forwarding, Refusal, Samples
from screw_dynamics.control.forwarding import lead
from screw_dynamics.control.outputs import Outputs
from screw_dynamics.control.trajectory_plan import Running
from screw_dynamics.control.trajectory_queue import TrajectoryQueue
from screw_dynamics.trajectory.reference.interpolation import ActiveTrajectory

_LOOKS = 50  # for the answer of the controller to a goal, 0.1 s apart
_DELIVERY = SECOND // 100  # until the controller has a goal that is sent


@dataclass(eq=False)
class Goal:
    """A goal of a client from its acceptance to its end."""

    number: int
    data: bytes  # its trajectory as received, until it is sent
    received: int  # [ns]
    motion: ActiveTrajectory | None = None  # of the reference
    task: Forwarding | None = None  # whose samples are sent
    moves_at_begin: bool = False
    waits: bool = False  # its motion is held back until it is sent
    followed: int = 0  # instant at which that motion was accepted [ns]
    points: int = 0
    lead: int = 0  # time from start of the controller minus that of the client [ns]
    asked: bool = False  # it was sent to the controller
    looks: int = 0  # for the answer to that
    accepted: bool = False  # by the controller
    canceling: bool = False


class Goals:
    """
    Forwards goals through the queue to the action of a controller, named `controller`.

    `leave` is called where the motion of a goal is not to be followed any more.
    """

    def __init__(
        self,
        outputs: Outputs,
        running: Callable[[int], Running],
        leave: Callable[[], None],
        controller: str,
    ) -> None:
        self._outputs, self._running, self._clear = outputs, running, leave
        self._controller = controller
        self.now = 0  # of the step [ns], set by the owner
        self.queue: TrajectoryQueue  # set by the owner of both
        self.live: list[Goal] = []

    def find(self, number: int) -> Goal | None:
        """Return a goal that has not ended."""
        return next((goal for goal in self.live if goal.number == number), None)

    def stop(self, now: int, reason: str) -> None:
        """Abort all goals; the controller is asked to cancel its own."""
        self._outputs.goals.append(outputs.HoldSoon(begin=False))
        for goal in self.live[::-1]:  # the newest first: no other follows one that ends
            self._stop(goal, reason)

    def _stop(self, goal: Goal, reason: str) -> None:
        if goal.asked:
            self._outputs.goals.append(outputs.CancelGoal(goal.number))
        self.queue.drop(reason, goal.number)
        self.end(goal, 'abort', reason)

    # clients -------------------------------------------------------------------------------------

    def accept(self, now: int, number: int, data: bytes, *, ready: bool) -> None:
        """Begin a goal with its serialised trajectory; `ready` is the controller's action."""
        for older in list(self.live):  # that which is being forwarded is preempted there
            self.queue.drop('preempted by a newer goal before it was sent', older.number)
        goal = Goal(number, data, now)
        self.live.append(goal)
        if ready:
            self.queue.add(data, now, number)
        else:
            self.end(goal, 'abort', self._absent())

    def cancel(self, now: int, number: int) -> None:
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
        goal.motion, goal.task, goal.waits = None, None, False
        if self.queue.pending:
            self.end(goal, 'abort', 'preempted by a newer trajectory before it was sent')
        else:
            self.queue.add(goal.data, self.now, goal.number)

    # its trajectory ------------------------------------------------------------------------------

    def refused(self, number: int, reason: str) -> None:
        """End a goal: its trajectory is not followed."""
        goal = self.find(number)
        if goal is not None:
            self.end(goal, 'abort', reason)

    def followed(self, number: int, motion: ActiveTrajectory, waits: bool, now: int) -> None:
        """Record the motion that the reference follows for it, or holds back until it is sent."""
        goal = self.find(number)
        if goal is not None:
            goal.motion, goal.waits, goal.followed = motion, waits, now

    def forward(self, number: int, answer: Samples | Refusal, task: Forwarding, now: int) -> None:
        """Let the message of a trajectory with efforts be made between the ticks."""
        goal = self.find(number)
        if goal is None or task.motion is not goal.motion:
            return
        if isinstance(answer, Refusal):
            self.end(goal, 'abort', answer.reason)
            return
        goal.task, goal.points = task, len(answer.times)
        goal.moves_at_begin = bool(answer.jets[0, 1:].any())
        self._outputs.goals.append(outputs.BuildGoal(number, answer))

    def built(self, now: int, number: int, stamp: int, *, ready: bool) -> None:
        """Send the message of a goal, which is made, with a stamp [ns]."""
        goal = self.find(number)
        if goal is None or goal.task is None or goal.canceling:
            return
        if not ready:
            self.end(goal, 'abort', self._absent())
            return
        task, reference = goal.task, self._running(now).reference
        if not reference.follows(task.motion):
            self.end(goal, 'abort', 'its motion was replaced or dropped before it was sent')
            return
        goal.lead = lead(task, stamp)
        start = None if goal.lead else self._start(goal, task, now)
        goal.asked, goal.data = True, b''
        self._outputs.goals += [
            outputs.HoldSoon(begin=False),
            outputs.SendGoal(goal.number, start),
        ]

    def _start(self, goal: Goal, task: Forwarding, now: int) -> int | None:
        """Let a motion from rest begin when the controller has it, not when it was planned."""
        running = self._running(now)
        ahead = max(_DELIVERY, round(SECOND * running.parameters.lead))
        start, reference = now + ahead, running.reference
        rests = reference.rests(start) and not (task.stamp or goal.moves_at_begin)
        if not (goal.waits or rests):
            return None
        reference.release(task.motion, start)
        return start

    # the controller ------------------------------------------------------------------------------

    def answered(self, now: int, number: int, *, accepted: bool) -> None:
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
            taken = (now - goal.followed) / SECOND
            self.queue.forward_time.learn(goal.points, taken)

    def ended(self, now: int, number: int, event: str, *, violated: bool) -> None:
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
            self._outputs.goals.append(outputs.HoldSoon(begin=True))

    def watch(self, now: int, *, ready: bool) -> None:
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

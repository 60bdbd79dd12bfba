# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`TrajectoryQueue`: trajectories from their reception to their verdict, one after the other."""

from collections import deque
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Protocol

import numpy as np

from screw_dynamics.common.times import SECOND
from screw_dynamics.control.outputs import Outputs, Verdict
from screw_dynamics.control.tasks import (
    Answer,
    Arrival,
    Fit,
    Fitted,
    Header,
    Rejection,
    Running,
    Samples,
    TrajectoryMessage,
)
from screw_dynamics.control.trajectory_join import MOST_REFITS, Pending, joined
from screw_dynamics.errors import ScrewDynamicsError
from screw_dynamics.trajectory.reference.interpolation import ActiveTrajectory

DEPTH = 10  # trajectories that wait
_RETIMING = 10 * SECOND  # until a slowed trajectory is followed [ns]
_MOVED = 1e-3  # rad or m
_DROPPED = 'a trajectory that had not begun is dropped, and joints that this one leaves out stay'


class GoalsOfTrajectories(Protocol):
    """What the goals of an action are told of their trajectories."""

    def refused(self, goal: int, reason: str) -> None:
        """End a goal: its trajectory is not followed."""

    def followed(self, goal: int, motion: ActiveTrajectory, *, stamped: bool) -> None:
        """Record the motion that the reference follows for it, or holds back until it is sent."""

    def forward(self, goal: int, motion: ActiveTrajectory, samples: Samples | Rejection) -> None:
        """Send the trajectory with efforts to the controller."""


class TrajectoryQueue:
    """
    Lets trajectories be fitted, and follows and forwards them, one after the other.

    A fit is repeated if what it assumed has changed, or if it is late, at most three times.
    `running` returns the state at an instant.
    """

    def __init__(
        self,
        outputs: Outputs,
        running: Callable[[int], Running],
        goals: GoalsOfTrajectories,
        *,
        forwards: bool,
    ) -> None:
        self._outputs, self._running, self._goals = outputs, running, goals
        self._forwards = forwards
        self._durations = {  # of fits by bytes; True: of poses
            False: FitTime(0.02, 4e-6),
            True: FitTime(0.3, 5e-4),
        }
        self._waiting: deque[Pending] = deque()
        self._current: Pending | None = None
        self._task: Fit | None = None  # that is under way
        self._resampled: ActiveTrajectory  # by that task, if it does
        self._number = 0  # of the last task

    @property
    def pending(self) -> list[Pending]:
        """Trajectories that are not followed yet."""
        return [*([] if self._current is None else [self._current]), *self._waiting]

    def add(self, message: TrajectoryMessage, now: int, goal: int | None = None) -> None:
        """Add a trajectory that is received at `now` [ns] for a goal, if any."""
        if len(self._waiting) >= DEPTH:
            reason = f'{DEPTH} newer trajectories arrived before it could be fitted'
            self._drop(self._waiting[0], reason)
        self._waiting.append(Pending(self._running(now).arrival(message, goal)))
        self._advance(now)

    def drop(self, reason: str, goal: int | None = None) -> int:
        """Reject what is not followed yet, all or that of a goal; return how many trajectories."""
        dropped = [one for one in self.pending if goal is None or one.arrival.goal == goal]
        for one in dropped:
            self._drop(one, reason)
        return len(dropped)

    def _drop(self, pending: Pending, reason: str, header: Header | None = None) -> None:
        """Reject a trajectory; its header is known better if its message was read."""
        if pending is self._current:
            self._current = None
        else:
            self._waiting.remove(pending)
        arrival = pending.arrival
        self._outputs.verdicts.append(Verdict(header or arrival.message.header, reason))
        if arrival.goal is not None:
            self._goals.refused(arrival.goal, reason)

    def follow_speed(self, speed: float, since: int) -> None:
        """Record that the time from start runs at `speed` from the instant `since` [ns]."""
        for waiting in self.pending:
            waiting.arrival = waiting.arrival.at_speed(speed, since)

    def _ask(self, arrival: Arrival, running: Running, **options: Any) -> int:
        """Request a task; return its number."""
        message, forwards = arrival.message, self._forwards or arrival.goal is not None
        expected = self._durations[message.poses].estimate(len(message.data))
        self._number += 1
        self._task = Fit(
            self._number,
            arrival,
            running.copy(min(arrival.received, running.now)),
            expected,
            forwards,
            **options,
        )
        self._outputs.requests.append(self._task)
        return self._number

    def _advance(self, now: int) -> None:
        """Request the fit of the next trajectory if no task is under way."""
        if self._task is None and self._waiting:
            self._current = self._waiting.popleft()
            self._fit(self._current, now)

    def _fit(self, pending: Pending, now: int, *, retimes: bool = False) -> None:
        """Request a fit of the current trajectory for what is followed now."""
        running, late = self._running(now), pending.late
        pending.number = self._ask(pending.arrival, running, late=late, retimes=retimes)

    def answered(self, number: int, answer: Answer, now: int) -> None:
        """Follow what was fitted, unless the trajectory was dropped meanwhile, and go on."""
        task, current = self._task, self._current
        if task is None or task.number != number:
            return
        self._task = None
        if task.resamples:
            assert not isinstance(answer, Fitted)
            self._forward(task.arrival.goal, self._resampled, answer)
        elif current is not None and current.number == number:
            assert not isinstance(answer, Samples)
            self._fitted(current, task, answer, now)
        self._advance(now)

    def _fitted(self, pending: Pending, task: Fit, answer: Fitted | Rejection, now: int) -> None:
        if task.retimes:
            self._retimed(pending, task, answer, now)
            return
        if isinstance(answer, Rejection):
            self._drop(pending, answer.reason, answer.summary)
            return
        message, taken = task.arrival.message, (now - task.running.now) / SECOND
        self._durations[message.poses].learn(len(message.data), taken)
        until = now + _RETIMING
        retimes = answer.slowed and task.running.parameters.limits == 'retime'
        if retimes and not pending.until and _may_wait(task, answer, until):
            self._outputs.log(
                'info',
                f'A trajectory is retimed, and begins within {_RETIMING / SECOND:g} s; else it is '
                f'{answer.warnings[0]}',
            )
            pending.until, pending.slowed = until, (task, answer)
            self._fit(pending, now, retimes=True)
        else:
            self._follow(pending, task, answer, now)

    def tick(self, now: int) -> None:
        """Follow the slowed trajectory where retiming it takes too long."""
        current = self._current
        if current is not None and current.slowed is not None and now >= current.until:
            self._follow_slowed(current, 'that takes too long', now)
            self._advance(now)

    def _follow_slowed(self, pending: Pending, reason: str, now: int) -> None:
        assert pending.slowed is not None
        self._outputs.log('warning', f'Not retimed: {reason}')
        self._retimed(pending, *pending.slowed, now)

    def _retimed(self, pending: Pending, task: Fit, answer: Fitted | Rejection, now: int) -> None:
        """Follow what was retimed, or slowed, unless the slowed trajectory is followed already."""
        if pending.slowed is None:
            return
        if isinstance(answer, Rejection):
            self._follow_slowed(pending, answer.reason, now)
            return
        pending.slowed = None
        if _moved(answer, self._running(now)):
            self._fit(pending, now)
        else:
            self._follow(pending, task, answer, now)

    def _follow(self, pending: Pending, task: Fit, answer: Fitted, now: int) -> None:
        """Follow a fit, or request another."""
        running = self._running(now)
        motions, bent = running.reference.motions_from(running.sampled), False
        if (
            running.robot is not task.running.robot
            or running.parameters != task.running.parameters
        ):
            problem = 'the robot model or the parameters have changed'
        else:
            try:
                problem, bent = joined(task, answer, pending, running)
            except ScrewDynamicsError as error:
                self._drop(pending, str(error), answer.summary)
                return
        if not problem:
            partial = 0 < len(answer.summary.joint_names) < running.robot.n
            left = [motion for motion in motions if motion.begin > running.sampled]
            if partial and not all(map(running.reference.follows, left)):
                answer = replace(answer, warnings=(*answer.warnings, _DROPPED))
            self._accept(pending.arrival, answer, bent, running)
        elif pending.refits == MOST_REFITS:
            reason = f'given up after {MOST_REFITS + 1} fits: {problem}'
            self._drop(pending, reason, answer.summary)
        else:
            pending.refits += 1
            self._fit(pending, now)

    def _accept(self, arrival: Arrival, fit: Fitted, bent: bool, running: Running) -> None:
        self._current, header, goal = None, fit.summary, arrival.goal
        motion = running.reference.newest
        start = motion.anchor - round(SECOND * motion.anchor_time)
        end = start + round(SECOND * float(fit.waypoints.times[-1]))
        self._outputs.verdicts.append(Verdict(header, '', fit.warnings, start, end))
        if goal is not None:
            self._goals.followed(goal, motion, stamped=bool(header.stamp))
        samples = fit.samples
        if samples is None:
            return
        leads = isinstance(samples, Samples) and samples.lead
        if bent or (leads and motion.begin != fit.plan.join.begin):  # its samples are others
            self._resampled = motion
            self._ask(arrival, running, resamples=True)
            return
        if isinstance(samples, Samples) and not leads:  # it may begin at another instant
            samples = replace(samples, stamp=header.stamp or start)
        self._forward(goal, motion, samples)

    def _forward(
        self, goal: int | None, motion: ActiveTrajectory, samples: Samples | Rejection
    ) -> None:
        if goal is not None:
            self._goals.forward(goal, motion, samples)
        elif isinstance(samples, Samples):
            self._outputs.forwarded.append(samples)
        else:
            self._outputs.log(
                'error', f'Not published on ~/joint_trajectory_effort: {samples.reason}'
            )


def _may_wait(task: Fit, fit: Fitted, until: int) -> bool:
    """Return whether a motion begins from rest, and may begin at an instant [ns]."""
    join = fit.plan.join
    rests = join.jet is None or not join.jet[1:].any()
    # the measured state may be another one then
    kept = task.running.parameters.start_state != 'joint_states'
    return rests and kept and (fit.plan.floating or join.begin > until)


def _moved(fit: Fitted, running: Running) -> bool:
    """Return whether joints have left the measured state from which a motion starts."""
    jet = fit.plan.join.jet
    if fit.plan.state is not None or jet is None:
        return False
    return bool((np.abs(running.measured_positions - jet[0]) > _MOVED).any())


_MARGIN = 1.5
_MANY = 20_000  # a fit of at least so many bytes updates the time per byte, else the fixed part
_LEAST, _MOST = 1e-3, 60.0  # limits of the fixed part [s]; a jump of the clock is no fit
_FORGOTTEN = 0.5  # fraction by which a longer earlier time decays at each fit


class FitTime:
    """
    A fixed part and a time per byte [s], learned separately from earlier fits.

    So a delay of a short fit does not count for every byte of a long one.
    """

    def __init__(self, fixed: float, per_byte: float) -> None:
        self._fixed, self._per_byte = fixed, per_byte  # s

    def estimate(self, count: int) -> int:
        """Return the expected duration of a fit of so many bytes, with a margin [ns]."""
        return round(SECOND * _MARGIN * (self._fixed + self._per_byte * count))

    def learn(self, count: int, seconds: float) -> None:
        """Update the estimate with a measured duration; an increase applies at once."""
        if not 0.0 <= seconds <= _MOST:
            return
        if count < _MANY:
            fixed = _learned(self._fixed, seconds - self._per_byte * count)
            self._fixed = max(fixed, _LEAST)
        else:
            self._per_byte = _learned(self._per_byte, (seconds - self._fixed) / count)


def _learned(before: float, measured: float) -> float:
    return max(measured, before + _FORGOTTEN * (max(measured, 0.0) - before))

# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`TrajectoryQueue`: trajectories from their reception to their verdict, one after the other."""

from collections import deque
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Protocol

from screw_dynamics.common.times import SECOND
from screw_dynamics.control.fit_requests import (
    Fit,
    Forwarding,
    Heading,
    Outline,
    Reading,
    Refusal,
    Samples,
    Task,
)
from screw_dynamics.control.forwarding import MOST_POINTS, forwarding
from screw_dynamics.control.outputs import Outputs, Request, Verdict
from screw_dynamics.control.trajectory_join import joined
from screw_dynamics.control.trajectory_plan import Arrival, Plan, Running, arrival, fit_delay, plan
from screw_dynamics.errors import ScrewDynamicsError, TrajectoryError
from screw_dynamics.trajectory.reference.interpolation import ActiveTrajectory

DEPTH = 10  # trajectories that wait
_MOST_REFITS = 12  # per trajectory
_RETIMING = 10 * SECOND  # until a slowed trajectory is followed [ns]
_MOST_AHEAD = SECOND // 5  # of the time until a controller has a goal
_DROPPED = 'a trajectory that had not begun is dropped, and joints that this one leaves out stay'


class GoalsOfTrajectories(Protocol):
    """What the goals of an action are told of their trajectories."""

    def refused(self, goal: int, reason: str) -> None:
        """End a goal: its trajectory is not followed."""

    def followed(self, goal: int, motion: ActiveTrajectory, waits: bool, now: int) -> None:
        """Record the motion that the reference follows for it, or holds back until it is sent."""

    def forward(self, goal: int, answer: Samples | Refusal, task: Forwarding, now: int) -> None:
        """Send the trajectory with efforts to the controller."""


class TrajectoryQueue:
    """
    Reads, fits, follows and forwards messages, one after the other.

    A fit is repeated if what it assumed has changed, or if it is late; if speed or state keep
    changing, its first segment is bent to them. `running` returns the state at an instant.
    """

    def __init__(
        self,
        outputs: Outputs,
        running: Callable[[int], Running],
        goals: GoalsOfTrajectories,
        heading: Callable[[bytes], Heading | None],
        *,
        forwards: bool,
    ) -> None:
        self._outputs, self._running, self._goals = outputs, running, goals
        self._heading, self._forwards = heading, forwards
        self._fit_times = {False: FitTime(), True: FitTime(0.3, 0.05)}  # True: of poses
        self.forward_time = FitTime(0.01, 2e-5)  # until a controller has a goal
        self._waiting: deque[Arrival] = deque()
        self._current: Arrival | None = None
        self._outline: Outline | None = None  # of the current trajectory
        self._busy = False
        self._asked = 0  # time of the request [ns]

    @property
    def pending(self) -> list[Arrival]:
        """Trajectories that are not followed yet."""
        return [*([] if self._current is None else [self._current]), *self._waiting]

    def add(self, data: bytes, now: int, goal: int | None = None, *, poses: bool = False) -> None:
        """Add a JointTrajectory, or with `poses` a Path, received at `now` [ns] for a goal."""
        if len(self._waiting) >= DEPTH:
            reason = f'{DEPTH} newer trajectories arrived before it could be fitted'
            self._drop(self._waiting[0], reason)
        self._waiting.append(arrival(data, self._running(now), goal, poses=poses))
        self._advance(now)

    def drop(self, reason: str, goal: int | None = None) -> int:
        """Reject what is not followed yet, all or that of a goal; return how many trajectories."""
        dropped = [one for one in self.pending if goal is None or one.goal == goal]
        for one in dropped:
            self._drop(one, reason)
        return len(dropped)

    def _drop(self, arrived: Arrival, reason: str) -> None:
        if arrived is not self._current:
            self._waiting.remove(arrived)
            self._refuse(arrived, None, reason)
            return
        self._current = None
        self._refuse(arrived, self._outline, reason)

    def follow_speed(self, speed: float, since: int) -> None:
        """Record that the time from start runs at `speed` from the instant `since` [ns]."""
        for waiting in self.pending:
            waiting.follow_speed(speed, since)

    # steps ---------------------------------------------------------------------------------------

    def _ask(
        self, task: Task, now: int, done: Callable[[Arrival, Any, int], None], arrived: Arrival
    ) -> None:
        """Request a task; its answer is handled unless the trajectory was dropped meanwhile."""
        self._busy, self._asked = True, now

        def answered(now: int, answer: Any) -> None:
            self._busy = False
            self._do(lambda then: done(arrived, answer, then), now)

        self._outputs.requests.append(Request(task, answered))

    def _do(self, step: Callable[[int], None], now: int) -> None:
        """Take a step of the current trajectory, which an error rejects, and go on."""
        try:
            step(now)
        except ScrewDynamicsError as error:
            self._reject(str(error))
        self._advance(now)

    def tick(self, now: int) -> None:
        """Follow the slowed trajectory where retiming it takes too long."""
        current = self._current
        if current is not None and current.slowed is not None and now >= current.until:
            self._outputs.log('warning', 'Not retimed: that takes too long')
            self._do(current.slowed, now)

    def _advance(self, now: int) -> None:
        """Start to read the next trajectory if no task is running."""
        if self._busy or not self._waiting:
            return
        self._current, self._outline = self._waiting.popleft(), None
        current = self._current
        self._ask(Reading(current.data, current.poses), now, self._read, current)

    def _read(self, arrived: Arrival, answer: Outline | Refusal, now: int) -> None:
        if arrived is not self._current:
            return
        if isinstance(answer, Refusal):
            self._reject(answer.reason)
        else:
            self._outline = answer
            self._fit(arrived, answer, now)

    def _fit(self, arrived: Arrival, outline: Outline, now: int) -> None:
        """Request a fit of the current trajectory for a join planned now."""
        running = self._running(now)
        if arrived.goal is not None:
            ahead = self.forward_time.estimate(_forwarded_points(outline, running))
            arrived.ahead = min(ahead, _MOST_AHEAD)
        expected = self._fit_times[arrived.poses].estimate(outline.points)
        delay = fit_delay(arrived, outline, running, expected)
        chosen = plan(arrived, outline, running, delay)
        self._ask(
            chosen.task,
            now,
            lambda one, answer, then: self._fitted(one, chosen, outline, answer, then),
            arrived,
        )

    def _fitted(
        self, arrived: Arrival, plan: Plan, outline: Outline, answer: Fit | Refusal, now: int
    ) -> None:
        if arrived is not self._current:
            return
        if isinstance(answer, Refusal):
            self._reject(answer.reason)
            return
        self._fit_times[arrived.poses].learn(outline.points, (now - self._asked) / SECOND)
        retimes = answer.slowed and plan.task.parameters.limits == 'retime'
        if retimes and not arrived.until and plan.waits(now + _RETIMING):
            self._retime(arrived, plan, outline, answer, now)
        else:
            self._follow(arrived, plan, outline, answer, now)

    def _retime(self, arrived: Arrival, plan: Plan, outline: Outline, slow: Fit, now: int) -> None:
        """Request the fastest motion in place of the slowed one."""
        self._outputs.log(
            'info',
            f'A trajectory is retimed, and begins within {_RETIMING / SECOND:g} s; else it is '
            f'{slow.warnings[0]}',
        )
        arrived.until = now + _RETIMING

        def follow(then: int, fit: Fit = slow) -> None:
            arrived.slowed = None
            if plan.moved(self._running(then)):
                self._fit(arrived, outline, then)
            else:
                self._follow(arrived, plan, outline, fit, then)

        def retimed(one: Arrival, answer: Fit | Refusal, then: int) -> None:
            if one is not self._current or one.slowed is None:
                return
            if isinstance(answer, Refusal):
                self._outputs.log('warning', f'Not retimed: {answer.reason}')
                follow(then)
            else:
                follow(then, answer)

        arrived.slowed = follow

        self._ask(replace(plan.task, retimes=True), now, retimed, arrived)

    def _follow(
        self, arrived: Arrival, plan: Plan, outline: Outline, answer: Fit, now: int
    ) -> None:
        running = self._running(now)
        motions = running.reference.motions_from(running.sampled)
        if running.robot is not plan.task.robot or running.parameters != plan.task.parameters:
            problem = 'the robot model or the parameters have changed'
        else:
            problem = joined(plan, answer, arrived, running)
        if not problem:
            partial = 0 < len(outline.joint_names) < running.robot.n
            left = [m for m in motions if m.begin > running.sampled]
            if partial and not all(map(running.reference.follows, left)):
                answer = replace(answer, warnings=(*answer.warnings, _DROPPED))
            self._accept(answer, arrived, outline, running)
        elif arrived.refits == _MOST_REFITS:
            raise TrajectoryError(f'given up after {_MOST_REFITS + 1} fits: {problem}')
        else:
            arrived.refits += 1
            self._fit(arrived, outline, now)

    def _accept(self, fit: Fit, arrived: Arrival, outline: Outline, running: Running) -> None:
        reference, parameters, now = running.reference, running.parameters, running.now
        self._current = None
        motion = reference.newest
        start = motion.anchor - round(SECOND * motion.anchor_time)
        end = start + round(SECOND * float(fit.waypoints.times[-1]))
        task = forwarding(reference, running.robot, outline, parameters, now)
        warnings = fit.warnings
        if (
            arrived.goal is not None or self._forwards
        ) and task.period > parameters.resample_period:
            warnings = (
                *warnings,
                f'forwarded with points {task.period:.3g} s apart: more than {MOST_POINTS} else',
            )
        self._outputs.verdicts.append(Verdict(outline, '', warnings, start, end))
        if arrived.goal is not None:
            goal = arrived.goal
            self._goals.followed(goal, motion, reference.holds_back(motion), now)
            self._ask(
                task,
                now,
                lambda _, answer, then: self._goals.forward(goal, answer, task, then),
                arrived,
            )
        elif self._forwards:
            self._ask(task, now, self._forward, arrived)

    def _forward(self, arrived: Arrival, answer: Samples | Refusal, now: int) -> None:
        if isinstance(answer, Refusal):
            self._outputs.log(
                'error', f'Not published on ~/joint_trajectory_effort: {answer.reason}'
            )
        else:
            self._outputs.forwarded.append(answer)

    def _reject(self, reason: str) -> None:
        current, self._current = self._current, None
        if current is not None:
            self._refuse(current, self._outline, reason)

    def _refuse(self, arrived: Arrival, known: Heading | None, reason: str) -> None:
        heading = known or self._heading(arrived.data)
        self._outputs.verdicts.append(Verdict(heading, reason))
        if arrived.goal is not None:
            self._goals.refused(arrived.goal, reason)


def _forwarded_points(outline: Outline, running: Running) -> int:
    period = running.parameters.resample_period
    return min(outline.points + max(0, round(outline.last_time / period)), MOST_POINTS)


_MARGIN = 1.5
_MANY = 200  # a fit of at least this many points updates the time per point, else the fixed part
_LEAST, _MOST = 1e-3, 60.0  # limits of the fixed part [s]; a jump of the clock is no fit
_FORGOTTEN = 0.5  # fraction by which a longer earlier time decays at each fit


class FitTime:
    """
    A fixed part and a time per point [s], learned separately from earlier fits.

    So a delay of a short fit does not count for every point of a long one.
    """

    def __init__(self, fixed: float = 0.02, per_point: float = 4e-4) -> None:
        self._fixed, self._per_point = fixed, per_point  # s

    def estimate(self, points: int) -> int:
        """Return the expected duration of a fit, with a margin [ns]."""
        return round(SECOND * _MARGIN * (self._fixed + self._per_point * points))

    def learn(self, points: int, seconds: float) -> None:
        """Update the estimate with a measured duration; an increase applies at once."""
        if not 0.0 <= seconds <= _MOST:
            return
        if points < _MANY:
            fixed = _learned(self._fixed, seconds - self._per_point * points)
            self._fixed = max(fixed, _LEAST)
        else:
            self._per_point = _learned(self._per_point, (seconds - self._fixed) / points)


def _learned(before: float, measured: float) -> float:
    return max(measured, before + _FORGOTTEN * (max(measured, 0.0) - before))

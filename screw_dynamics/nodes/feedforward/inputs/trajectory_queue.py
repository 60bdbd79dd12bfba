# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`TrajectoryQueue`: fitting of trajectories in the background, in order of reception."""

from collections import deque
from collections.abc import Callable
from typing import Any

from screw_dynamics.errors import ScrewDynamicsError, TrajectoryError
from screw_dynamics.messages.times import SECOND
from screw_dynamics.nodes.feedforward.context import FeedforwardContext
from screw_dynamics.nodes.feedforward.fitting.fit import heading
from screw_dynamics.nodes.feedforward.fitting.fit_process import (
    FitProcess,
    FitTime,
    Stopwatch,
)
from screw_dynamics.nodes.feedforward.fitting.forwarding import MOST_POINTS, forwarding
from screw_dynamics.nodes.feedforward.fitting.tasks import (
    Fit,
    FitRobot,
    Heading,
    Outline,
    Reading,
    Refusal,
)
from screw_dynamics.nodes.feedforward.inputs.trajectory_join import joined
from screw_dynamics.nodes.feedforward.inputs.trajectory_plan import (
    Arrival,
    Goal,
    Plan,
    Running,
    arrival,
    fit_delay,
    plan,
)
from screw_dynamics.nodes.feedforward.inputs.trajectory_verdicts import TrajectoryVerdicts
from screw_dynamics.nodes.feedforward.pipeline import FeedforwardPipeline
from screw_dynamics.nodes.shared.endpoints import DEPTH, steady_timer

_LOOK_PERIOD = 0.002  # s between looks at the speed, and at the process, while it works
_MOST_REFITS = 12  # per trajectory
_MOST_AHEAD = SECOND // 5  # of the time until a controller has a goal


class TrajectoryQueue:
    """
    Decodes, fits, follows and forwards messages, one after the other.

    A fit is repeated if the robot, the parameters, the speed or the state at the join have
    changed, or if it is late. If speed or state keep changing, the first segment of the fit is
    bent to them.
    """

    def __init__(
        self, context: FeedforwardContext, verdicts: TrajectoryVerdicts, process: FitProcess
    ) -> None:
        self._context, self._verdicts, self._process = context, verdicts, process
        self._fit_times = {False: FitTime(), True: FitTime(0.3, 0.05)}  # True: of poses
        self._forward_time = FitTime(0.01, 2e-5)  # until a controller has a goal
        self._robot: tuple[Any, ...] = ()
        self._fitting = Stopwatch(0)  # since the request of the current fit
        self._waiting: deque[Arrival] = deque()
        self._current: Arrival | None = None
        self._outline: Outline | None = None  # of the current trajectory
        self._step: Callable[[Any], None] | None = None  # handler of the next answer
        self._timer = steady_timer(context.node, _LOOK_PERIOD, self._look)
        self._timer.cancel()
        process.on_answer = self._look_soon
        self._use_robot()

    def add(self, data: bytes, now: int, goal: Goal | None = None, *, poses: bool = False) -> None:
        """
        Add a serialised message, received at `now` [ns], and the goal that it belongs to.

        With `poses` it is a Path, else a JointTrajectory.
        """
        if len(self._waiting) >= DEPTH:
            reason = f'{DEPTH} newer trajectories arrived before it could be fitted'
            self._drop(self._waiting[0], reason)
        self._waiting.append(arrival(data, self._running(now), goal, poses=poses))
        self._timer.reset()
        self._advance()

    def repeat(self, data: bytes, now: int, goal: Goal) -> bool:
        """Add the trajectory of a goal again, unless a newer one waits; return whether."""
        if self._pending:
            return False
        self.add(data, now, goal)
        return True

    def drop(self, reason: str, goal: Goal | None = None) -> int:
        """Reject what is not followed yet, all or that of a goal; return how many trajectories."""
        dropped = [one for one in self._pending if goal is None or one.goal is goal]
        for one in dropped:
            self._drop(one, reason)
        return len(dropped)

    def _drop(self, arrived: Arrival, reason: str) -> None:
        if arrived is not self._current:
            self._waiting.remove(arrived)
            self._refuse(arrived, heading(arrived.data), reason)
            return
        self._current = None
        if self._step is not None:
            self._step = self._ignore
        self._refuse(arrived, self._outline or heading(arrived.data), reason)

    def destroy(self) -> None:
        """Stop polling; call `drop` before."""
        self._context.node.destroy_timer(self._timer)
        self._process.forget()
        self._step = None

    # steps ---------------------------------------------------------------------------------------

    @property
    def _pending(self) -> list[Arrival]:
        """Trajectories that are not followed yet."""
        return [*([] if self._current is None else [self._current]), *self._waiting]

    def _look_soon(self) -> None:
        """Handle an answer in the next callback of the node; called by another thread."""
        executor = self._context.node.executor
        if executor is not None:
            executor.create_task(self._look)

    def _look(self) -> None:
        """Pass on a changed speed, handle an answer, continue with the next trajectory."""
        if self._step is None:
            return
        reference = self._context.configured.reference
        for waiting in self._pending:
            waiting.follow_speed(reference.speed, reference.speed_since)
        answer = self._process.answer()
        if answer is None:
            return
        step, self._step = self._step, None
        assert step is not None
        try:
            step(answer)
        except ScrewDynamicsError as error:
            self._reject(str(error))
        self._advance()

    def _advance(self) -> None:
        """Start to read the next trajectory if no task is running."""
        if self._step is not None:
            return
        if not self._waiting:
            self._timer.cancel()
            return
        self._current, self._outline = self._waiting.popleft(), None
        current, most = self._current, self._context.parameters.max_trajectory_points
        self._ask(Reading(current.data, most, current.poses), self._read)

    def _ask(self, task: Any, step: Callable[[Any], None]) -> None:
        self._step = step
        self._process.submit(task)

    def _ignore(self, answer: Any) -> None:
        """Ignore the answer: the trajectory has been rejected already."""

    def _read(self, answer: Outline | Refusal) -> None:
        if isinstance(answer, Refusal):
            self._outline = answer.outline
            self._reject(answer.reason)
        else:
            self._outline = answer
            self._fit()

    def _fit(self) -> None:
        """Request a fit of the current trajectory for a join planned now."""
        current, outline = self._current, self._outline
        assert current is not None and outline is not None
        self._use_robot()
        if current.goal is not None:
            ahead = self._forward_time.estimate(self._forwarded_points(outline))
            current.ahead = min(ahead, _MOST_AHEAD)
        running = self._running(self._context.now())
        expected = self._fit_times[current.poses].estimate(outline.points)
        delay = fit_delay(current, outline, running, expected)
        chosen = plan(current, outline, self._context.configured.model.joint_names, running, delay)
        robot, self._fitting = self._robot, Stopwatch(self._context.now())
        self._ask(chosen.task, lambda answer: self._fitted(chosen, robot, answer))

    def _running(self, now: int) -> Running:
        pipeline = self._context.configured
        return Running(
            pipeline.reference,
            pipeline.streamed,
            pipeline.measured,
            self._context.parameters,
            now,
        )

    def _fitted(self, plan: Plan, robot: tuple[Any, ...], answer: Fit | Refusal) -> None:
        pipeline, current, outline = self._context.configured, self._current, self._outline
        assert current is not None and outline is not None
        if isinstance(answer, Refusal):
            self._reject(answer.reason)
            return
        now = self._context.now()
        taken = self._fitting.passed(now, simulated=self._simulated)
        self._fit_times[current.poses].learn(outline.points, taken)
        if self._robot_now() != robot or self._context.parameters != plan.task.parameters:
            problem = 'the robot model or the parameters have changed'
        else:
            problem = joined(plan, answer, current, self._robot_task(), self._running(now))
        if not problem:
            self._accept(answer, pipeline, current, outline, now)
        elif current.refits == _MOST_REFITS:
            raise TrajectoryError(f'given up after {_MOST_REFITS + 1} fits: {problem}')
        else:
            current.refits += 1
            self._fit()

    def _accept(
        self,
        fit: Fit,
        pipeline: FeedforwardPipeline,
        current: Arrival,
        outline: Outline,
        now: int,
    ) -> None:
        reference, parameters, goal = pipeline.reference, self._context.parameters, current.goal
        self._current = None
        self._verdicts.accept(outline, fit, reference.newest, now)
        if goal is not None:
            task = forwarding(reference, outline, parameters, now, serialised=False)
            goal.followed(reference.newest, reference.holds_back(reference.newest))
            self._ask(task, lambda answer: goal.forward(answer, task))
        elif pipeline.trajectory_output is not None:
            self._ask(forwarding(reference, outline, parameters, now), self._forward)

    def learn_forwarding(self, points: int, since: Stopwatch) -> None:
        """Update the time until a controller has a goal of so many points."""
        taken = since.passed(self._context.now(), simulated=self._simulated)
        self._forward_time.learn(points, taken)

    @property
    def _simulated(self) -> bool:
        return bool(self._context.node.get_parameter('use_sim_time').value)

    def _forwarded_points(self, outline: Outline) -> int:
        period = self._context.parameters.resample_period
        return min(outline.points + max(0, round(outline.last_time / period)), MOST_POINTS)

    def _forward(self, answer: bytes | Refusal) -> None:
        output = self._context.configured.trajectory_output
        if isinstance(answer, Refusal):
            self._context.node.get_logger().error(
                f'Not published on ~/joint_trajectory_effort: {answer.reason}'
            )
        elif output is not None:
            output.publish(answer)

    def _reject(self, reason: str) -> None:
        current, self._current = self._current, None
        assert current is not None
        self._refuse(current, self._outline, reason)

    def _refuse(self, arrived: Arrival, known: Heading | None, reason: str) -> None:
        self._verdicts.reject(known, reason)
        if arrived.goal is not None:
            arrived.goal.refused(reason)

    def _robot_now(self) -> tuple[Any, ...]:
        pipeline = self._context.configured
        return (
            pipeline,
            pipeline.model,
            self._context.parameters.stiffness,
            dict(self._context.uncontrolled_joints),
        )

    def _use_robot(self) -> None:
        """Send the robot to the process if it has changed."""
        if self._robot == self._robot_now():
            return
        self._robot = self._robot_now()
        self._process.use(self._robot_task())

    def _robot_task(self) -> FitRobot:
        pipeline = self._context.configured
        return FitRobot(
            pipeline.robot, dict(self._context.uncontrolled_joints), pipeline.followed.continuous
        )

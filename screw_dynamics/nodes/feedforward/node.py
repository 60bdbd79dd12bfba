# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Node `feedforward`: joint trajectory in, efforts with two time derivatives out."""

import time
from collections import deque
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

from diagnostic_msgs.msg import DiagnosticStatus
from rclpy.lifecycle import LifecycleState, TransitionCallbackReturn

from screw_dynamics.control.feedforward import Feedforward
from screw_dynamics.control.feedforward_parameters import FeedforwardParameters
from screw_dynamics.control.feedforward_reports import report
from screw_dynamics.control.goals import goal_refusal
from screw_dynamics.control.inputs import (
    ClockJumped,
    FeedforwardInput,
    ParametersChanged,
    RobotChanged,
    Stop,
    TaskDone,
    Tick,
    same_joints,
)
from screw_dynamics.control.measurements import WRENCH_TOPIC
from screw_dynamics.control.outputs import Outputs, Verdict
from screw_dynamics.control.report import OK, Report
from screw_dynamics.control.tasks import Answer, TrajectoryMessage
from screw_dynamics.control.verdicts import Verdicts
from screw_dynamics.drives.robot import Robot
from screw_dynamics.errors import InputError
from screw_dynamics.nodes.feedforward.goal_action import GoalActions, action_type
from screw_dynamics.nodes.feedforward.inputs import Inputs
from screw_dynamics.nodes.feedforward.managed_node import ManagedNode
from screw_dynamics.nodes.feedforward.sample_outputs import SampleOutputs, require_two_topics
from screw_dynamics.nodes.feedforward.spline_output import SplineOutput
from screw_dynamics.nodes.feedforward.worker import Worker, header_of, read_header
from screw_dynamics.nodes.shared.endpoints import (
    STATUS_QOS,
    STATUS_TOPIC,
    delivery_end,
    steady_timer,
)
from screw_dynamics.nodes.shared.executor import run_node
from screw_dynamics.nodes.shared.loaded_robot import (
    LoadedRobot,
    require_supported,
    warm_up_efforts,
)
from screw_dynamics.nodes.shared.reason_throttle import ReasonThrottle, log_line
from screw_dynamics.nodes.shared.robot_node import RobotNode, status
from screw_dynamics.nodes.shared.tick_timer import TickTimer
from screw_dynamics.trajectory import JET_ROWS
from screw_dynamics.trajectory.reference.streamed_reference import Stream

NAME = 'feedforward'
_TICK = (Tick(),)
_LOOK_PERIOD = 0.002  # s between looks for answers of the worker
_NO_TIME = 'use_sim_time is set and no time has been received on /clock yet'


class _Parts:
    """The core of a configured node, and what speaks for it in ROS."""

    def __init__(self, node: 'FeedforwardNode', core: Feedforward) -> None:
        self.core, self.verdicts = core, Verdicts()
        self._node, self._log = node, ReasonThrottle(node).log  # a line takes half a tick
        self._status = node.create_publisher(DiagnosticStatus, f'~/{STATUS_TOPIC}', STATUS_QOS)
        self.samples = SampleOutputs(node, core)
        self.spline: SplineOutput | None = None
        if 'spline' in core.parameters.outputs:
            names = core.robot.joint_names
            self.spline = SplineOutput(node, core.reference, names, core.parameters)
        self.goals: GoalActions | None = None
        if core.parameters.follow_joint_trajectory:
            self.goals = GoalActions(node, core)
        self.inputs = Inputs(node, core)

    def tell(self, verdict: Verdict, now: int) -> None:
        """Log and publish the verdict on a trajectory, for its sender."""
        report, lines = self.verdicts.tell(verdict, now)
        for line in lines:
            if line.key:
                self._log(line.level, line.text)
            else:
                log_line(self._node, line.level, line.text)
        self._status.publish(status(self._node, 'trajectory', report))

    def destroy(self) -> None:
        """End what is no endpoint; receivers of the last sample and spline are waited for."""
        self.samples.finish()
        if self.goals is not None:
            self.goals.destroy()
        if self.spline is not None:
            self.spline.destroy(delivery_end())


class FeedforwardNode(RobotNode[FeedforwardParameters], ManagedNode):
    """
    Follows a JointTrajectory, or a stream of references, and publishes the efforts that it takes.

    They come with their first and second time derivatives.
    """

    _tells_model = True

    def __init__(self) -> None:
        self._worker: Worker | None = None
        self._parts: _Parts | None = None
        self._active = False
        self._problem = ''
        self._throttle = ReasonThrottle(self)
        self._answers: deque[tuple[_Parts, int, Answer]] = deque()
        self._awaited = 0  # answers
        super().__init__(NAME, FeedforwardParameters)

    def _set_up(self) -> dict[str, Callable[[], Report]]:
        # tasks that another thread creates may wait until the next event of the executor
        self._look = steady_timer(self, _LOOK_PERIOD, self._look_for_answers)
        self._look.cancel()
        self._ticks = TickTimer(self, self._tick, self._on_jump)
        values = self._values
        require_two_topics(self, values.outputs)
        if values.follow_joint_trajectory:
            action_type(self, values.follow_joint_trajectory)
        if values.limits == 'off':
            self.get_logger().warning(
                'limits: off: efforts beyond the limits of the robot are published, too'
            )
        if values.effort_content != 'full':
            self.get_logger().info(
                f'effort_content: {values.effort_content} is that of forwarded trajectories and '
                'goals; ~/feedforward has the full efforts, with gravity'
            )
        self._worker = Worker()
        streams = (stream.value[2:] for stream in Stream)
        names = ['trajectory', *streams, WRENCH_TOPIC[2:], 'limits']
        names += ['motors'] if values.drives_path else []
        names += ['spline'] if 'spline' in values.outputs else []
        return {'rate': self._report_rate, **{name: partial(self._report, name) for name in names}}

    def step(self, *inputs: FeedforwardInput) -> None:
        """Let the core take inputs, and do what it asks for."""
        parts = self._parts
        if parts is not None:
            now = self._now()
            self._perform(parts, parts.core.step(now, inputs), now)

    def _perform(self, parts: _Parts, outputs: Outputs, now: int) -> None:
        for line in outputs.lines:
            self._throttle.log(line.level, line.text)
        parts.samples.publish(outputs)
        # what follows may begin another step, which clears the outputs
        requests, verdicts, goals = outputs.requests[:], outputs.verdicts[:], outputs.goals[:]
        for task in requests:
            assert self._worker is not None
            self._worker.ask(task, partial(self._answer, parts, task.number))
            self._awaited += 1
            self._look.reset()
        for verdict in verdicts:
            parts.tell(verdict, now)
        if parts.goals is not None:
            for action in goals:
                parts.goals.perform(action)

    def _answer(self, parts: _Parts, number: int, answer: Answer) -> None:
        """Pass an answer of the worker on; called by another thread."""
        self._answers.append((parts, number, answer))

    def _look_for_answers(self) -> None:
        while self._answers:
            parts, number, answer = self._answers.popleft()
            self._awaited -= 1
            if parts is self._parts:
                self.step(TaskDone(number, answer))
        if not self._awaited:
            self._look.cancel()

    def _active_problem(self) -> str:
        """Return why the node does not follow anything now; empty if it does."""
        if not self._active:
            return 'the node is not active'
        return '' if self._now() else _NO_TIME

    def take_trajectory(self, data: bytes, *, poses: bool = False) -> None:
        """Follow a trajectory, or reject it."""
        parts, problem = self._parts, self._active_problem()
        header = read_header(data)
        if parts is not None and problem:
            parts.tell(Verdict(header, problem), self._now())
        elif parts is not None:
            self.step(TrajectoryMessage(data, header, poses))

    def take(self, item: FeedforwardInput) -> None:
        """Follow a sample of a stream, or apply a wrench, while the node is active."""
        if not self._active_problem():
            self.step(item)

    def goal_refusal(self, trajectory: Any) -> str:
        """Return why a goal is not accepted now, after its verdict; empty if it is."""
        parts, now = self._parts, self._now()
        refusal = self._active_problem()
        if not refusal and parts is not None:
            names = parts.core.robot.joint_names
            refusal = goal_refusal(trajectory, names, self._values, now)
        if refusal and parts is not None:
            parts.tell(Verdict(header_of(trajectory.header), refusal), now)
        return refusal

    def _tick(self, now: int) -> None:
        parts = self._parts
        if parts is None:
            return
        core = parts.core
        self._perform(parts, core.step(now, _TICK), now)
        if parts.spline is not None:
            reference = core.reference
            parts.spline.watch(None if reference.driven else reference.sampled)

    def _on_jump(self, reason: str) -> None:
        self.step(ClockJumped(reason))

    def _report_rate(self) -> Report:
        return self._ticks.statistics.report(self.get_logger().warning)

    def _report(self, task: str) -> Report:
        parts, now = self._parts, self._now()
        if parts is None:
            return Report(OK, 'not configured')
        if task == 'trajectory':
            return parts.verdicts.report(now)
        if task == 'spline' and parts.spline is not None:
            return parts.spline.report()
        return report(parts.core, task, now)

    def _prepare(self, loaded: LoadedRobot) -> None:
        """Warm up the ticks and the process that fits trajectories."""
        warm_up_efforts(loaded.robot)
        if self._worker is not None:
            self._worker.warm_up(loaded.robot)

    def _require(self, loaded: LoadedRobot) -> None:
        require_supported(loaded.robot, JET_ROWS)
        self._values.require_joints(loaded.robot)

    def _on_model(self, loaded: LoadedRobot) -> None:
        parts = self._parts
        if parts is not None:
            if same_joints(parts.core.robot, loaded.robot):
                self.step(RobotChanged(loaded.robot, loaded.uncontrolled_joints))
            else:
                self._replace(parts.core, loaded)
        elif not self._values.autostart:
            self.get_logger().info('autostart: false: waits for the transition configure')
        elif self.state == 'unconfigured':
            if self.trigger_configure() is not TransitionCallbackReturn.SUCCESS:
                raise InputError(self._problem)
            self.trigger_activate()

    def _replace(self, core: Feedforward, loaded: LoadedRobot) -> None:
        """Begin anew with a robot that has other joints."""
        model = loaded.robot.model
        types = map(' '.join, zip(model.joint_names, model.coordinate_types, strict=True))
        self.get_logger().warning(
            f'The new robot model has other joints ({", ".join(types)}): '
            'the active trajectory is dropped'
        )
        self.step(Stop('the robot model has other joints now'))
        self._tear_down()
        self._make_parts(loaded)

    def on_configure(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Create publishers and subscriptions for the loaded model."""
        self._source.finish()
        self._problem = self._source.problem
        if self._source.loaded is not None:
            try:
                self._make_parts(self._source.loaded)
                return super().on_configure(state)
            except Exception as error:  # e.g. an invalid QoS override; rclpy would not report it
                self._tear_down()
                self._problem = str(error)
        self._problem = f'Cannot configure: {self._problem}'
        self.get_logger().error(self._problem)
        return TransitionCallbackReturn.FAILURE

    def _make_parts(self, loaded: LoadedRobot) -> None:
        robot, others = loaded.robot, loaded.uncontrolled_joints
        number = self._now() or time.time_ns()  # grows with each start
        core = Feedforward(robot, others, self._values, number)
        with self.making():
            self._parts = _Parts(self, core)

    def on_activate(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Start to accept trajectories and to publish."""
        self._active = True
        self._ticks.start(self._values.publish_rate)
        values, logger = self._values, self.get_logger()
        logger.info(
            f'Active at {values.publish_rate:g} Hz: listens on {self._own(self.subscriptions)}; '
            f'publishes {self._own(self.publishers)}'
        )
        return super().on_activate(state)

    def _own(self, entities: Iterable[Any]) -> str:
        """Return the topics of the entities created by `on_configure`."""
        own = (entity.topic_name for entity in entities if entity in self.made)
        return ', '.join(dict.fromkeys(own))

    def on_deactivate(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Stop publishing and drop the active trajectory."""
        self._stop_publishing()
        return super().on_deactivate(state)

    def on_cleanup(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Destroy what `on_configure` created; keep the model."""
        self._tear_down()
        return super().on_cleanup(state)

    def on_shutdown(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Stop publishing and destroy what `on_configure` created."""
        self._stop_publishing()
        self._tear_down()
        return super().on_shutdown(state)

    def _stop_publishing(self) -> None:
        self._active = False
        self._ticks.stop()
        self.step(Stop('the node is not active any more'))

    def _tear_down(self) -> None:
        parts, self._parts = self._parts, None
        if parts is not None:
            parts.destroy()
        self.destroy_made()

    def come_to_rest(self) -> None:
        """Stop following and publishing, if the node is active."""
        if self._active and self.context.ok():  # else nothing can be published
            self._stop_publishing()

    def destroy_node(self) -> None:
        """Destroy the node and end the process that fits trajectories."""
        if self._worker is not None:  # else the constructor has failed before
            self.come_to_rest()
            self._tear_down()
            self._worker.close()
        super().destroy_node()

    def _check_load(self, robot: Robot) -> None:
        if self._parts is not None:
            self._parts.core.check_load(self._now(), robot)

    def _check(self, values: FeedforwardParameters) -> None:
        if self._parts is not None:
            self._parts.core.check(values)

    def _on_parameters(self, old: FeedforwardParameters, new: FeedforwardParameters) -> None:
        if self._active and old.publish_rate != new.publish_rate:
            self._ticks.start(new.publish_rate)
        self.step(ParametersChanged(new))
        if self._parts is not None and self._parts.spline is not None:
            self._parts.spline.apply(new)


main = partial(run_node, FeedforwardNode, NAME, parameters=FeedforwardParameters)

# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Node `feedforward`: joint trajectory in, efforts with two time derivatives out."""

import time
from collections.abc import Iterable
from functools import partial
from typing import Any

from rclpy.lifecycle import LifecycleState, TransitionCallbackReturn

from screw_dynamics.errors import InputError, ScrewDynamicsError
from screw_dynamics.jit import jit_enabled
from screw_dynamics.nodes.feedforward.context import FeedforwardContext
from screw_dynamics.nodes.feedforward.diagnostics import (
    FeedforwardReports,
    OutputReports,
    StreamReports,
)
from screw_dynamics.nodes.feedforward.fitting.fit_process import FitProcess
from screw_dynamics.nodes.feedforward.fitting.tasks import FitRobot
from screw_dynamics.nodes.feedforward.inputs.controller_sync import ControllerSync
from screw_dynamics.nodes.feedforward.inputs.forwarded_goal import action_type
from screw_dynamics.nodes.feedforward.inputs.stream_inputs import StreamInputs
from screw_dynamics.nodes.feedforward.inputs.trajectory_inputs import TrajectoryInputs
from screw_dynamics.nodes.feedforward.managed_node import ManagedNode
from screw_dynamics.nodes.feedforward.outputs.effort_outputs import require_two_topics
from screw_dynamics.nodes.feedforward.parameters import FeedforwardParameters
from screw_dynamics.nodes.feedforward.pipeline import FeedforwardPipeline
from screw_dynamics.nodes.feedforward.tick_cost import (
    compile_tick,
    compute_time,
    rate_warning,
    require_rate,
)
from screw_dynamics.nodes.shared.diagnostics import Diagnostics, ModelInfoOutput
from screw_dynamics.nodes.shared.executor import destroyed_on_error
from screw_dynamics.nodes.shared.loaded_robot import LoadedRobot, require_supported
from screw_dynamics.nodes.shared.model_source import ModelSource
from screw_dynamics.nodes.shared.tick_timer import Seldom, TickTimer
from screw_dynamics.robot import Robot
from screw_dynamics.stop_signals import stop_is_urgent
from screw_dynamics.trajectory import JET_ROWS

NAME = 'feedforward'


class FeedforwardNode(ManagedNode):
    """Lifecycle node that follows a JointTrajectory and publishes the efforts at a fixed rate."""

    def __init__(self) -> None:
        super().__init__(NAME)
        self._fits: FitProcess | None = None
        # s to compute a sample, by derivative_order, measured while the node is configured
        self._times: dict[int, float] = {}
        self._withheld_ticks = Seldom(1.0)
        with destroyed_on_error(self):
            context = self._shared = FeedforwardContext(self)
            settings = context.settings
            self._ticks = TickTimer(self, self._tick, self._on_jump)
            self._model_info = ModelInfoOutput(self)
            fits = self._fits = FitProcess()
            self._source = ModelSource(
                self,
                settings,
                lambda loaded: compile_tick(loaded.robot),
                self._on_model,
                self._require_supported,
                lambda loaded: fits.warm_up(
                    FitRobot(loaded.robot, loaded.uncontrolled_joints, ()),
                    poses=bool(settings.values.cartesian_frame),
                ),
            )
            require_two_topics(self, settings.values)
            settings.add_check(partial(require_two_topics, self))
            settings.add_check(self._source.check_settings)
            settings.add_check(self._check_motors)
            settings.add_check(self._require_rate)
            settings.on_change(self._on_parameters)
            if settings.values.follow_joint_trajectory:
                action_type(self, settings.values.follow_joint_trajectory)
            self._reports = FeedforwardReports(
                self._source, self._ticks, self.get_logger().warning
            )
            self._stream_reports = StreamReports(context)
            tasks = {
                **self._reports.tasks(),
                **OutputReports(context).tasks(),
                **self._stream_reports.tasks(),
            }
            self._sync: ControllerSync | None = None
            if settings.values.sync == 'controller_state':
                self._sync = ControllerSync(context)
                tasks['sync'] = self._sync.report
            self._diagnostics = Diagnostics(self, tasks, settings)
            self._others = {*self.subscriptions, *self.publishers}

    # model ---------------------------------------------------------------------------------------

    def _require_supported(self, loaded: LoadedRobot) -> None:
        require_supported(loaded.robot, JET_ROWS)
        self._shared.parameters.require_joints(loaded.robot)

    def _on_model(self, loaded: LoadedRobot) -> None:
        self._shared.uncontrolled_joints = loaded.uncontrolled_joints
        self._model_info.publish(loaded)
        if self._shared.pipeline is not None:
            self._replace_model(self._shared.pipeline, loaded)
        elif self._shared.parameters.autostart and self.state == 'unconfigured':
            if self.trigger_configure() is not TransitionCallbackReturn.SUCCESS:
                raise InputError(self._problem)
            self.trigger_activate()

    def _replace_model(self, pipeline: FeedforwardPipeline, loaded: LoadedRobot) -> None:
        model = loaded.robot.model
        if pipeline.replace_model(model):
            return
        types = map(' '.join, zip(model.joint_names, model.coordinate_types, strict=True))
        self.get_logger().warning(
            f'The new robot model has other joints ({", ".join(types)}): '
            'the active trajectory is dropped'
        )
        self._trajectory_inputs.drop('the robot model has other joints now')
        self._ramp_out()
        pipeline.destroy()
        self._shared.pipeline = FeedforwardPipeline(self, loaded.robot, self._shared.parameters)
        self._shared.pipeline.reference.speed = pipeline.reference.speed

    # transitions ---------------------------------------------------------------------------------

    def on_configure(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Create publishers and subscriptions for the loaded model."""
        self._source.finish()
        self._problem = self._source.problem
        if self._source.loaded is not None:
            try:
                with self.undone_on_error():
                    self._set_up(self._source.loaded)
                return super().on_configure(state)
            except Exception as error:  # e.g. an invalid QoS override; rclpy would not report it
                self._problem = str(error)
        self._problem = f'Cannot configure: {self._problem}'
        self.get_logger().error(self._problem)
        return TransitionCallbackReturn.FAILURE

    def _set_up(self, loaded: LoadedRobot) -> None:
        assert self._fits is not None
        self._times.clear()
        self._require_rate(self._shared.parameters, loaded.robot)
        self._shared.pipeline = FeedforwardPipeline(self, loaded.robot, self._shared.parameters)
        try:
            self._trajectory_inputs = TrajectoryInputs(
                self._shared,
                self._reports,
                self._fits,
                # the controller state contains the speed
                follow_speed=self._sync is None,
            )
            self._stream_inputs = StreamInputs(self._shared, self._stream_reports)
        except BaseException:  # Ctrl-C too: `_tear_down` expects complete inputs
            self._shared.pipeline = None
            raise

    def on_activate(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Start to accept trajectories and to publish."""
        self._shared.active = True
        self._ticks.start(self._shared.parameters.publish_rate)
        self._log_activation()
        return super().on_activate(state)

    def _log_activation(self) -> None:
        """Log the topics, and a warning if the rate cannot be reached."""
        values, logger = self._shared.parameters, self.get_logger()
        logger.info(
            f'Active at {values.publish_rate:g} Hz: listens on {self._own(self.subscriptions)}; '
            f'publishes {self._own(self.publishers)}'
        )
        shortest = self._times[values.derivative_order]
        warning = rate_warning(shortest, values.publish_rate, compiled=jit_enabled())
        if warning:
            logger.warning(warning)

    def _own(self, entities: Iterable[Any]) -> str:
        """Return the topics of the entities created by `on_configure`."""
        own = (entity.topic_name for entity in entities if entity not in self._others)
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
        self._shared.active = False
        self._ticks.stop()
        self._ramp_out()
        if self._shared.pipeline is not None:
            self._trajectory_inputs.stop('the node is not active any more')
            self._shared.pipeline.clear()

    def _ramp_out(self) -> None:
        """
        Lead ~/commands to rest, until a further signal.

        That takes `ramp_time` or, near a limit of a rate, longer.
        """
        pipeline, now = self._shared.pipeline, self._shared.now()
        period = self._shared.parameters.period
        while pipeline is not None and self.context.ok() and pipeline.release(now):
            if stop_is_urgent():
                self.get_logger().warning(
                    'Stopped again: the ramp of ~/commands ends here, motors keep the last command'
                )
                return
            time.sleep(period)
            now += round(1e9 * period)

    def _tear_down(self) -> None:
        if self._shared.pipeline is not None:
            self._trajectory_inputs.destroy()
            self._stream_inputs.destroy()
            self._shared.pipeline.destroy()
            self._shared.pipeline = None

    def come_to_rest(self) -> None:
        """Lead ~/commands to rest and stop publishing, if the node is active."""
        if self._shared.active and self.context.ok():  # else nothing can be published
            self._stop_publishing()

    def destroy_node(self) -> None:
        """Come to rest, destroy the node and end the process that fits trajectories."""
        if self._fits is not None:  # else the constructor has failed before
            self.come_to_rest()
            self._tear_down()
            self._fits.close()
        super().destroy_node()

    # parameters ----------------------------------------------------------------------------------

    def _check_motors(self, values: FeedforwardParameters) -> None:
        pipeline = self._shared.pipeline
        if pipeline is None:
            return
        values.require_joints(pipeline.robot)
        if pipeline.motors is not None:
            pipeline.motors.check(values)

    def _require_rate(self, values: FeedforwardParameters, robot: Robot | None = None) -> None:
        pipeline, order = self._shared.pipeline, values.derivative_order
        robot = robot or (None if pipeline is None else pipeline.robot)
        if robot is None:
            return
        if order not in self._times:
            self._times[order] = compute_time(robot, order)
        require_rate(self._times[order], values.publish_rate, compiled=jit_enabled())

    def _on_parameters(self, old: FeedforwardParameters, new: FeedforwardParameters) -> None:
        if self._shared.active and old.publish_rate != new.publish_rate:
            self._ticks.start(new.publish_rate)
        if old.model_settings != new.model_settings:
            self._source.apply_settings()
        if self._shared.pipeline is not None:
            if old.commands not in ('', new.commands):
                self._ramp_out()
            with self.undone_on_error():
                self._shared.pipeline.apply(new)

    # output --------------------------------------------------------------------------------------

    def _tick(self, now: int) -> None:
        if self._shared.parameters.mode == 'compensate':
            self._shared.configured.watch_measured(now)
            return
        try:
            withheld = self._sync is not None and self._sync.withholds(now)
            self._shared.configured.publish(now, withheld)
        except ScrewDynamicsError as error:
            self._reports.count_not_finite(str(error))
            if self._withheld_ticks.due():
                self.get_logger().error(f'Nothing published: {error}')
            self._shared.configured.release(now)

    def _on_jump(self, reason: str) -> None:
        pipeline = self._shared.configured
        if not pipeline.followed.empty:
            self.get_logger().warning(f'{reason}: the active trajectory is dropped')
        self._trajectory_inputs.drop(f'{reason} before it was fitted')
        pipeline.forget()

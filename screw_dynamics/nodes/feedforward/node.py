# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Node `feedforward`: joint trajectory in, efforts with two time derivatives out."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any

from rclpy.lifecycle import LifecycleState, TransitionCallbackReturn

from screw_dynamics.errors import InputError, ScrewDynamicsError
from screw_dynamics.jit import jit_enabled
from screw_dynamics.nodes.feedforward.compute_time import compute_time, rate_warning
from screw_dynamics.nodes.feedforward.diagnostics import (
    FeedforwardReports,
    OutputReports,
    StreamReports,
)
from screw_dynamics.nodes.feedforward.fitting.fit_process import FitProcess
from screw_dynamics.nodes.feedforward.fitting.tasks import FitRobot
from screw_dynamics.nodes.feedforward.inputs.controller_sync import ControllerSync
from screw_dynamics.nodes.feedforward.inputs.stream_inputs import StreamInputs
from screw_dynamics.nodes.feedforward.inputs.trajectory_inputs import TrajectoryInputs
from screw_dynamics.nodes.feedforward.managed_node import ManagedNode
from screw_dynamics.nodes.feedforward.outputs.effort_outputs import require_two_topics
from screw_dynamics.nodes.feedforward.parameters import FeedforwardParameters
from screw_dynamics.nodes.feedforward.pipeline import FeedforwardPipeline, compile_tick
from screw_dynamics.nodes.shared.diagnostics import Diagnostics
from screw_dynamics.nodes.shared.executor import destroyed_on_error, run_node
from screw_dynamics.nodes.shared.loaded_robot import LoadedRobot, require_supported
from screw_dynamics.nodes.shared.model_reports import ModelInfoOutput
from screw_dynamics.nodes.shared.model_source import ModelSource
from screw_dynamics.nodes.shared.parameters import NodeParameters
from screw_dynamics.nodes.shared.tick_timer import TickTimer
from screw_dynamics.trajectory import JET_ROWS

NAME = 'feedforward'


class FeedforwardNode(ManagedNode):
    """
    Lifecycle node: follows a JointTrajectory, publishes the required efforts at a constant rate.

    unconfigured: waits for a robot model; configured: all publishers exist; active: accepts
    trajectories and publishes. With `autostart` it becomes active as soon as a model is loaded.
    """

    def __init__(self) -> None:
        super().__init__(NAME)
        self._stream: FeedforwardPipeline | None = None
        self._fits: FitProcess | None = None
        with destroyed_on_error(self):
            self._settings = NodeParameters(self, FeedforwardParameters)
            self._active = False
            self._ticks = TickTimer(self, self._tick, self._on_jump)
            self._model_info = ModelInfoOutput(self)
            fits = self._fits = FitProcess()
            self._source = ModelSource(
                self,
                lambda: self._settings.values,
                self._prepare,
                self._on_model,
                lambda loaded: require_supported(loaded.robot, JET_ROWS),
                lambda loaded: fits.warm_up(
                    FitRobot(loaded.robot, loaded.uncontrolled_joints, ())
                ),
            )
            require_two_topics(self, self._settings.values)
            self._settings.add_check(partial(require_two_topics, self))
            self._settings.add_check(self._source.check_settings)
            self._settings.add_check(self._check_stiffness)
            self._settings.on_change(self._on_parameters)
            self._reports = FeedforwardReports(
                self._source, self._ticks, self.get_logger().warning
            )
            self._stream_reports = StreamReports(
                lambda: self._stream,
                lambda: self._settings.values,
                lambda: self.get_clock().now().nanoseconds,
            )
            outputs = OutputReports(lambda: self._stream, lambda: self._settings.values)
            tasks = {**self._reports.tasks(), **outputs.tasks(), **self._stream_reports.tasks()}
            self._sync: ControllerSync | None = None
            if self._settings.values.sync == 'controller_state':
                self._sync = ControllerSync(
                    self, lambda: self._stream, lambda: self._settings.values
                )
                tasks.update(self._sync.tasks())
            self._diagnostics = Diagnostics(
                self,
                tasks,
                self._settings.values.diagnostics_period,
            )
            self._others = {*self.subscriptions, *self.publishers}

    # model ---------------------------------------------------------------------------------------

    def _prepare(self, loaded: LoadedRobot) -> None:
        """Compile all kernels that a tick uses."""
        compile_tick(loaded.robot)

    def _on_model(self, loaded: LoadedRobot) -> None:
        self._model_info.publish(loaded)
        if self._stream is not None:
            self._replace_model(loaded)
        elif self._settings.values.autostart and self.state == 'unconfigured':
            if self.trigger_configure() is not TransitionCallbackReturn.SUCCESS:
                raise InputError(self._problem)
            self.trigger_activate()

    def _replace_model(self, loaded: LoadedRobot) -> None:
        assert self._stream is not None
        if not self._stream.replace_model(loaded.robot.model):
            model = loaded.robot.model
            kinds = map(' '.join, zip(model.joint_names, model.coordinate_types, strict=True))
            self.get_logger().warning(
                f'The new robot model has other joints ({", ".join(kinds)}): '
                'the active trajectory is dropped'
            )
            self._trajectory_inputs.drop('the robot model has other joints now')
            speed = self._stream.reference.speed
            self._stream.destroy()
            self._stream = self._make_stream(loaded)
            self._stream.reference.speed = speed

    def _make_stream(self, loaded: LoadedRobot) -> FeedforwardPipeline:
        return FeedforwardPipeline(self, loaded.robot, self._settings.values)

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
        self._stream = self._make_stream(loaded)
        try:
            self._make_inputs()
        except BaseException:  # Ctrl-C too: `_tear_down` expects complete inputs
            self._stream = None
            raise

    def _make_inputs(self) -> None:
        assert self._fits is not None
        self._trajectory_inputs = TrajectoryInputs(
            self,
            lambda: self._stream,
            lambda: self._settings.values,
            self._other_joints,
            self._active_time,
            self._reports,
            self._fits,
            # the controller state contains the speed
            follow_speed=self._sync is None,
        )
        self._stream_inputs = StreamInputs(
            self,
            self._output,
            lambda: self._settings.values,
            self._other_joints,
            self._active_time,
            self._stream_reports,
        )

    def on_activate(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Start to accept trajectories and to publish."""
        self._active = True
        self._ticks.start(self._settings.values.publish_rate)
        self._log_activation()
        return super().on_activate(state)

    def _log_activation(self) -> None:
        """Log the topics, and a warning if the rate cannot be reached."""
        values, logger = self._settings.values, self.get_logger()
        assert self._stream is not None
        logger.info(
            f'Active at {values.publish_rate:g} Hz: listens on {self._own(self.subscriptions)}; '
            f'publishes {self._own(self.publishers)}'
        )
        stream = self._stream
        shortest = compute_time(stream.robot, values.derivative_order)
        warning = rate_warning(shortest, values.publish_rate, compiled=jit_enabled())
        if warning:
            logger.warning(warning)

    def _own(self, entities: Iterable[Any]) -> str:
        """Return the topics of the entities created by `on_configure`."""
        own = (entity.topic_name for entity in entities if entity not in self._others)
        return ', '.join(dict.fromkeys(own))

    def on_deactivate(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Stop publishing and drop the active trajectory."""
        self._fall_silent()
        return super().on_deactivate(state)

    def on_cleanup(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Destroy what `on_configure` created; keep the model."""
        self._tear_down()
        return super().on_cleanup(state)

    def on_shutdown(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Stop publishing and destroy what `on_configure` created."""
        self._fall_silent()
        self._tear_down()
        return super().on_shutdown(state)

    def _fall_silent(self) -> None:
        self._active = False
        self._ticks.stop()
        if self._stream is not None:
            self._trajectory_inputs.drop('the node is not active any more')
            self._stream.clear()

    def _tear_down(self) -> None:
        if self._stream is not None:
            self._trajectory_inputs.destroy()
            self._stream_inputs.destroy()
            self._stream.destroy()
            self._stream = None

    def destroy_node(self) -> None:
        """Destroy the node and end the process that fits trajectories."""
        self._tear_down()
        if self._fits is not None:
            self._fits.close()
        super().destroy_node()

    # callbacks of the inputs ---------------------------------------------------------------------

    def _output(self) -> FeedforwardPipeline:
        assert self._stream is not None
        return self._stream

    def _other_joints(self) -> Mapping[str, str]:
        return self._source.loaded.uncontrolled_joints if self._source.loaded else {}

    def _active_time(self) -> int:
        if not self._active:
            raise InputError('the node is not active')
        now: int = self.get_clock().now().nanoseconds
        if now == 0:
            raise InputError('use_sim_time is set and no time has been received on /clock yet')
        return now

    def _check_stiffness(self, values: FeedforwardParameters) -> None:
        if self._stream is not None and self._stream.motors is not None:
            self._stream.motors.stiffness.check(values.stiffness)

    def _on_parameters(self, old: FeedforwardParameters, new: FeedforwardParameters) -> None:
        if old.diagnostics_period != new.diagnostics_period:
            self._diagnostics.set_period(new.diagnostics_period)
        if self._active and old.publish_rate != new.publish_rate:
            self._ticks.start(new.publish_rate)
        if old.model_settings != new.model_settings:
            self._source.apply_settings()
        if self._stream is not None:
            with self.undone_on_error():
                self._stream.apply(new)

    # output --------------------------------------------------------------------------------------

    def _tick(self, now: int) -> None:
        assert self._stream is not None
        try:
            withheld = self._sync is not None and self._sync.withholds(now)
            self._stream.publish(now, withheld)
        except ScrewDynamicsError as error:
            self._reports.count_not_finite(str(error))
            self.get_logger().error(f'Nothing published: {error}', throttle_duration_sec=1.0)

    def _on_jump(self, reason: str) -> None:
        assert self._stream is not None
        if not self._stream.empty:
            self.get_logger().warning(f'{reason}: the active trajectory is dropped')
        self._trajectory_inputs.drop(f'{reason} before its fit was there')
        self._stream.forget()


main = partial(
    run_node,
    FeedforwardNode,
    NAME,
    purpose='Follows a JointTrajectory, or a stream of references, and publishes the efforts '
    'that it takes with their first and second time derivatives.',
    parameters=FeedforwardParameters,
)

if __name__ == '__main__':
    sys.exit(main())

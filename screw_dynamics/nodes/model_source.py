# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`ModelSource`: the robot model of a node from topic, parameter or file, built off-cycle."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace

from rclpy.clock import Clock, ClockType
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile
from rclpy.qos_overriding_options import QoSOverridingOptions
from std_msgs.msg import String

from screw_dynamics.errors import InputError, ScrewDynamicsError
from screw_dynamics.nodes.elastic_source import read_elastic_joints
from screw_dynamics.nodes.parameter_records import ModelParameters
from screw_dynamics.nodes.robot_description import (
    LoadedModel,
    load_model,
    with_settings,
)
from screw_dynamics.nodes.urdf_file import urdf_file

TOPIC = 'robot_description'
_POLL_PERIOD = 0.05  # s between looks at the working thread
_WAITING_PERIOD = 1.0  # s between warnings that there is no robot description


class ModelSource:
    """
    Reads, builds and prepares the model in a thread of its own, so that ticks go on meanwhile.

    Parameters
    ----------
    node : Node
    parameters : callable
        Returns the ModelParameters in force.
    prepare : callable
        Called in the working thread with every LoadedModel: compile what will be called.
    on_model : callable
        Called in the thread of the executor when a LoadedModel is ready.
    require : callable
        Called with every LoadedModel; raises ScrewDynamicsError if the node cannot work with it.

    Raises
    ------
    ScrewDynamicsError
        If elastic joints, or a description given as parameter or file, are not valid.

    """

    def __init__(
        self,
        node: Node,
        parameters: Callable[[], ModelParameters],
        prepare: Callable[[LoadedModel], None],
        on_model: Callable[[LoadedModel], None],
        require: Callable[[LoadedModel], object] = lambda loaded: None,
    ) -> None:
        self.loaded: LoadedModel | None = None
        # with namespace and remappings, where a wait without end has its cause
        self._topic = node.resolve_topic_name(TOPIC)
        self.problem = f"Waiting for data on '{self._topic}' topic"
        self._node, self._parameters = node, parameters
        self._prepare, self._on_model, self._require = prepare, on_model, require
        self._thread: threading.Thread | None = None
        self._result: LoadedModel | ScrewDynamicsError | None = None
        self._latest: tuple[object, ...] | None = None  # text of the topic, settings
        self._waiting_text: tuple[str, str] | None = None
        self._waiting_settings: ModelParameters | None = None
        self._poll = node.create_timer(
            _POLL_PERIOD, self._look, clock=Clock(clock_type=ClockType.STEADY_TIME)
        )
        values = parameters()
        self._elastic = read_elastic_joints(values.elastic_joints_path)
        if values.robot_description:
            self._start_given(values.robot_description, "parameter 'robot_description'")
        elif values.urdf_path:
            path = urdf_file(values.urdf_path, "parameter 'urdf_path'")
            try:
                text = path.read_text(encoding='utf-8')
            except (OSError, UnicodeDecodeError) as error:
                raise InputError(f'{path}: {error}') from None
            self._start_given(text, str(path))
        else:
            node.create_subscription(
                String,
                TOPIC,
                self._on_description,
                QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL),
                qos_overriding_options=QoSOverridingOptions.with_default_policies(),
            )

    @property
    def busy(self) -> bool:
        """Whether a model is being built."""
        return self._thread is not None

    def finish(self) -> None:
        """Wait for a model that is being built, and hand it on."""
        while self._thread is not None:
            self._thread.join()
            self._look()

    def check_settings(self, values: ModelParameters) -> None:
        """
        Check that gravity and payload fit the model.

        Parameters
        ----------
        values : ModelParameters

        Raises
        ------
        ScrewDynamicsError

        """
        if self.loaded is not None:
            with_settings(self.loaded.described, values)

    def apply_settings(self, values: ModelParameters) -> None:
        """
        Build the model anew with other gravity or payload, after one that is being built.

        Parameters
        ----------
        values : ModelParameters

        """
        self._waiting_settings = values
        self._look()

    def _start_given(self, text: str, source: str) -> None:
        """Read a description that must be good now; only the preparation is left to the thread."""
        loaded = self._load(text, source)
        self._start(lambda: loaded)

    def _load(self, text: str, source: str) -> LoadedModel:
        loaded = load_model(text, source, self._parameters(), self._elastic)
        self._require(loaded)
        return loaded

    def _on_description(self, message: String) -> None:
        latest = (message.data, self._parameters().model_settings)
        if latest == self._latest:
            return  # a publisher that repeats itself: what there is to say has been said
        self._latest = latest
        self._waiting_text = (message.data, f"topic '{self._topic}'")
        self._look()

    def _start(self, build: Callable[[], LoadedModel]) -> None:
        self._result = None
        self.problem = 'the robot model is being prepared'

        def work() -> None:
            try:
                loaded = build()
                self._prepare(loaded)
                self._result = loaded
            except ScrewDynamicsError as error:
                self._result = error

        # daemon: Ctrl-C does not wait for a compilation
        self._thread = threading.Thread(target=work, name='robot_model', daemon=True)
        self._thread.start()
        self._poll.reset()

    def _look(self) -> None:
        """Take over what the thread has finished, start what waits for it."""
        if self._thread is not None:
            if self._thread.is_alive():
                return
            self._thread = None
            self._take_over(self._result)
        if self._waiting_text is not None:
            (text, source), self._waiting_text = self._waiting_text, None
            self._waiting_settings = None  # the text is read with those in force
            self._start(lambda: self._load(text, source))
        elif self._waiting_settings is not None and self.loaded is not None:
            loaded, values, self._waiting_settings = self.loaded, self._waiting_settings, None
            self._start(
                lambda: replace(loaded, model=with_settings(loaded.described, values), warnings=())
            )
        elif self.loaded is None and self._latest is None:
            self._node.get_logger().warning(
                self.problem, throttle_duration_sec=_WAITING_PERIOD, skip_first=True
            )
        else:
            self._poll.cancel()

    def _take_over(self, result: LoadedModel | ScrewDynamicsError | None) -> None:
        logger = self._node.get_logger()
        if isinstance(result, LoadedModel):
            for text in result.warnings:
                logger.warning(text)
            self.loaded, self.problem = result, ''
            logger.info(
                f'Robot model {result.model.name!r} from {result.source}: '
                f'{", ".join(result.model.joint_names)}'
            )
            self._on_model(result)
        elif self.loaded is None:
            self.problem = f'Failed to parse URDF: {result}'
            logger.error(self.problem)
        else:
            self.problem = f'Failed to parse new URDF: {result}'
            logger.warning(f'{self.problem}; the model from {self.loaded.source} stays in use')

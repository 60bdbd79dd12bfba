# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`ModelSource`: robot model of a node from topic, parameter or file."""

import threading
from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeAlias

from rclpy.node import Node
from std_msgs.msg import String

from screw_dynamics.control.model_parameters import ModelParameters
from screw_dynamics.control.report import OK, WARN, Report
from screw_dynamics.drives.robot import Robot
from screw_dynamics.errors import InputError, ScrewDynamicsError
from screw_dynamics.kernels.kernel import kernel_form
from screw_dynamics.nodes.shared.endpoints import LATCHED, make_subscription, steady_timer
from screw_dynamics.nodes.shared.file_url import resolve_file_url
from screw_dynamics.nodes.shared.loaded_robot import (
    LoadedRobot,
    load_robot,
    read_drives,
    read_soft_segments,
    with_settings,
)
from screw_dynamics.nodes.shared.parameters import NodeParameters

TOPIC = 'robot_description'
ROBOT = 'robot'  # value of a report that names it
_POLL_PERIOD = 0.05  # s between polls of the working thread
_WAITING_PERIOD = 1.0  # s between warnings that there is no robot description
_BUSY = 'the robot model is being prepared'

Settings: TypeAlias = tuple[object, ...]


class ModelBuild(threading.Thread):
    """
    Builds a model in a thread; the result is valid when that has ended.

    `text` is None for other settings; the result is `loaded`, or None for a `failure`. Ctrl-C does
    not wait for the thread.
    """

    def __init__(
        self,
        text: str | None,
        values: ModelParameters,
        build: Callable[[], LoadedRobot],
        prepare: Callable[[LoadedRobot], None],
    ) -> None:
        super().__init__(name='robot_model', daemon=True)
        self.text, self.settings = text, values.model_settings
        self.loaded: LoadedRobot | None = None
        self.failure, self.payload = '', values.payload_words
        self._build, self._prepare = build, prepare

    def run(self) -> None:
        """Build and prepare the model."""
        try:
            loaded = self._build()
            self._prepare(loaded)
            self.loaded = loaded
        except ScrewDynamicsError as error:
            self.failure = str(error)
        except Exception as error:  # no description may end the node: it reports the failure
            self.failure = f'{type(error).__name__}: {error}'


class ModelSource:
    """
    Reads, builds and prepares the model in a separate thread so that ticks continue.

    `prepare` is called there, `on_model` in the thread of the executor. `require` raises
    ScrewDynamicsError if the node cannot use a model, as the constructor does at once;
    `check_load` raises it if gravity and payload of changed parameters are not to be used.
    """

    def __init__(
        self,
        node: Node,
        settings: NodeParameters[Any],
        prepare: Callable[[LoadedRobot], None],
        on_model: Callable[[LoadedRobot], None],
        require: Callable[[LoadedRobot], object] = lambda loaded: None,
        check_load: Callable[[Robot], object] = lambda robot: None,
    ) -> None:
        kernel_form()
        self.loaded: LoadedRobot | None = None
        # with namespace and remappings, the usual cause of an endless wait
        self._topic = node.resolve_topic_name(TOPIC)
        self._problem = f"Waiting for data on '{self._topic}' topic"
        self._node, self._parameters = node, settings
        self._prepare, self._on_model, self._require = prepare, on_model, require
        self._check_load = check_load
        self._settings_problem = ''
        self._text: tuple[str, str] | None = None  # newest description and its source
        self._text_waits = False
        self._build: ModelBuild | None = None  # result not yet used
        self._last_text: tuple[str, Settings] | None = None  # last one built, with its settings
        self._last_settings: Settings | None = None  # last ones requested for the model in use
        self._loaded_settings: Settings = ()  # those of the model in use
        self._poll = steady_timer(node, _POLL_PERIOD, self._look)
        settings.add_check(self._check_settings)
        settings.on_change(lambda old, new: self._look())
        values = settings.values
        self._segments = read_soft_segments(values.soft_segments)
        self._drives = read_drives(values.drives_path, node.get_logger().warning)
        if values.robot_description:
            self._start_given(values.robot_description, "parameter 'robot_description'")
        elif values.urdf_path:
            path = resolve_file_url(values.urdf_path, "parameter 'urdf_path'")
            try:
                text = path.read_text(encoding='utf-8')
            except (OSError, UnicodeDecodeError) as error:
                raise InputError(f'{path}: {error}') from None
            self._start_given(text, str(path))
        else:
            make_subscription(node, String, TOPIC, self._on_description, LATCHED)

    @property
    def topics(self) -> tuple[str, ...]:
        """The topic of the description, unless parameters have it."""
        values = self._parameters.values
        return () if values.robot_description or values.urdf_path else (self._topic,)

    @property
    def busy(self) -> bool:
        """True if a model is being built."""
        return self._build is not None

    @property
    def problem(self) -> str:
        """Reason why there is no model, or not the requested one; empty if there is none."""
        if self.busy:
            return _BUSY
        unset = self._parameters.values.model_settings != self._loaded_settings
        return self._problem or (self._settings_problem if unset else '')

    def finish(self) -> None:
        """Wait for a model that is being built, and use it."""
        while self._build is not None:
            self._build.join(_POLL_PERIOD)
            self._look()

    def report(self) -> Report:
        """Return the report on the model; WARN if there is none, or a new one was rejected."""
        if self.loaded is None:
            return Report(WARN, self.problem)
        model = self.loaded.robot.model
        return Report(
            WARN if self.problem and not self.busy else OK,
            self.problem or 'loaded',
            {
                'source': self.loaded.source,
                ROBOT: model.name,
                'joints': ', '.join(model.joint_names),
                'base_link': model.base_link,
                'urdf_sha256': self.loaded.sha256,
            },
        )

    def _check_settings(self, values: ModelParameters) -> None:
        if self.loaded is not None and values.model_settings != self._loaded_settings:
            self._check_load(_with_settings(self.loaded, values).robot)

    def _start_given(self, text: str, source: str) -> None:
        """Read a description and raise InputError if it is invalid; prepare it in the thread."""
        values = self._parameters.values
        try:
            loaded = self._load(text, source, values)
        except ScrewDynamicsError as error:
            reason = str(error)
            raise InputError(reason if source in reason else f'{source}: {reason}') from None
        self._text = text, source
        self._start(text, values, lambda: loaded)

    def _load(self, text: str, source: str, values: ModelParameters) -> LoadedRobot:
        loaded = load_robot(text, source, values, self._drives, self._segments)
        self._require(loaded)
        return loaded

    def _on_description(self, message: String) -> None:
        if (message.data, self._parameters.values.model_settings) == self._last_text:
            return  # repeated message: the result has been logged already
        self._text, self._text_waits = (message.data, f"topic '{self._topic}'"), True
        self._look()

    def _look(self) -> None:
        """Use the result of a finished build, and start the next build if required."""
        if self._build is not None:
            if self._build.is_alive():
                return
            build, self._build = self._build, None
            self._take_over(build)
        values = self._parameters.values
        settings = values.model_settings
        if self._text is None:
            self._node.get_logger().warning(
                self._problem, throttle_duration_sec=_WAITING_PERIOD, skip_first=True
            )
            return
        text, source = self._text
        other = (text, settings) != self._last_text  # a failed build is not repeated
        if self._text_waits or (self.loaded is None and other):
            self._start(text, values, lambda: self._load(text, source, values))
        elif (loaded := self.loaded) and self._loaded_settings != settings != self._last_settings:
            self._start(None, values, lambda: _with_settings(loaded, values))
        else:
            self._poll.cancel()

    def _start(
        self, text: str | None, values: ModelParameters, build: Callable[[], LoadedRobot]
    ) -> None:
        if text is None:
            self._last_settings = values.model_settings
        else:
            self._last_text, self._text_waits = (text, values.model_settings), False
        self._build = ModelBuild(text, values, build, self._prepare)
        self._build.start()
        self._poll.reset()

    def _take_over(self, build: ModelBuild) -> None:
        logger = self._node.get_logger()
        outdated = build.settings != self._parameters.values.model_settings
        if outdated and build.text is not None and (self.loaded is None or build.failure):
            # build again: outdated settings must neither be used nor count as a bad description
            self._text_waits = True
        elif build.loaded is not None:
            self._use(build.loaded, build)
        elif build.text is None:
            self._settings_problem = f'Failed to set gravity and payload: {build.failure}'
            logger.error(f'{self._settings_problem}; the model stays as it is')
        elif self.loaded is None:
            self._problem = f'Robot description refused: {build.failure}'
            logger.error(self._problem)
        else:
            self._problem = f'New robot description refused: {build.failure}'
            logger.warning(f'{self._problem}; the model from {self.loaded.source} stays in use')

    def _use(self, loaded: LoadedRobot, build: ModelBuild) -> None:
        logger = self._node.get_logger()
        for text in loaded.warnings:
            logger.warning(text)
        self.loaded, self._loaded_settings = loaded, build.settings
        self._last_settings, self._settings_problem = None, ''
        if build.text is not None:
            self._problem = ''
        robot = f'Robot model {loaded.robot.model.name!r} from {loaded.source}'
        about = f'{robot} {build.payload}' if build.payload else robot
        logger.info(f'{about}: {", ".join(loaded.robot.model.joint_names)}')
        self._on_model(loaded)


def _with_settings(loaded: LoadedRobot, values: ModelParameters) -> LoadedRobot:
    # the warnings of the reader have been logged already
    model = with_settings(loaded.described, values, loaded.segments)
    return replace(loaded, robot=loaded.robot.with_model(model), warnings=())

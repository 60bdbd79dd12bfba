# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`ModelBuild`: construction and preparation of a robot model in a thread."""

import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import numpy as np

from screw_dynamics.control.model_parameters import ModelParameters
from screw_dynamics.dynamics import LinkLoads, gravity_force_jets, inverse_dynamics
from screw_dynamics.elastic import elastic_feedforward, feedforward_from_efforts
from screw_dynamics.errors import ScrewDynamicsError, SpringRangeError
from screw_dynamics.feasibility.check import check_feasibility
from screw_dynamics.jit import CompileProgress, compile_kernels
from screw_dynamics.nodes.shared.loaded_robot import LoadedRobot
from screw_dynamics.robot import Robot
from screw_dynamics.trajectory import compile_sampling

_ORDERS = (0, 1, 2)  # of the efforts


def compile_efforts(robot: Robot) -> None:
    """Compile the kernels of efforts along a trajectory and, with drives, of motor commands."""
    model = robot.model
    compile_sampling()
    for order in _ORDERS:
        jet, efforts = np.zeros((order + 3, model.n)), np.empty((order + 1, model.n))
        inverse_dynamics(model, jet, out=efforts)
        gravity_force_jets(model, jet)
        LinkLoads(model, [], order).inverse_dynamics(jet, efforts)
    check_feasibility(model, None, np.zeros((1, 3, model.n)), [0.0])
    compute_motors(robot)
    if robot.drives is not None:
        with suppress(SpringRangeError):
            elastic_feedforward(model, robot.drives, np.zeros((robot.required_rows, robot.n)))


def compute_motors(robot: Robot) -> None:
    """Compute the motor commands of one sample from its efforts, if there are drives."""
    if robot.drives is None:
        return
    jet = np.zeros((robot.required_rows, robot.n))
    efforts = np.zeros_like(robot.drives.buffers(robot.model).effort_jet)
    # the springs may be unable to support the links at 0, which does not matter here
    with suppress(SpringRangeError):
        feedforward_from_efforts(robot.model, robot.drives, jet, efforts)


class ModelBuild:
    """
    Builds a model in a thread that starts at once; the result is valid when `running` is False.

    `text` is None for other settings; the result is `loaded`, or None for a `failure`.
    """

    def __init__(
        self,
        text: str | None,
        values: ModelParameters,
        build: Callable[[], LoadedRobot],
        prepare: Callable[[LoadedRobot], None],
        warm_up: Callable[[LoadedRobot], object],
    ) -> None:
        self.text, self.settings = text, values.model_settings
        self.loaded: LoadedRobot | None = None
        self.failure, self.payload = '', values.payload_words
        self.progress: CompileProgress | None = None
        self._build, self._prepare, self._warm_up = build, prepare, warm_up
        # daemon: a compilation does not delay Ctrl-C
        self._thread = threading.Thread(target=self._work, name='robot_model', daemon=True)
        self._thread.start()

    @property
    def running(self) -> bool:
        """True until the result is valid."""
        return self._thread.is_alive()

    def wait(self, timeout: float) -> None:
        """Wait for the result, at most `timeout` [s]."""
        self._thread.join(timeout)

    def _work(self) -> None:
        try:
            loaded = self._build()
            compile_kernels(lambda: self._prepare(loaded), self._on_progress)
            self._warm_up(loaded)
            self.loaded = loaded
        except ScrewDynamicsError as error:
            self.failure = str(error)
        except Exception as error:  # no description may end the node: it reports the failure
            self.failure = f'{type(error).__name__}: {error}'

    def _on_progress(self, progress: CompileProgress) -> None:
        self.progress = progress


_ALIVE_PERIOD = 10.0  # s between lines


class CompileReport:
    """Logs the progress of a compilation at a rate that suits a log file."""

    def __init__(self, logger: Any) -> None:
        self._logger = logger
        self._begun = self._last = 0.0  # s, of the first and of the last line; 0: none
        self._done = False

    def show(self, progress: CompileProgress | None) -> None:
        """Log new progress; None means that nothing has been compiled yet."""
        if progress is None or self._done:
            return
        now, count = time.monotonic(), f'{progress.total} kernels'
        after = f'after {now - self._begun:.0f} s'
        self._done = progress.done == progress.total and bool(self._begun)
        if not self._begun:
            self._begun = now
            text = f'Compiling {count} (once, about a minute; later starts load them from disk)...'
        elif self._done:
            text = f'Compiled {count} {after}'
        elif now - self._last < _ALIVE_PERIOD:
            return
        elif progress.waits:
            text = f'Another process compiles kernel {progress.kernel!r}: waiting for it {after}'
        else:
            text = f'Compiling: {progress.done} of {count} done {after}'
        self._last = now
        self._logger.info(text)

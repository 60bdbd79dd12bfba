# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`ModelBuild`: construction and preparation of a robot model in a thread."""

from __future__ import annotations

import threading
from collections.abc import Callable

from screw_dynamics.errors import ScrewDynamicsError
from screw_dynamics.jit import CompileProgress, compile_kernels
from screw_dynamics.nodes.parameters.model_parameters import ModelParameters
from screw_dynamics.nodes.robot.robot_description import LoadedModel


class ModelBuild:
    """
    Builds a model in a thread that starts at once; the result is valid when `running` is False.

    `text` is the robot description, or None if the model in use gets other settings. `prepare`
    compiles kernels and `warm_up` is called after that. The result is `loaded`, or None with the
    reason in `failure`; `progress` is that of the compilation, if there is one.
    """

    def __init__(
        self,
        text: str | None,
        values: ModelParameters,
        build: Callable[[], LoadedModel],
        prepare: Callable[[LoadedModel], None],
        warm_up: Callable[[LoadedModel], object],
    ) -> None:
        self.text, self.settings = text, values.model_settings
        self.loaded: LoadedModel | None = None
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

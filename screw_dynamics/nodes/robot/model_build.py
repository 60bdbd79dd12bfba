# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`ModelBuild`: a robot model that is being built and prepared in a thread."""

from __future__ import annotations

import threading
from collections.abc import Callable

from screw_dynamics.errors import ScrewDynamicsError
from screw_dynamics.jit import CompileProgress, compile_kernels
from screw_dynamics.nodes.parameters.model_parameters import ModelParameters
from screw_dynamics.nodes.robot.robot_description import LoadedModel


class ModelBuild:
    """Works from its making on; the result is there when it is no longer `running`."""

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
        # daemon: Ctrl-C does not wait for a compilation
        self._thread = threading.Thread(target=self._work, name='robot_model', daemon=True)
        self._thread.start()

    @property
    def running(self) -> bool:
        """Whether the result is still to come."""
        return self._thread.is_alive()

    def wait(self, timeout: float) -> None:
        """
        Return when the result is there, or after some time.

        `timeout` [s].
        """
        self._thread.join(timeout)

    def _work(self) -> None:
        try:
            loaded = self._build()
            compile_kernels(lambda: self._prepare(loaded), self._on_progress)
            self._warm_up(loaded)
            self.loaded = loaded
        except ScrewDynamicsError as error:
            self.failure = str(error)
        except Exception as error:  # whatever a description does, the node says so and goes on
            self.failure = f'{type(error).__name__}: {error}'

    def _on_progress(self, progress: CompileProgress) -> None:
        self.progress = progress

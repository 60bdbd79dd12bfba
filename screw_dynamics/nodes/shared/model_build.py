# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`ModelBuild`: construction and preparation of a robot model in a thread."""

import threading
from collections.abc import Callable
from contextlib import suppress

import numpy as np

from screw_dynamics.control.model_parameters import ModelParameters
from screw_dynamics.drives import elastic_feedforward, feedforward_from_efforts
from screw_dynamics.drives.robot import Robot
from screw_dynamics.drives.workspace import Workspace
from screw_dynamics.dynamics import gravity_forces_jet, inverse_dynamics
from screw_dynamics.errors import ScrewDynamicsError, SpringRangeError
from screw_dynamics.limits.check import check_feasibility
from screw_dynamics.nodes.shared.loaded_robot import LoadedRobot

_ORDERS = (0, 1, 2)  # of the efforts


def warm_up_efforts(robot: Robot) -> None:
    """Compute what a tick computes, so that none waits for imports and tables of the model."""
    model = robot.model
    for order in _ORDERS:
        jet, efforts = np.zeros((order + 3, model.n)), np.empty((order + 1, model.n))
        inverse_dynamics(model, jet, out=efforts)
        gravity_forces_jet(model, jet)
        Workspace(model, order).efforts(jet)
    check_feasibility(model, np.zeros((1, 3, model.n)), [0.0])
    if robot.drives is None:
        return
    jet = np.zeros((robot.required_rows, robot.n))
    # the springs may be unable to support the links at 0, which does not matter here
    with suppress(SpringRangeError):
        feedforward_from_efforts(robot, jet, np.zeros_like(robot.buffers().effort_jet))
        elastic_feedforward(robot, jet)


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

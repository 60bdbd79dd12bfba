# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`ControllerHold`: the effort of the position at which a controller has stopped."""

from typing import NamedTuple

import numpy as np

from screw_dynamics.common.arrays import Array
from screw_dynamics.common.times import SECOND
from screw_dynamics.control.motor_positions import links_at_rest
from screw_dynamics.control.outputs import Outputs, SendHold
from screw_dynamics.control.tasks import Running, Samples
from screw_dynamics.dynamics import inverse_dynamics
from screw_dynamics.errors import InputError
from screw_dynamics.recordings.messages.joints import joint_order, request_row

_LONGEST_STOP = 5 * SECOND  # until the controller has to be at rest
_DURATION = SECOND // 2  # in which the effort becomes that of the position
_REST = 1e-9  # rad or m between two states, of a position that is held


class ControllerState(NamedTuple):
    """The reference of a controller at an instant [ns]."""

    stamp: int
    joint_names: tuple[str, ...]
    positions: tuple[float, ...]


class ControllerHold:
    """
    Lets a controller hold the position at which it has stopped with the effort of that position.

    When two states in a row report the same reference, a goal of this one point follows.
    """

    def __init__(self, outputs: Outputs, controller: str, *, wanted: bool) -> None:
        self._outputs, self._controller, self._wanted = outputs, controller, wanted
        self._since = 0  # instant of the stop [ns], 0 if nothing is to be held
        self._last: Array | None = None  # reference (n,) of the state before

    @property
    def waits(self) -> bool:
        """Whether states of the controller are of interest."""
        return self._since > 0

    def begin(self, now: int) -> None:
        """Hold as soon as the controller is at rest: it has been stopped now."""
        if self._wanted:
            self._since, self._last = now, None

    def drop(self) -> None:
        """Do not hold: something else moves the robot."""
        self._since = 0

    def take(self, state: ControllerState, running: Running) -> None:
        """Hold the position of a controller if it is at rest."""
        if not running.reference.empty or running.streamed.followed is not None:
            self.drop()  # a trajectory of the topic is followed
            return
        passed = state.stamp - self._since
        if passed > _LONGEST_STOP:
            self.drop()
            self._outputs.log(
                'warning',
                f'{self._controller}: its effort after the stop is not that of its position: it '
                f'has not come to rest within {_LONGEST_STOP / SECOND:g} s',
            )
        if not 0 < passed <= _LONGEST_STOP:
            return
        try:
            order = joint_order(state.joint_names, running.robot.joint_names)
            positions = request_row('reference.positions', state.positions, order)
        except InputError:
            return
        last, self._last = self._last, positions
        if last is not None and np.abs(positions - last).max() <= _REST:
            self.drop()
            self._outputs.goals.append(SendHold(_held(positions, running)))
            self._outputs.log(
                'info',
                f'{self._controller} gets the effort of the position at which it has stopped',
            )


def _held(positions: Array, running: Running) -> Samples:
    """Return one sample, of the positions (n,) and their effort."""
    robot, parameters = running.robot, running.parameters
    model = robot.model
    jets = np.zeros((1, 3, model.n))
    jets[0, 0] = positions
    if parameters.of_motors:
        links = links_at_rest(robot, positions)
        jets[0, 0] = np.where(np.isfinite(links), links, positions)
    efforts = inverse_dynamics(model, jets[0])[np.newaxis]
    efforts = parameters.effort_format.convert(model, jets, efforts)[:, 0]
    jets[0, 0] = positions
    return Samples(0, '', model.joint_names, np.array([_DURATION]), jets, efforts)

# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""Publishers of thread tensions, which realise the efforts of soft segments."""

from contextlib import suppress

import numpy as np
from rclpy.node import Node
from sensor_msgs.msg import JointState

from screw_dynamics.arrays import Array
from screw_dynamics.errors import InputError
from screw_dynamics.nodes.shared.endpoints import MessageOutput
from screw_dynamics.nodes.shared.reused_message import STAMP, ReusedMessage
from screw_dynamics.nodes.shared.tick_timer import Seldom
from screw_dynamics.robot import Robot
from screw_dynamics.soft.segments.thread_set import ThreadSet, threads_of

_TOLERANCE = 1e-6  # of the largest effort
_PERIOD = 1.0  # s between warnings


class _Output(MessageOutput):
    """Names of threads and one row of numbers in the field `effort`."""

    def __init__(self, node: Node, topic: str, names: tuple[str, ...], row: Array) -> None:
        super().__init__(node, JointState, topic)
        message = JointState(name=list(names))
        self._message = ReusedMessage(message, {('effort',): row[np.newaxis]}, STAMP)

    def publish(self, instant: int) -> None:
        """Publish the row for an instant [ns]."""
        self._publisher.publish(self._message.written((instant,)))


class TensionOutput:
    """``~/thread_tensions`` [N] and ``~/thread_tension_rates`` [N/s]."""

    def __init__(self, node: Node, robot: Robot, threads: ThreadSet) -> None:
        self._logger = node.get_logger()
        self._failures, self._shortfalls = Seldom(_PERIOD), Seldom(_PERIOD)
        self._rows = np.zeros((2, len(threads.names)))
        self._found = tuple(
            (np.zeros((rows, len(threads.names))), np.zeros(threads.size)) for rows in (1, 2)
        )
        self._tensions = _Output(node, '~/thread_tensions', threads.names, self._rows[0])
        self._rates = _Output(node, '~/thread_tension_rates', threads.names, self._rows[1])
        self.set_robot(robot)
        jet = np.zeros((4, robot.n))
        with suppress(InputError):  # only loads what the first tick would load
            for found in self._found:
                self._threads.tensions(jet, jet[: len(found[0])], found)

    def set_robot(self, robot: Robot) -> None:
        """Continue with another model that has the same threads."""
        threads = threads_of(robot.model)
        assert threads is not None
        self._threads = threads
        self._names = robot.joint_names[-threads.size :]

    def publish(self, instant: int, jet: Array, tau: Array) -> None:
        """Publish the tensions for efforts (k + 1, n), with rates if k > 0."""
        rows = min(len(tau), 2)
        try:
            tensions, errors = self._threads.tensions(jet, tau[:rows], self._found[rows - 1])
        except InputError as error:
            if self._failures.due():
                self._logger.warning(f'No tensions are published: {error}')
            return
        worst = int(np.argmax(errors))
        allowed = _TOLERANCE * np.abs(tau[0, -self._threads.size :]).max()
        if errors[worst] > allowed and self._shortfalls.due():
            self._logger.warning(
                f'{self._names[worst]}: threads realise its effort only to {errors[worst]:.3g}: '
                f'they pull, and may be too few{self._at_limits(tensions[0])}'
            )
        self._rows[: len(tensions)] = tensions
        self._tensions.publish(instant)
        if len(tensions) > 1:
            self._rates.publish(instant)

    def _at_limits(self, tensions: Array) -> str:
        names = [
            name
            for name, tension, most in zip(
                self._threads.names, tensions, self._threads.most, strict=True
            )
            if tension >= most
        ]
        return f'; at most_tension: {", ".join(names)}' if names else ''

    def destroy(self) -> None:
        """Destroy the publishers."""
        self._tensions.destroy()
        self._rates.destroy()

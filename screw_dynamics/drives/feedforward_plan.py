# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`FeedforwardPlan`: what `elastic_feedforward` prepares once for its buffers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from screw_dynamics.common.arrays import Array
from screw_dynamics.drives.motor_table import MotorTable
from screw_dynamics.dynamics import inverse_dynamics
from screw_dynamics.kernels.drives.commands import set_motor_commands
from screw_dynamics.kernels.drives.deflections import OK
from screw_dynamics.model import ScrewModel

if TYPE_CHECKING:
    from screw_dynamics.drives.robot import Robot


class FeedforwardPlan:
    """Kernel calls for one sample of a robot with undamped joints and without coupled rotors."""

    def __init__(self, robot: Robot, rows: int) -> None:
        self._rows = rows
        shapes = robot.motors.jet_shapes(rows)
        sizes = [rows * columns for rows, columns in shapes]
        self._block = np.full(sum(sizes), np.nan)
        parts = np.split(self._block, np.cumsum(sizes[:-1]))
        self.jets = [part.reshape(shape) for part, shape in zip(parts, shapes, strict=True)]
        self._efforts = self.jets[0]
        self._kernel = set_motor_commands.run
        self._jet = self._batch = np.empty(0)  # the jet seen last, and as a batch of one
        self._bind(robot)

    def _bind(self, robot: Robot) -> None:
        """Prepare the arguments of the kernel for a robot."""
        self._robot = robot
        efforts, *motors = (jet[np.newaxis] for jet in self.jets)
        self._arguments = efforts, *robot.motors.blocks, *motors

    def __reduce__(self) -> tuple[type[None], tuple[()]]:
        """Return None for pickle and deep copies, whose buffers have memory of their own."""
        return type(None), ()

    def run(self, robot: Robot | ScrewModel, jet: Array) -> bool:
        """Fill the buffers; return False if the checked way has to decide or to raise."""
        if not self._fits(robot, jet):
            return False
        inverse_dynamics(self._robot.model, jet, None, self._efforts)
        return self._filled()

    def follow(self, robot: Robot | ScrewModel, jet: Array, efforts: Array) -> bool:
        """Fill the buffers for link efforts that are known; see `run`."""
        links = self._efforts
        if efforts is links or efforts.shape != links.shape or efforts.dtype != links.dtype:
            return False
        if not self._fits(robot, jet):
            return False
        links[...] = efforts
        return self._filled()

    def _fits(self, robot: Robot | ScrewModel, jet: Array) -> bool:
        """Return True if the buffers are those of a motion, in memory of its own."""
        if robot is not self._robot:
            if isinstance(robot, ScrewModel) or robot.drives is not self._robot.drives:
                return False
            if robot.joint_names != self._robot.joint_names:
                return False
            self._bind(robot)
        if jet.shape != (self._rows, self._robot.n):
            return False
        if jet is not self._jet:  # a control loop has one
            if np.may_share_memory(jet, self._block):
                return False
            self._jet, self._batch = jet, jet[np.newaxis]
        return True

    def _filled(self) -> bool:
        """Fill the buffers from the efforts in them."""
        try:
            return bool(self._kernel(self._batch, *self._arguments) == OK)
        except TypeError:
            return False  # not an array for the kernel


def fill_commands(table: MotorTable, jet: Array, efforts: Array, *motors: Array) -> bool:
    """
    Fill the commands of undamped joints with constant stiffness, from the efforts of the links.

    `motors` are the jets of deflections, motor positions and motor efforts. Return False if that
    fails; the efforts, else the transmitted ones, are then undefined.
    """
    arrays = (jet, efforts, *motors)
    if jet.ndim == 2:
        arrays = tuple(array[np.newaxis] for array in arrays)
    return bool(set_motor_commands(*arrays[:2], *table.blocks, *arrays[2:]) == OK)

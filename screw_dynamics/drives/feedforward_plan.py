# Copyright screw_dynamics contributors
# SPDX-License-Identifier: Apache-2.0
"""`FeedforwardPlan`: what `elastic_feedforward` prepares once for its buffers."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from screw_dynamics.common.arrays import Array
from screw_dynamics.drives.motor_table import MotorTable
from screw_dynamics.dynamics import inverse_dynamics
from screw_dynamics.kernels.drives.commands import set_motor_commands
from screw_dynamics.kernels.drives.deflections import OK
from screw_dynamics.model import ScrewModel


class FeedforwardPlan:
    """Kernel calls for one sample, of undamped joints without coupled rotors."""

    def __init__(
        self,
        model: ScrewModel,
        joints: object,
        motors: Callable[[ScrewModel], MotorTable],
        rows: int,
    ) -> None:
        table, self._motors = motors(model), motors
        self._joints, self._rows = joints, rows
        shapes = table.jet_shapes(rows)
        sizes = [rows * columns for rows, columns in shapes]
        self._block = np.full(sum(sizes), np.nan)
        parts = np.split(self._block, np.cumsum(sizes[:-1]))
        self.jets = [part.reshape(shape) for part, shape in zip(parts, shapes, strict=True)]
        self._efforts = self.jets[0]
        self._kernel = set_motor_commands.run
        self._jet = self._batch = np.empty(0)  # the jet seen last, and as a batch of one
        self._bind(model, table)

    def _bind(self, model: ScrewModel, table: MotorTable) -> None:
        """Prepare the arguments of the kernel for a model."""
        self._model, self._table = model, table
        efforts, *motors = (jet[np.newaxis] for jet in self.jets)
        self._arguments = efforts, *table.blocks, *motors

    def __reduce__(self) -> tuple[type[None], tuple[()]]:
        """Return None for pickle and deep copies, whose buffers have memory of their own."""
        return type(None), ()

    def run(self, model: ScrewModel, joints: object, jet: Array) -> bool:
        """Fill the buffers; return False if the checked way has to decide or to raise."""
        if not self._fits(model, joints, jet):
            return False
        inverse_dynamics(model, jet, out=self._efforts)
        return self._filled()

    def follow(self, model: ScrewModel, joints: object, jet: Array, efforts: Array) -> bool:
        """Fill the buffers for link efforts that are known; see `run`."""
        own = self._efforts
        if efforts is own or efforts.shape != own.shape or efforts.dtype != own.dtype:
            return False
        if not self._fits(model, joints, jet):
            return False
        own[...] = efforts
        return self._filled()

    def _fits(self, model: ScrewModel, joints: object, jet: Array) -> bool:
        """Return True if the buffers are those of a motion, in memory of its own."""
        if joints is not self._joints or jet.shape != (self._rows, model.n):
            return False
        if model is not self._model:
            table = self._motors(model)
            if table.names != self._table.names or table.joint_names != self._table.joint_names:
                return False
            self._bind(model, table)
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
